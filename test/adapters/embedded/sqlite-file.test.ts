// How a SQLite file of the state folder is written.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { SqliteFile } from '../../../lib/adapters/embedded/sqlite-file.ts';
import { transactionsIn } from './transactions.ts';

const NORMAL = 1;

test('no transaction waits for the disk: a killed process loses nothing by that', () => {
  const folder = mkdtempSync(join(tmpdir(), 'farloop-sqlite-'));
  const file = SqliteFile.open({ folder, file: 'a.db', schemaVersion: 1, schema: 'create table a (b integer)' });
  expect(file.database.prepare('pragma journal_mode').get()).toEqual({ journal_mode: 'wal' });
  expect(file.database.prepare('pragma synchronous').get()).toEqual({ synchronous: NORMAL });
  file.close();
  rmSync(folder, { recursive: true });
});

test('all statements of a transaction are one to the disk', () => {
  const folder = mkdtempSync(join(tmpdir(), 'farloop-sqlite-'));
  const file = SqliteFile.open({ folder, file: 'a.db', schemaVersion: 1, schema: 'create table a (b integer)' });
  const insert = file.database.prepare('insert into a values (?)');
  const before = transactionsIn(folder, 'a.db');
  file.transaction(() => {
    for (let value = 0; value < 10; value++) insert.run(value);
  });
  expect(transactionsIn(folder, 'a.db') - before).toBe(1);
  for (let value = 0; value < 10; value++) insert.run(value);
  expect(transactionsIn(folder, 'a.db') - before).toBe(11);
  file.close();
  rmSync(folder, { recursive: true });
});

test('processes that open one new file at the same moment all get it: one makes its tables', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'farloop-sqlite-'));
  const rounds = 20;
  for (let round = 0; round < rounds; round++) mkdirSync(join(folder, String(round)));
  const program = `
    import { SqliteFile } from ${JSON.stringify(new URL('../../../lib/adapters/embedded/sqlite-file.ts', import.meta.url).href)};
    process.stdin.once('data', (from) => {
      for (let round = 0; round < ${rounds}; round++) {
        while (Date.now() < Number(from) + round * 50) {}
        const file = SqliteFile.open({ folder: ${JSON.stringify(folder)} + '/' + round, file: 'a.db', schemaVersion: 1, schema: 'create table a (b integer)' });
        file.database.exec('insert into a values (1)');
        file.close();
      }
      process.exit();
    });
    console.log('ready');`;
  const children = Array.from({ length: 4 }, () =>
    spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program]),
  );
  const problems: string[] = [];
  for (const { stderr } of children) stderr.on('data', (text) => problems.push(String(text)));
  await Promise.all(children.map(async ({ stdout }) => await once(stdout, 'data')));
  const exits = children.map(async (child) => await once(child, 'exit'));
  for (const { stdin } of children) stdin.write(String(Date.now() + 20));
  await Promise.all(exits);
  expect(problems).toEqual([]);
  for (let round = 0; round < rounds; round++) {
    const file = SqliteFile.open({ folder: join(folder, String(round)), file: 'a.db', schemaVersion: 1, schema: '' });
    expect(file.database.prepare('select count(*) as rows from a').get()).toEqual({ rows: children.length });
    file.close();
  }
  rmSync(folder, { recursive: true });
}, 30_000);
