// Plays random stories of a node through passes in the simulator, and holds how they end against upstream's admission, asked for one pod after
// the other: what runs, what was rejected and in which words, who was evicted.
//   stories.ts --oracle BIN [--seed N --seeds K --count M] [--show K]      a story for each of 16 cases
// Exit 0: no differences; 1: differences; 2: could not compare.
import { isDeepStrictEqual } from 'node:util';
import type { Pod } from '../../../lib/objects/kubernetes.ts';
import { nodeStory, playNodeStory, type Played } from '../../simulation/kinds/virtual-node/random-node.ts';
import { filter } from '../filter.ts';
import { caseCommand, exitWith, type CaseOptions } from './comparing.ts';
import type { Upstream } from './sides.ts';

/** As an API server shows it; undefined: it is gone. */
type End = { phase: string; reason?: string; message?: string } | undefined;

const CASES_OF_A_STORY = 16;
const NOW = '2026-02-01T00:00:00Z';

/** What upstream keeps, pod by pod. */
interface Judged {
  played: Played;
  /** In the order of their admission. */
  kept: string[];
  ends: Map<string, End>;
}

const uidOf = ({ metadata }: Pod): string => metadata.uid ?? '';

/** Of one step, in the order in which a node takes them: those of the same second by uid. */
const arrivalsOf = ({ arrivals, stored }: Played, step: number): string[] =>
  arrivals
    .filter((arrival) => arrival.step === step)
    .map(({ name }) => name)
    .toSorted((one, other) => (uidOf(stored.get(one) as Pod) < uidOf(stored.get(other) as Pod) ? -1 : 1));

const leave = (judged: Judged, name: string, end: End): void => {
  judged.kept = judged.kept.filter((each) => each !== name);
  judged.ends.set(name, end);
};

function questionOf({ played, kept }: Judged, name: string): string {
  const { node, seed, stored } = played;
  const incoming = stored.get(name) as Pod;
  const running = kept.map((each) => ({ ...stored.get(each), status: { phase: 'Running' } }));
  const pods = [...running, incoming].map((pod) => ({ ...pod, apiVersion: 'v1', kind: 'Pod' }));
  return JSON.stringify({
    id: `${seed}/${name}`,
    now: NOW,
    workload: `Pod/${incoming.metadata.namespace}/${name}`,
    objects: [{ ...node, apiVersion: 'v1', kind: 'Node' }, ...pods],
  });
}

function hear(judged: Judged, name: string, { state, reason = '', message = '', victims }: Upstream): void {
  if (state === 'rejected') {
    judged.ends.set(name, { phase: 'Failed', reason, message: `Pod was rejected: ${message}` });
    return;
  }
  for (const victim of victims)
    leave(judged, victim.name, { phase: victim.status.phase, reason: victim.status.reason, message: victim.status.message });
  judged.kept.push(name);
  judged.ends.set(name, { phase: 'Running' });
}

/** What ends by itself or is deleted between two arrivals. */
function passStep(judged: Judged, step: number): void {
  const { arrivals, deleted } = judged.played;
  for (const { name, endsIn } of arrivals) if (endsIn === step && judged.kept.includes(name)) leave(judged, name, { phase: 'Succeeded' });
  const name = deleted.get(step);
  if (name !== undefined) leave(judged, name, undefined);
}

async function judge(oracle: string, all: readonly Played[]): Promise<Judged[]> {
  const judged = all.map((played): Judged => ({ played, kept: [], ends: new Map() }));
  const steps = Math.max(...all.map((played) => played.steps));
  for (let step = 0; step < steps; step++) {
    const arriving = judged.map(({ played }) => arrivalsOf(played, step));
    // Upstream admits one pod at a time.
    for (let turn = 0; turn < Math.max(...arriving.map(({ length }) => length)); turn++) {
      const asked = judged.flatMap((each, at) => {
        const name = arriving[at]?.[turn];
        return name === undefined ? [] : [{ judged: each, name, question: questionOf(each, name) }];
      });
      const { answers, code } = await filter<Upstream>(
        oracle,
        [],
        false,
        asked.map(({ question }) => question),
      );
      if (code !== 0) throw new Error(`the oracle ended with ${code}`);
      for (const { judged: each, name } of asked) {
        const id = `${each.played.seed}/${name}`;
        const answer = answers.get(id);
        if (!answer || answer.unusable !== undefined) throw new Error(`the oracle cannot use ${id}: ${answer?.unusable ?? 'no answer'}`);
        hear(each, name, answer);
      }
    }
    for (const each of judged) passStep(each, step);
  }
  return judged;
}

function endOf(pod: Pod | undefined): End {
  if (!pod) return undefined;
  const { phase = '', reason, message } = (pod.status ?? {}) as { phase?: string; reason?: string; message?: string };
  return { phase, ...(reason !== undefined && { reason }), ...(message !== undefined && { message }) };
}

/** Both ends of a pod where they differ. */
const differencesIn = ({ played, ends }: Judged): [string, End, End][] =>
  [...ends]
    .map(([name, theirs]): [string, End, End] => [name, theirs, endOf(played.ended.get(name))])
    .filter(([, theirs, ours]) => !isDeepStrictEqual(theirs, ours));

async function areEqual(): Promise<boolean> {
  const { oracle, seed, seeds, count, show } = caseCommand('stories.ts', 5000).parse().opts<CaseOptions>();
  const stories = Math.max(1, Math.floor((seeds * count) / CASES_OF_A_STORY));
  const played: Played[] = [];
  for (let number = 0; number < stories; number++)
    played.push(await playNodeStory(nodeStory(seed + number), number % 4 === 3 ? 'relayed' : undefined));
  const judged = await judge(oracle, played);
  let different = 0;
  const counts = { Running: 0, Succeeded: 0, rejected: 0, evicted: 0, gone: 0 };
  for (const each of judged) {
    const differences = differencesIn(each);
    const { seed: number, violations } = each.played;
    for (const end of each.ends.values()) {
      if (!end) counts.gone += 1;
      else if (end.phase === 'Failed') counts[end.reason === 'Preempting' ? 'evicted' : 'rejected'] += 1;
      else counts[end.phase as 'Running' | 'Succeeded'] += 1;
    }
    if (differences.length === 0 && violations.length === 0) continue;
    different += 1;
    if (different > show) continue;
    console.log(`\n=== story ${number} (again: --seed ${number} --count ${CASES_OF_A_STORY})`);
    for (const { invariant, says } of violations) console.log(`  violated: ${invariant}: ${says}`);
    for (const [name, theirs, ours] of differences)
      console.log(`  ${name}\n    upstream ${JSON.stringify(theirs)}\n    farloop  ${JSON.stringify(ours)}`);
  }
  const told = Object.entries(counts).map(([end, pods]) => `${pods} ${end}`);
  console.log(`differences in stories: ${different} of ${stories}, whose pods end as ${told.join(', ')}`);
  // Of a few stories some show no eviction.
  const isTelling = stories < 50 || Object.values(counts).every((pods) => pods > 0);
  return different === 0 && isTelling;
}

await exitWith(areEqual);
