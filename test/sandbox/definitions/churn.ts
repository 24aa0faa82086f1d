// A sandbox of its own process in which definitions and their objects come and go until somebody kills it. Each line that it writes says
// what it is about to ask, or what was answered: `begin ["create","a"]`, then `done ["create","a"] 201`.
// usage: node churn.ts FOLDER SEED KNOWN, where KNOWN are the names of definitions that are there already
import { writeSync } from 'node:fs';
import { openCluster } from '../../../lib/sandbox/sandbox.ts';
import { realSurroundings } from '../../../lib/sandbox/objects/surroundings.ts';
import { aDefinition } from './thing-definition.ts';
import { definitionPath, definitions, objectsPath } from './churn-paths.ts';

const [folder = '', seedText = '1', known = '[]'] = process.argv.slice(2);
let state = Number(seedText);
const below = (limit: number): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * limit);
};

const cluster = openCluster({ folder, surroundings: realSurroundings() });

async function ask(operation: readonly string[], method: string, path: string, body?: object): Promise<number> {
  writeSync(1, `begin ${JSON.stringify(operation)}\n`);
  const text = body === undefined ? '' : JSON.stringify(body);
  const { status } = await cluster.handle({ method, path, query: new URLSearchParams(), headers: {}, body: text });
  writeSync(1, `done ${JSON.stringify(operation)} ${status}\n`);
  return status;
}

const names: string[] = JSON.parse(known);
let next = 0;
for (;;) {
  const name = names[below(Math.max(1, names.length))];
  const choice = below(10);
  if (name === undefined || (choice === 0 && names.length < 4)) {
    const made = `s${seedText}n${next++}`;
    const definition = aDefinition({ names: { plural: made, kind: made.toUpperCase() } }, { name: `${made}.example.com` });
    if ((await ask(['define', made], 'POST', definitions, definition)) === 201) names.push(made);
  } else if (choice === 1) {
    if ((await ask(['undefine', name], 'DELETE', definitionPath(name))) === 200) names.splice(names.indexOf(name), 1);
  } else if (choice === 2) {
    const object = `o${below(6)}`;
    await ask(['delete', name, object], 'DELETE', `${objectsPath(name)}/${object}`);
  } else {
    const object = `o${below(6)}`;
    const body = { apiVersion: 'example.com/v1', kind: name.toUpperCase(), metadata: { name: object }, spec: { color: 'red' } };
    await ask(['create', name, object], 'POST', objectsPath(name), body);
  }
}
