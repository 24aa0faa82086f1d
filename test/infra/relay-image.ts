// How the relay's image starts it, read from its Dockerfile: tests and benchmarks run it the same way.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RELAY_FOLDER } from './rendered-chart.ts';

export interface RelayImage {
  /** Options of node, before the program. */
  nodeOptions: string[];
  environment: Record<string, string>;
  user: { uid: number; gid: number };
}

/** @throws Error where the Dockerfile says it in a way that is not known here */
export function relayImage(): RelayImage {
  const text = readFileSync(join(RELAY_FOLDER, 'Dockerfile'), 'utf8');
  const stage = text.slice(text.lastIndexOf('\nFROM '));
  const entrypoint: string[] = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(stage)?.[1] ?? '[]');
  const [node, ...rest] = entrypoint;
  if (node !== 'node' || rest.pop() !== '/farloop/dist/main.mjs') throw new Error(`what does ENTRYPOINT ${entrypoint.join(' ')} start?`);
  const settings = [...stage.matchAll(/^ENV (.*)$/gm)].flatMap(([, line = '']) => line.split(' '));
  const [uid = NaN, gid = NaN] = (/^USER (.*)$/m.exec(stage)?.[1] ?? '').split(':').map(Number);
  if (!Number.isInteger(uid) || !Number.isInteger(gid)) throw new Error('the image names no user by numbers');
  const environment = Object.fromEntries(settings.map((setting) => [setting.split('=')[0] ?? '', setting.split('=')[1] ?? '']));
  return { nodeOptions: rest, environment, user: { uid, gid } };
}
