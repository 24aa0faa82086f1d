// Odd objects on an API server, then a Farloop that finds them there, with what it knew and without.
import { join } from 'node:path';
import { seededRandom } from '../../lib/adapters/embedded/seeded-chance.ts';
import { TerminalError, UnknownOutcomeError } from '../../lib/ports/errors.ts';
import { startSimulatedNode } from '../../lib/simulated-node/simulated-node.ts';
import { check } from '../claims.ts';
import { startControlPlane } from '../cluster/control-plane.ts';
import { openNodeClient } from '../node-client.ts';
import { Instance } from './instance.ts';
import { oddObjects, type OddObject } from './odd-objects.ts';
import { judgeRounds, OrdinaryJobs } from './ordinary-jobs.ts';

/** After so many odd objects ordinary Jobs are looked at. */
const ODD_PER_ROUND = 4;

/** Everything that is listed can be told of. */
async function showAll(farloop: Instance, where: string): Promise<void> {
  const unreadable = (await farloop.ask('workloads', {})).filter(({ state }) => state === 'Unreadable').map(({ name }) => name);
  check(unreadable.length === 0, `${where}: cannot be shown: ${unreadable.join(', ')}`);
}

/** @returns why the API server refused it, if it did */
async function put({ access, soon }: Instance, { what, resource, object, status }: OddObject): Promise<string | undefined> {
  try {
    const { metadata } = (await access.create(resource, object, soon())).object;
    const { name = '', uid = '' } = metadata;
    if (status)
      await access.patch(resource, { namespace: 'default', name, uid, subresource: 'status' }, { type: 'merge', body: { status } }, soon());
    return undefined;
  } catch (error) {
    // Also with an answer that repeats the object, and is longer than anybody reads.
    if (!(error instanceof TerminalError || error instanceof UnknownOutcomeError)) throw error;
    return `${what}: ${error.message.slice(0, 160)}`;
  }
}

export async function besideObjects(
  where: string,
  { folder, seed, kubeconfig }: { folder: string; seed: number; kubeconfig?: string },
): Promise<void> {
  const state = join(folder, `${where}-state`);
  let farloop = await Instance.start({ state, kubeconfig });
  try {
    const { ordinary, usualMs } = await OrdinaryJobs.measured(farloop, 'before');
    const rounds: number[][] = [];
    const refused: string[] = [];
    const odd = oddObjects(seededRandom(seed));
    for (let at = 0; at < odd.length; at += ODD_PER_ROUND) {
      const running = ordinary.round();
      running.catch(() => {});
      for (const each of odd.slice(at, at + ODD_PER_ROUND)) {
        const fault = await put(farloop, each);
        if (fault !== undefined) refused.push(fault);
      }
      rounds.push(await running);
    }
    rounds.push(await ordinary.round());
    for (const fault of refused) console.log(`hostile: ${where}: refused ${fault}`);
    check(refused.length * 4 <= odd.length, `${where}: ${refused.length} of ${odd.length} odd objects were refused, so little was tried`);
    const some = `${where}, ${odd.length - refused.length} odd objects`;
    judgeRounds(some, usualMs, rounds);
    farloop.judgeMemory(some);
    await showAll(farloop, where);
    await farloop.stop();
    if (kubeconfig === undefined) return;
    for (const [again, name] of [
      [state, 'restarted'],
      [join(folder, `${where}-anew`), 'begun anew'],
    ] as const) {
      farloop = await Instance.start({ state: again, kubeconfig });
      const after = await OrdinaryJobs.warmedUp(farloop, name.replace(' ', '-'));
      judgeRounds(`${where}, ${name}`, usualMs, [await after.round()]);
      farloop.judgeMemory(`${where}, ${name}`);
      await showAll(farloop, where);
      await farloop.stop();
    }
  } finally {
    farloop.kill();
  }
}

export async function besideObjectsOnRealServer(folder: string, seed: number): Promise<void> {
  const endings: (() => Promise<void> | void)[] = [];
  try {
    const plane = await startControlPlane();
    endings.push(async () => await plane.stop());
    const client = openNodeClient(plane);
    const node = startSimulatedNode({ client });
    endings.push(async () => {
      await node.stop();
      client.close();
    });
    await node.ready;
    await besideObjects('real', { folder, seed, kubeconfig: plane.kubeconfigPath });
  } finally {
    for (const end of endings.toReversed()) await end();
  }
}
