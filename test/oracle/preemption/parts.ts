// Compares the parts of an admission with upstream's: what is said of each pod by itself, the choice of victims for random needs, and the
// failure handler, with victims that do not die.
//   parts.ts --oracle BIN [--seed N --seeds K --count M] [--show K]
// Exit 0: no differences; 1: differences; 2: could not compare.
import { isDeepStrictEqual } from 'node:util';
import { withPodFieldDefaults } from '../../../lib/admission/pod/pod-defaults.ts';
import { handleFailures } from '../../../lib/kinds/preemption/checks/failure-handler.ts';
import type { AdmissionFailure } from '../../../lib/kinds/preemption/checks/admission-failures.ts';
import { isCritical, isMirror, isNodeCritical, isPreemptable, isStatic } from '../../../lib/kinds/preemption/victims/critical-pods.ts';
import { effectiveRequestsOf, victimRequestsOf } from '../../../lib/objects/pods/pod-requests.ts';
import { chooseVictims, NoVictimsError } from '../../../lib/kinds/preemption/victims/victims.ts';
import type { Pod } from '../../../lib/objects/kubernetes.ts';
import { podQosClassOf } from '../../../lib/objects/pods/qos-class.ts';
import { hasEnded, randomAdmission, randomNeeds } from '../../kinds/preemption/random-admissions.ts';
import { filter } from '../filter.ts';
import { caseCommand, exitWith, type CaseOptions } from './comparing.ts';

interface Fact {
  uid: string;
  fitAmount: Record<string, number>;
  victimAmount: Record<string, number>;
  [field: string]: unknown;
}

interface Answer {
  id: string;
  facts?: Fact[];
  victims: { uid: string }[];
  remaining: { resource?: string; predicate?: string }[];
  error?: string;
  unusable?: string;
}

interface Asked {
  /** Each a line for the oracle. */
  questions: Record<'facts' | 'choice' | 'handler', object>;
  pods: Pod[];
  incoming: Pod;
  needs: { resource: string; quantity: bigint }[];
  failures: AdmissionFailure[];
}

const uidOf = ({ metadata }: Pod): string => metadata.uid ?? '';
/** Amounts of these cases are small enough. */
const numbered = (amounts: Iterable<[string, bigint]>): Record<string, number> =>
  Object.fromEntries([...amounts].map(([resource, amount]) => [resource, Number(amount)]));

function askedOf(seed: number, number: number): Asked {
  const admission = randomAdmission(seed, number);
  const incoming = withPodFieldDefaults(admission.incoming);
  const pods = admission.pods.map(withPodFieldDefaults);
  const needs = randomNeeds(seed, number, { ...admission, pods });
  const failures: AdmissionFailure[] = needs.map(({ resource, quantity }) => ({ resource, requested: quantity, used: 7n, capacity: 7n }));
  if (number % 7 === 0) failures.push({ predicate: 'NodePorts', message: 'taken' });
  const { namespace, name } = incoming.metadata;
  const asked = { workload: `Pod/${namespace}/${name}`, objects: [...admission.pods, admission.incoming] };
  const reasons = failures.map((failure) => ('resource' in failure ? { ...failure, ...numbered(amountsIn(failure)) } : failure));
  const questions = {
    facts: { id: `facts ${seed}/${number}`, ...asked, facts: true },
    choice: {
      id: `choice ${seed}/${number}`,
      ...asked,
      requirements: needs.map(({ resource, quantity }) => ({ resource, quantity: Number(quantity) })),
    },
    handler: { id: `handler ${seed}/${number}`, ...asked, reasons, killFails: pods.filter((_, at) => at % 2 === 0).map(uidOf) },
  };
  return { questions, pods, incoming, needs, failures };
}

const amountsIn = ({ requested, used, capacity }: Extract<AdmissionFailure, { resource: string }>): [string, bigint][] =>
  Object.entries({ requested, used, capacity });

function factOf(pod: Pod, incoming: Pod, { fitAmount, victimAmount }: Fact): Fact {
  // Upstream names resources that the pod has nothing of.
  const only = (theirs: Record<string, number>, ours: Record<string, number>): Record<string, number> => ({
    ...Object.fromEntries(Object.keys(theirs).map((resource) => [resource, 0])),
    ...ours,
  });
  const victim = numbered([...victimRequestsOf(pod)].filter(([resource]) => resource in victimAmount));
  return {
    uid: uidOf(pod),
    qosClass: podQosClassOf(pod),
    critical: isCritical(pod),
    nodeCritical: isNodeCritical(pod),
    static: isStatic(pod),
    mirror: isMirror(pod),
    preemptable: isPreemptable(incoming, pod),
    victimAmount: only(victimAmount, victim),
    fitAmount: only(fitAmount, numbered(effectiveRequestsOf(pod))),
  };
}

function chosen({ pods, incoming, needs }: Asked): unknown {
  try {
    return chooseVictims({
      preemptor: incoming,
      candidates: pods.filter((pod) => !hasEnded(pod)),
      requirements: needs,
      ordering: 'qos',
    }).map(uidOf);
  } catch (error) {
    if (error instanceof NoVictimsError) return error.message;
    throw error;
  }
}

/** What was asked to be compared, ours and theirs. */
function pairsOf(asked: Asked, { facts, choice, handler }: Record<keyof Asked['questions'], Answer>): [string, unknown, unknown][] {
  const theirFacts = facts.facts ?? [];
  const ourFacts = asked.pods.map((pod, at) => factOf(pod, asked.incoming, theirFacts[at] ?? { uid: '', fitAmount: {}, victimAmount: {} }));
  // The oracle sorts the pods for the handler.
  const { pods, incoming, failures } = asked;
  const handled = handleFailures({ incoming, failures, candidates: pods.filter((pod) => !hasEnded(pod)), ordering: 'qos' });
  const ours = 'error' in handled ? handled.error : [handled.remaining.map(nameOf), handled.victims.map(uidOf)];
  return [
    ['facts', ourFacts, theirFacts],
    ['choice', chosen(asked), choice.error ?? choice.victims.map(({ uid }) => uid)],
    ['handler', ours, handler.error ?? [handler.remaining.map(nameOf), handler.victims.map(({ uid }) => uid)]],
  ];
}

const nameOf = (failure: { resource?: string; predicate?: string }): string | undefined => failure.resource ?? failure.predicate;

const CHUNK_CASES = 1500;

async function compareChunk(oracle: string, chunk: readonly Asked[], show: number): Promise<number> {
  const lines = chunk.flatMap(({ questions }) => Object.values(questions).map((question) => JSON.stringify(question)));
  const { answers, code } = await filter<Answer>(oracle, [], false, lines);
  if (code !== 0) throw new Error(`the oracle ended with ${code}`);
  const answerTo = (question: object): Answer => {
    const { id } = question as { id: string };
    const answer = answers.get(id);
    if (answer === undefined || answer.unusable !== undefined)
      throw new Error(`the oracle cannot use ${id}: ${answer?.unusable ?? 'no answer'}`);
    return answer;
  };
  let different = 0;
  for (const asked of chunk) {
    const { facts, choice, handler } = asked.questions;
    const pairs = pairsOf(asked, { facts: answerTo(facts), choice: answerTo(choice), handler: answerTo(handler) });
    for (const [what, ours, theirs] of pairs) {
      if (isDeepStrictEqual(ours, theirs)) continue;
      different += 1;
      if (different > show) continue;
      console.log(`\n=== ${what}\n  upstream ${JSON.stringify(theirs)}\n  farloop  ${JSON.stringify(ours)}`);
      console.log(JSON.stringify(asked.questions[what as keyof Asked['questions']]));
    }
  }
  return different;
}

await exitWith(async () => {
  let different = 0;
  const { oracle, seed, seeds, count, show } = caseCommand('parts.ts', 2000).parse().opts<CaseOptions>();
  const numbers = Array.from({ length: seeds * count }, (_, at) => ({ seed: seed + Math.floor(at / count), number: at % count }));
  for (let at = 0; at < numbers.length; at += CHUNK_CASES) {
    const chunk = numbers.slice(at, at + CHUNK_CASES).map((one) => askedOf(one.seed, one.number));
    different += await compareChunk(oracle, chunk, Math.max(0, show - different));
  }
  console.log(`differences in parts: ${different} in ${numbers.length} cases`);
  return different === 0;
});
