// How a SQLite file of the state folder is written.
import { mkdtempSync, rmSync } from 'node:fs';
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
