// The embedded store: the contract, in memory and on a file, and what a file adds: restarts, damage, a full disk.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { EmbeddedStore, STORE_FILE } from '../../../lib/adapters/embedded/store.ts';
import { FullDiskError } from '../../../lib/adapters/embedded/sqlite-file.ts';
import { VirtualClock } from '../../world/virtual-clock.ts';
import { formatKey } from '../../../lib/objects/workload.ts';
import { failureOf } from '../../claims.ts';
import { storeContract } from '../../contracts/store.ts';
import { aHead, aKey, named, type DamagedField, type StoreUnderTest } from '../../contracts/store/workloads.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'farloop-store-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const COLUMNS: Partial<Record<DamagedField, string>> = {
  bornAtMs: 'born_at',
  openedAtMs: 'opened_at',
  wake: 'wake_attempt',
  viewVersion: 'view_version',
};

const damageIn =
  ({ database }: EmbeddedStore): StoreUnderTest['damage'] =>
  async (place, field) => {
    const [table, where, ...of] =
      'note' in place
        ? ['notes', 'cluster = ? and name = ?', place.cluster, place.note]
        : place.item === undefined
          ? ['heads', 'pk = ?', formatKey(place.key)]
          : ['items', 'pk = ? and name = ?', formatKey(place.key), place.item];
    // Text in the place of bytes, bytes in the place of all else.
    const stranger = field === 'view' || field === 'bytes' ? '~' : new Uint8Array([126]);
    const { changes } = database.prepare(`update ${table} set ${COLUMNS[field] ?? field} = ? where ${where}`).run(stranger, ...of);
    expect(Number(changes)).toBe(1);
  };

storeContract('embedded, in memory', async () => {
  const clock = new VirtualClock();
  const store = EmbeddedStore.open({ clock });
  return { store, nowMs: () => clock.nowMs(), close: async () => store.close(), damage: damageIn(store) };
});

storeContract('embedded, on a file', async () => {
  const store = EmbeddedStore.open({ folder });
  return { store, nowMs: () => Date.now(), close: async () => store.close(), damage: damageIn(store) };
});

describe('embedded store on a file', () => {
  test('a restart finds everything again', async () => {
    const key = aKey();
    const first = EmbeddedStore.open({ folder });
    await first.createHead(aHead(key, { items: named('a') }));
    await first.putItem(key, { name: 'a', bytes: new Uint8Array([1, 2]) }, 0);
    await first.putNote(key.cluster, 'marker', 'm', 0);
    first.close();
    const second = EmbeddedStore.open({ folder });
    expect(await second.read(key)).toEqual({
      head: aHead(key, { items: named('a') }),
      items: [{ name: 'a', version: 1, bytes: new Uint8Array([1, 2]) }],
    });
    expect(await second.readNote(key.cluster, 'marker')).toEqual({ version: 1, body: 'm' });
    expect(second.rebuilt).toBeUndefined();
    second.close();
  });

  test('two that have the file open see one another and lose no write', async () => {
    const [one, other] = [EmbeddedStore.open({ folder }), EmbeddedStore.open({ folder })];
    const key = aKey();
    await one.createHead(aHead(key));
    await other.updateHead(key, { ifFence: 'fence-0' }, { fence: 'theirs' });
    await expect(one.updateHead(key, { ifFence: 'fence-0' }, { fence: 'mine' })).rejects.toMatchObject({ current: { fence: 'theirs' } });
    one.close();
    other.close();
  });

  test('a file of a newer version is refused in one sentence that names it', () => {
    const database = new DatabaseSync(join(folder, STORE_FILE));
    database.exec('pragma user_version = 99');
    database.close();
    expect(() => EmbeddedStore.open({ folder })).toThrow(/store\.db was written by a newer Farloop \(format 99, this one knows 3\)/);
  });

  test('R1: a file of an older version begins anew', async () => {
    const key = aKey();
    const database = new DatabaseSync(join(folder, STORE_FILE));
    database.exec('pragma journal_mode = wal; create table heads (of another text); pragma user_version = 1');
    database.close();
    const store = EmbeddedStore.open({ folder });
    expect(store.rebuilt).toBe('older version');
    await store.createHead(aHead(key));
    store.close();
    const again = EmbeddedStore.open({ folder });
    expect(await again.readHead(key)).toEqual(aHead(key));
    expect(again.rebuilt).toBeUndefined();
    again.close();
  });

  test('R1: a damaged file is set aside and begun anew', async () => {
    writeFileSync(join(folder, STORE_FILE), 'this is no database, however long the text that stands in it may be. '.repeat(20));
    const store = EmbeddedStore.open({ folder });
    expect(store.rebuilt).toBe('damaged');
    expect(await store.readHead(aKey())).toBeUndefined();
    expect(existsSync(join(folder, `${STORE_FILE}.damaged`))).toBe(true);
    store.close();
  });

  test('R1: a file that is damaged in its middle only is set aside and begun anew', async () => {
    const key = aKey();
    const first = EmbeddedStore.open({ folder });
    await first.createHead(aHead(key));
    first.close();
    const file = join(folder, STORE_FILE);
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0xa5, 4_096));
    const store = EmbeddedStore.open({ folder });
    expect(store.rebuilt).toBe('damaged');
    expect(await store.readHead(key)).toBeUndefined();
    await store.createHead(aHead(key));
    store.close();
  });

  test('a folder that is not there is said in one sentence', () => {
    expect(() => EmbeddedStore.open({ folder: join(folder, 'missing') })).toThrow(/^cannot open .*missing.*store\.db/);
  });

  test('a full disk is one clear sentence, loses nothing that was there, and ends when there is room', async () => {
    const store = EmbeddedStore.open({ folder });
    const key = aKey();
    await store.createHead(aHead(key));
    store.database.exec('pragma max_page_count = 20');
    const put = (): Promise<number> => store.putItem(key, { name: 'a', bytes: new Uint8Array(200_000) }, 0);
    const error = await failureOf(put());
    expect(error).toBeInstanceOf(FullDiskError);
    expect(String(error)).toMatch(/no space left where .*store\.db lies: free some space/);
    expect(await store.readHead(key)).toEqual(aHead(key));
    store.database.exec('pragma max_page_count = 1000000');
    expect(await put()).toBe(1);
    store.close();
  });

  test('R1: a copy of the live store is whole, and wiping leaves nothing', async () => {
    const store = EmbeddedStore.open({ folder });
    const key = aKey();
    await store.createHead(aHead(key));
    const copies = mkdtempSync(join(folder, 'copy-'));
    await store.backupTo(join(copies, STORE_FILE));
    store.wipe();
    expect(await store.readHead(key)).toBeUndefined();
    store.close();
    const copy = EmbeddedStore.open({ folder: copies });
    expect(await copy.readHead(key)).toEqual(aHead(key));
    copy.close();
  });
});
