// docs/security.md: each control names what shows it, and what it names is there.
import { describe, expect, test } from '@jest/globals';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { alarmsOf } from '../../infra/alarms.ts';
import { ROOT } from '../deploy/packaged.ts';

const text = readFileSync(join(ROOT, 'docs', 'security.md'), 'utf8');
const rows = text
  .slice(text.indexOf('| threat | control | shown by |'))
  .split('\n\n', 1)[0]
  ?.split('\n')
  .slice(2)
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  ) as string[][];

/** Of a file, or of all that lie in a folder. */
const testsIn = (path: string): string =>
  (statSync(join(ROOT, path)).isDirectory() ? globSync(`${path}/**/*.test.ts`, { cwd: ROOT }) : [path])
    .map((file) => readFileSync(join(ROOT, file), 'utf8'))
    .join('\n');

describe('the controls of docs/security.md', () => {
  test('are a table of threats, each with its control and what shows it', () => {
    expect(rows.length).toBeGreaterThanOrEqual(15);
    for (const row of rows) expect([row[0], row.length, row.every((cell) => cell !== '')]).toEqual([row[0], 3, true]);
  });

  test.each(rows)('"%s" is shown by tests that there are', (_threat, _control, shownBy) => {
    const paths = [...shownBy.matchAll(/`(test\/[\w/.-]+)`/g)].map(([, path = '']) => path);
    expect(paths.length).toBeGreaterThan(0);
    for (const path of paths) {
      expect([path, existsSync(join(ROOT, path))]).toEqual([path, true]);
      expect(testsIn(path)).toMatch(/\btest(\.each\([^]*?\))?\(/);
    }
    // A rule in brackets is in the name of a test of one of them.
    for (const [, rule = ''] of shownBy.matchAll(/\((R\d+)\)/g)) expect(paths.map(testsIn).join('\n')).toContain(rule);
  });

  test('name alarms that there are', () => {
    const alarms = new Set(alarmsOf({ name: 'farloop-prod', namespace: 'Farloop/prod' }).map(({ name }) => name));
    const named = rows.flatMap(([, , shownBy = '']) => [...shownBy.matchAll(/alarm `([\w-]+)`/g)].map(([, name = '']) => name));
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !alarms.has(name))).toEqual([]);
  });
});

test('every right on everything is one that the template asks for, with its reason', () => {
  const rights = text
    .slice(text.indexOf('## Rights on everything'))
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  expect(rights.length).toBeGreaterThan(0);
  const roles =
    readFileSync(join(ROOT, 'infra', 'resources', 'roles.yml'), 'utf8') + readFileSync(join(ROOT, 'infra', 'settings.ts'), 'utf8');
  for (const line of rights)
    for (const [, right = ''] of (line.split('|')[1] ?? '').matchAll(/`(\w+:\w+)`/g)) expect(roles).toContain(right);
});
