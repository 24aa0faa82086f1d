// What our own code takes of a processor, by a sampling profile of a run on virtual time: the stand-ins for AWS and for API servers, which run
// in the same thread, are left out by their files. Sockets, TLS and the SDK's clients are not in it, for such a run has none.
import { Session } from 'node:inspector/promises';

interface Profile {
  nodes: { id: number; callFrame: { url: string; functionName: string }; children?: number[] }[];
  samples?: number[];
  timeDeltas?: number[];
}

const INTERVAL_US = 200;
const STANDS_IN = /\/(test|lib\/sandbox|lib\/adapters\/embedded|lib\/adapters\/(table-items|write-units))\b/;
const IS_OURS = /\/lib\//;

/** @returns milliseconds of a processor in which our own code was on top, or what it called of Node's */
export async function ownMillisecondsOf(work: () => Promise<unknown>): Promise<number> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: INTERVAL_US });
    const [beganAtMs, processor] = [performance.now(), process.cpuUsage()];
    await session.post('Profiler.start');
    await work();
    const { profile } = (await session.post('Profiler.stop')) as { profile: Profile };
    // Samples go by the clock on the wall; on a busy machine a part of that belongs to others.
    const { user, system } = process.cpuUsage(processor);
    const share = Math.min((user + system) / 1000 / (performance.now() - beganAtMs), 1);
    return ownMilliseconds(profile) * share;
  } finally {
    session.disconnect();
  }
}

function ownMilliseconds({ nodes, samples = [], timeDeltas = [] }: Profile): number {
  const parents = new Map<number, number>();
  for (const { id, children = [] } of nodes) for (const child of children) parents.set(child, id);
  const urls = new Map(nodes.map(({ id, callFrame }) => [id, callFrame.url]));
  const known = new Map<number, boolean>();
  // Whose it is tells the nearest file of this repository up the stack.
  const isOwn = (id: number): boolean => {
    const before = known.get(id);
    if (before !== undefined) return before;
    const url = urls.get(id) ?? '';
    const parent = parents.get(id);
    const own = STANDS_IN.test(url) ? false : IS_OURS.test(url) || (parent !== undefined && isOwn(parent));
    known.set(id, own);
    return own;
  };
  let microseconds = 0;
  for (const [at, id] of samples.entries()) if (isOwn(id)) microseconds += timeDeltas[at] ?? 0;
  return microseconds / 1000;
}
