// Objects on a file: SIGKILL loses nothing that was answered, one instance per folder, a full disk.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openDisk, refusalOf, SandboxError } from '../../../lib/sandbox/storage/storage-file.ts';
import { Storage } from '../../../lib/sandbox/storage/storage.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'farloop-sandbox-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (pages?: number): Storage => new Storage({ disk: openDisk(folder, pages), windowEvents: 10, defer: queueMicrotask });
const module = (name: string): string => JSON.stringify(new URL(`../../../lib/sandbox/${name}.ts`, import.meta.url).href);

describe('objects on a file', () => {
  test('come back with their versions, and versions go on', async () => {
    const first = open();
    first.put('things', 'a/1', { metadata: { name: '1' }, value: 'one' });
    first.put('things', 'a/2', { metadata: { name: '2' } });
    first.remove('things', 'a/2');
    await first.settled();
    const revision = first.revision('things');
    first.close();
    const second = open();
    expect(second.revision('things')).toBe(revision);
    expect(second.list('things').map(({ key, object }) => [key, object['value']])).toEqual([['a/1', 'one']]);
    expect(second.since('things', revision - 1)).toBeUndefined();
    second.close();
  });

  test('a second instance is told who holds the folder', () => {
    const first = open();
    expect(() => open()).toThrow(SandboxError);
    expect(() => open()).toThrow(/in use by another running sandbox/);
    first.close();
    open().close();
  });

  test('a folder of a newer version is refused', () => {
    open().close();
    const database = new DatabaseSync(join(folder, 'objects.sqlite'));
    database.exec("update facts set value = 99 where name = 'layout'");
    database.close();
    expect(() => open()).toThrow(/newer version \(layout 99/);
  });

  test('a folder that cannot be made is named', () => {
    expect(() => openDisk('/dev/null/state')).toThrow(/\/dev\/null\/state cannot be used/);
  });

  test('a full disk refuses the write, keeps what was, and goes on when there is room', async () => {
    const storage = open(20);
    storage.put('things', 'a/1', { metadata: { name: '1' }, value: 'small' });
    await storage.settled();
    storage.put('things', 'a/2', { metadata: { name: '2' }, value: 'x'.repeat(200_000) });
    await expect(storage.settled()).rejects.toThrow(/the disk is full/);
    expect(storage.get('things', 'a/2')).toBeUndefined();
    storage.put('things', 'a/1', { metadata: { name: '1' }, value: 'other' });
    await storage.settled();
    storage.close();
    const again = open();
    expect(again.list('things').map(({ object }) => object['value'])).toEqual(['other']);
    again.close();
  });

  test('a disk without room for the file that readers share is full, too: SQLite calls that an I/O error', () => {
    expect(refusalOf({ errcode: 4874, message: 'disk I/O error' })).toMatch(/the disk is full; free some space/);
    expect(refusalOf({ errcode: 10, message: 'disk I/O error' })).toBe('disk I/O error');
  });

  test('a damaged file is named, and left to a person: the objects are nowhere else', async () => {
    const storage = open();
    storage.put('things', 'a/1', { metadata: { name: '1' } });
    await storage.settled();
    storage.close();
    const file = join(folder, 'objects.sqlite');
    const sound = readFileSync(file);
    const read = (): void => {
      const disk = openDisk(folder);
      try {
        disk.load(() => {});
      } finally {
        disk.close();
      }
    };
    for (const from of [0, 4_096]) {
      writeFileSync(file, Buffer.from(sound).fill(0xa5, from));
      expect(read).toThrow(SandboxError);
      expect(read).toThrow(`the sandbox's objects in ${file} are damaged: put a copy in its place, or remove the file and the sandbox`);
    }
    writeFileSync(file, sound);
    const again = open();
    expect(again.list('things')).toHaveLength(1);
    again.close();
  });

  test('SIGKILL loses nothing that was answered', async () => {
    const program = `
      const { openDisk } = await import(${module('storage/storage-file')});
      const { Storage } = await import(${module('storage/storage')});
      const storage = new Storage({ disk: openDisk(${JSON.stringify(folder)}), windowEvents: 10, defer: setImmediate });
      for (let index = 0; ; index += 1) {
        storage.put('things', 'a/' + index, { metadata: { name: String(index) } });
        if (index % 7 === 0) { await storage.settled(); process.stdout.write(index + '\\n'); }
      }`;
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let answered = -1;
    for await (const line of createInterface({ input: child.stdout })) {
      answered = Math.max(answered, Number(line));
      if (answered > 500) child.kill('SIGKILL');
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    const storage = open();
    const names = new Set(storage.list('things').map(({ object }) => object.metadata.name));
    expect(answered).toBeGreaterThan(500);
    for (let index = 0; index <= answered; index += 1) expect(names.has(String(index))).toBe(true);
    expect(storage.revision('things')).toBeGreaterThanOrEqual(names.size);
    storage.close();
  });
});
