// Every order of what can happen on a node, from a first world on: each state that can be reached is met once.
import { isDeepStrictEqual } from 'node:util';
import type { NodeDecision, PodDecision } from '../../../lib/kinds/preemption/node/node-decision.ts';
import type { Pod } from '../../../lib/objects/kubernetes.ts';
import { parseQuantity } from '../../../lib/objects/values/quantity.ts';
import {
  arrive,
  at,
  decisionIn,
  loseTable,
  nodePass,
  podActs,
  podPass,
  podReads,
  remove,
  taskEnds,
  withoutPod,
  type NodePass,
  type World,
} from './node-world.ts';

export interface Play {
  first: World;
  /** All pods that are or will be, by uid. */
  templates: Readonly<Record<string, Pod>>;
  arriving: readonly string[];
  /** Uids of pods that a user may delete with grace, or by force. */
  removable?: readonly string[];
  forcible?: readonly string[];
  /** Uids of pods that may end by themselves. */
  finishing?: readonly string[];
  mayLoseTable?: boolean;
  mayDie?: boolean;
  /** Deadlines may pass, so often at most. */
  deadlines?: number;
  /** A pod's pass may be overtaken by a decision between its read and its act. */
  isSplit?: boolean;
}

interface Moment {
  world: World;
  arriving: readonly string[];
  removable: readonly string[];
  forcible: readonly string[];
  mayLoseTable: boolean;
  mayDie: boolean;
  deadlines: number;
}

interface Step {
  name: string;
  to: Moment;
}

export interface Outcome {
  states: number;
  steps: number;
  ends: number;
  /** Each broken invariant, with the steps that lead to it; the first few. */
  broken: string[];
}

const without = (list: readonly string[], uid: string): string[] => list.filter((other) => other !== uid);
const pairs = <T>(list: readonly T[], of: (item: T) => string): ReadonlyMap<string, T> => new Map(list.map((item) => [of(item), item]));

/** @param most states, so that a mistake in a play shows instead of running for long */
export function playAll(play: Play, most = 60_000): Outcome {
  const { templates, isSplit = false, finishing = [] } = play;
  const first: Moment = {
    world: play.first,
    arriving: play.arriving,
    removable: play.removable ?? [],
    forcible: play.forcible ?? [],
    mayLoseTable: play.mayLoseTable ?? false,
    mayDie: play.mayDie ?? false,
    deadlines: play.deadlines ?? 0,
  };
  const ways = new Map<string, { before: string; step: string }>([[keyOf(first), { before: '', step: 'first' }]]);
  const outcome: Outcome = { states: 1, steps: 0, ends: 0, broken: [] };
  const wayTo = (key: string): string[] => {
    const steps: string[] = [];
    for (let way = ways.get(key); way !== undefined && way.before !== ''; way = ways.get(way.before)) steps.unshift(way.step);
    return steps;
  };
  const waiting = [{ moment: first, key: keyOf(first) }];
  for (let current = waiting.pop(); current !== undefined; current = waiting.pop()) {
    const { moment, key } = current;
    const problems: string[] = [];
    const steps = stepsFrom(moment, key);
    const isEnd = steps.every(({ name }) => !mustHappen(name));
    outcome.ends += Number(isEnd);
    if (isEnd) problems.push(...problemsAtTheEnd(moment));
    for (const { name, to } of steps) {
      outcome.steps += 1;
      const next = keyOf(to);
      if (ways.has(next)) continue;
      ways.set(next, { before: key, step: name });
      outcome.states += 1;
      if (outcome.states > most) throw new Error(`more than ${most} states`);
      waiting.push({ moment: to, key: next });
      const found = overbookedIn(to.world, templates);
      if (found.length > 0 && outcome.broken.length < 3) outcome.broken.push(`${found.join('; ')} after ${wayTo(next).join(', ')}`);
    }
    if (problems.length > 0 && outcome.broken.length < 3) outcome.broken.push(`${problems.join('; ')} after ${wayTo(key).join(', ')}`);
  }
  return outcome;

  function stepsFrom(moment: Moment, key: string): Step[] {
    const { world } = moment;
    const steps: Step[] = [];
    const step = (name: string, next: World, changed: Partial<Moment> = {}): void => {
      steps.push({ name, to: { ...moment, world: withoutIdlePasses(next), ...changed } });
    };
    for (const uid of moment.arriving)
      step(`${uid} arrives`, arrive(world, templates[uid] as Pod), { arriving: without(moment.arriving, uid) });
    if (world.wakes.node) {
      const pass = nodePass(world, templates);
      const found = [...problemsOfPass(pass), ...needlessVictims(pass, templates)];
      if (found.length > 0 && outcome.broken.length < 3) outcome.broken.push(`${found.join('; ')} after ${wayTo(key).join(', ')}`);
      step('node passes', pass.world);
      if (moment.mayDie) step('node dies', nodePass(world, templates, true).world, { mayDie: false });
    }
    for (const uid of world.wakes.pods) {
      if (world.heads[uid]?.reading !== undefined) continue;
      const next = isSplit ? podReads(world, uid) : podPass(world, uid);
      step(`${uid} ${isSplit ? 'reads' : 'passes'}`, next);
    }
    for (const [uid, { reading }] of Object.entries(world.heads)) {
      if (reading === undefined) continue;
      const next = podActs(world, uid);
      step(`${uid} acts`, next);
    }
    for (const [uid, task] of Object.entries(world.tasks)) {
      if (task === 'stopping' || (task === 'running' && finishing.includes(uid)))
        step(`${uid} ${task === 'stopping' ? 'stops' : 'finishes'}`, taskEnds(world, uid));
    }
    for (const uid of moment.removable)
      if (world.pods[uid] !== undefined) step(`${uid} is deleted`, remove(world, uid), { removable: without(moment.removable, uid) });
    for (const uid of moment.forcible)
      if (world.pods[uid] !== undefined)
        step(`${uid} is deleted by force`, withoutPod(world, uid), { forcible: without(moment.forcible, uid) });
    const isReading = Object.values(world.heads).some(({ reading }) => reading !== undefined);
    // No sooner than R1 says, so no pass of before is acting any more.
    if (moment.mayLoseTable && !isReading) step('the table is lost', loseTable(world), { mayLoseTable: false });
    if (moment.deadlines > 0 && world.nextPass !== undefined) {
      const second = (Date.parse(world.nextPass) - Date.parse(at(0))) / 1000;
      const next: World = { ...world, second, nextPass: undefined, wakes: { ...world.wakes, node: true } };
      step('a deadline passes', next, { deadlines: moment.deadlines - 1 });
    }
    return steps;
  }
}

/** Passes that change nothing are over at once. A change of the decision later on must wake their pods anew. */
function withoutIdlePasses(world: World): World {
  let next = world;
  for (const uid of world.wakes.pods) {
    if (next.heads[uid]?.reading !== undefined) continue;
    const passed = podPass(next, uid);
    const isIdle = passed.tasks === next.tasks && passed.pods === next.pods && passed.heads[uid]?.end === next.heads[uid]?.end;
    if (isIdle && passed.wakes.node === next.wakes.node) next = { ...passed, heads: next.heads };
  }
  return next;
}

/** Users do as they like; the rest goes on until nothing is left to do. */
const mustHappen = (step: string): boolean => /passes|reads|acts|stops|arrives/.test(step) && step !== 'a deadline passes';

/** What can still happen depends on these. Of the numbers of changes only the order counts, and whether they were told. */
function keyOf({ world, ...rest }: Moment): string {
  const { second, node, nextPass, tasks, heads, wakes, late } = world;
  const { told = 0, pods: decisions = [], unreadableSince } = decisionIn(world) ?? {};
  const known = decisions.map((pod) => {
    const { sequence, changed = sequence, room: _, ...decision } = pod;
    return [decision, changed > told];
  });
  const pods = Object.entries(world.pods).map(
    ([uid, { metadata, status }]) => `${uid} ${metadata.deletionTimestamp} ${JSON.stringify(status)}`,
  );
  const state = [second, node === undefined, nextPass, sorted(tasks), sorted(heads), wakes, late, known, unreadableSince, pods.toSorted()];
  return JSON.stringify([...state, world.stored === undefined, rest]);
}

const sorted = (record: Readonly<Record<string, unknown>>): unknown[] => Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1));

/** Nobody waits, nobody is forgotten: what is admitted runs, what is rejected shows it. */
function problemsAtTheEnd({ world }: Moment): string[] {
  const problems: string[] = [];
  const decisions = pairs(decisionIn(world)?.pods ?? [], ({ uid }) => uid);
  for (const [uid, pod] of Object.entries(world.pods)) {
    const isFinal = pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded';
    if (isFinal) continue;
    const decision = decisions.get(uid);
    if (decision?.state !== 'admitted') problems.push(`${uid} is ${decision?.state ?? 'undecided'} for ever`);
    else if (world.tasks[uid] !== 'running') problems.push(`${uid} never runs`);
  }
  for (const { uid, hasEnded } of decisions.values())
    if (hasEnded !== true && world.tasks[uid] !== 'running') problems.push(`${uid} holds room for ever`);
  return problems;
}

/** Of what runs, without pods that outlived a deadline. */
function overbookedIn(world: World, templates: Play['templates']): string[] {
  const { tasks, late } = world;
  const runs = Object.keys(tasks).filter((uid) => tasks[uid] !== 'over' && !late.includes(uid));
  return lackingFor(runs, world, templates).map((resource) => `${runs.join(' ')} overbook ${resource}`);
}

/** The resources that the node has too little of for these pods. */
function lackingFor(uids: readonly string[], { node }: World, templates: Play['templates']): string[] {
  return Object.entries(node?.status?.allocatable ?? {}).flatMap(([resource, quantity]) => {
    let used = 0n;
    for (const uid of uids) {
      const request = resource === 'pods' ? '1' : templates[uid]?.spec.containers[0]?.resources?.requests?.[resource];
      used += request === undefined ? 0n : parseQuantity(request).nanos;
    }
    return used > parseQuantity(quantity).nanos ? [resource] : [];
  });
}

/** Decisions are final, victims are for ever, and the same pass again changes nothing. */
function problemsOfPass({ before, admission, again, world }: NodePass): string[] {
  const problems: string[] = [];
  const { decision } = admission;
  if (again.isChanged) problems.push('the same pass again decides otherwise');
  if (!isDeepStrictEqual(again.decision.pods, decision.pods)) problems.push('what was stored reads otherwise');
  const after = pairs(decision.pods, ({ uid }) => uid);
  for (const old of before.pods) problems.push(...changesOf(old, after.get(old.uid), world));
  return problems;
}

function changesOf(old: PodDecision, now: PodDecision | undefined, world: World): string[] {
  const { uid, state } = old;
  const problems: string[] = [];
  if (now === undefined) {
    if (state === 'admitted' && world.heads[uid]?.end === undefined && old.hasEnded !== true)
      problems.push(`${uid} lost its room before its end`);
    return problems;
  }
  const mayFollow = state === 'preempting' ? ['preempting', 'admitted', 'cancelled'] : [state];
  if (!mayFollow.includes(now.state)) problems.push(`${uid} went from ${state} to ${now.state}`);
  if (now.state === 'preempting' && !isDeepStrictEqual(old.preemption, now.preemption)) problems.push(`the victims of ${uid} changed`);
  const { isLate: _, ...eviction } = now.eviction ?? {};
  const { isLate: __, ...former } = old.eviction ?? {};
  if (old.eviction !== undefined && !isDeepStrictEqual(former, eviction)) problems.push(`${uid} is evicted twice`);
  return problems;
}

/** None was ending already, or is the victim of two pods; without any one of them something would be missing. */
function needlessVictims({ before, admission: { decision }, world }: NodePass, templates: Play['templates']): string[] {
  const problems: string[] = [];
  const old = pairs(before.pods, ({ uid }) => uid);
  const all = decision.pods.flatMap(({ preemption }) => preemption?.victims ?? []).map(({ uid }) => uid);
  if (new Set(all).size < all.length) problems.push('two pods have the same victim');
  for (const { uid, sequence, preemption } of decision.pods) {
    if (preemption === undefined || old.has(uid)) continue;
    const victims = preemption.victims.map((victim) => victim.uid);
    for (const victim of victims) if (isEnding(world.pods[victim], old.get(victim))) problems.push(`${victim} was ending already`);
    const earlier = decision.pods.filter((other) => other.sequence < sequence && other.hasEnded === undefined);
    // Also pods that a later one evicts in the same pass.
    const staying = earlier.filter((other) => other.state === 'preempting' || isVictimOfLater(other, decision, sequence));
    const others = earlier.filter((other) => other.state === 'admitted' && !isEnding(world.pods[other.uid], other));
    const stay = [...staying, ...others].map((other) => other.uid);
    for (const spared of victims)
      if (lackingFor([...stay, spared, uid], world, templates).length === 0) problems.push(`${spared} is evicted for nothing`);
  }
  return problems;
}

const isEnding = (pod: Pod | undefined, decision: PodDecision | undefined): boolean =>
  pod === undefined ||
  pod.metadata.deletionTimestamp !== undefined ||
  ['Failed', 'Succeeded'].includes(pod.status?.phase ?? '') ||
  decision?.eviction !== undefined ||
  decision?.hasEnded === true;

const isVictimOfLater = ({ eviction }: PodDecision, { pods }: NodeDecision, sequence: number): boolean =>
  pods.some(({ uid, sequence: later }) => uid === eviction?.by && later > sequence);
