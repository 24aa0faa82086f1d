// The simulator's API server serves what a story brings along, before and after it goes back to an older state.
import { expect, test } from '@jest/globals';
import { ensembles } from '../sandbox/ensemble-row.ts';
import { NAMESPACE, SimApiServer } from './api-server.ts';
import { Scheduler } from './scheduler.ts';

test('objects of a row of its own are in the backup, and are served again from it', async () => {
  const server = new SimApiServer('west', new Scheduler(1), () => {}, { rows: [ensembles()] });
  const all = `/apis/example.com/v1/namespaces/${NAMESPACE}/ensembles`;
  const type = { apiVersion: 'example.com/v1', kind: 'Ensemble' };
  const nameOf = async (name: string): Promise<number> => (await server.handle('GET', `${all}/${name}`)).status;
  await server.handle('POST', all, { body: { ...type, metadata: { name: 'a' }, spec: { players: 4 } } });
  const backup = server.snapshot();
  await server.handle('POST', all, { body: { ...type, metadata: { name: 'b' } } });
  expect([await nameOf('a'), await nameOf('b')]).toEqual([200, 200]);
  server.restore(backup);
  expect([await nameOf('a'), await nameOf('b')]).toEqual([200, 404]);
  server.close();
});
