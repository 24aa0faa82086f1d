// The sandbox is killed with SIGKILL while definitions and objects come and go; everything that it answered is there afterwards.
// SEED=123 replays one run.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { embed } from '../embedded.ts';
import type { Embedded } from '../embedded.ts';
import { definitionPath, objectsPath } from './churn-paths.ts';

const kills = 4;
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1_000_000));

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'farloop-churn-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What was answered: the objects of each definition; and what was asked last without an answer. */
interface Told {
  defined: Map<string, Set<string>>;
  gone: Set<string>;
  open: string[] | undefined;
}

/** Takes a line of the process. Once deleted, a definition takes its objects along. */
function note(told: Told, line: string): void {
  const [, word, text = '[]', status] = /^(begin|done) (\[.*?\]) ?(\d*)$/.exec(line) ?? [];
  const operation: string[] = JSON.parse(text);
  const [verb, name = '', object = ''] = operation;
  told.open = word === 'begin' ? operation : undefined;
  if (word !== 'done') return;
  if (verb === 'define' && status === '201') told.defined.set(name, new Set());
  if (verb === 'undefine' && status === '200') {
    told.defined.delete(name);
    told.gone.add(name);
  }
  if (verb === 'create' && (status === '201' || status === '409')) told.defined.get(name)?.add(object);
  if (verb === 'delete' && (status === '200' || status === '404')) told.defined.get(name)?.delete(object);
}

/** Runs the process until it has answered so often, then kills it. */
async function churnUntil(told: Told, round: number, answers: number): Promise<void> {
  const child = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      new URL('./churn.ts', import.meta.url).pathname,
      folder,
      String(seed + round),
      JSON.stringify([...told.defined.keys()]),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let answered = 0;
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    note(told, line);
    if (line.startsWith('done') && (answered += 1) === answers) child.kill('SIGKILL');
  });
  await Promise.all([once(lines, 'close'), once(child, 'exit')]);
  expect(child.signalCode).toBe('SIGKILL');
}

async function namesIn({ send }: Embedded, name: string): Promise<string[]> {
  const items: { metadata: { name: string } }[] = Object((await send('GET', objectsPath(name))).body['items']);
  return items.map(({ metadata }) => metadata.name);
}

/** Compares what is there with what was answered, and takes over what the last, open question has done. */
async function check(told: Told): Promise<void> {
  const embedded = embed({ folder });
  const { send, pass, cluster } = embedded;
  await pass(0);
  const [verb, openName = '', openObject = ''] = told.open ?? [];
  if (verb === 'define' && (await send('GET', definitionPath(openName))).status === 200) told.defined.set(openName, new Set());
  if (verb === 'undefine' && (await send('GET', definitionPath(openName))).status === 404) {
    told.defined.delete(openName);
    told.gone.add(openName);
  }
  for (const [name, objects] of told.defined) {
    expect(Object((await send('GET', definitionPath(name))).body['status']).conditions).toMatchObject([
      { type: 'NamesAccepted', status: 'True' },
      { type: 'Established', status: 'True' },
    ]);
    const there = await namesIn(embedded, name);
    if (name === openName && there.includes(openObject)) objects.add(openObject);
    else if (name === openName) objects.delete(openObject);
    expect(there).toEqual([...objects].toSorted());
  }
  for (const name of told.gone) {
    expect((await send('GET', definitionPath(name))).status).toBe(404);
    expect((await send('GET', objectsPath(name))).status).toBe(404);
  }
  cluster.close();
}

test(`after each of ${kills} kills all that was answered is there, and nothing that was deleted (SEED=${seed})`, async () => {
  const told: Told = { defined: new Map(), gone: new Set(), open: undefined };
  for (let round = 0; round < kills; round += 1) {
    await churnUntil(told, round, 40 + ((seed * (round + 7)) % 97));
    await check(told);
  }
  expect(told.gone.size + told.defined.size).toBeGreaterThan(0);
}, 20_000);
