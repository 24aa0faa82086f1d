// What differs between upstream's answer and a plan, named by class.
import { INDEX, isTrue, planSide, same, sorted, stable, statusOf, upstreamSide } from './sides.mjs';

/** Differences on purpose, with their reasons: the comparison lets them pass. */
export const ON_PURPOSE = [
  'names of pods: computed, so that repeating a create collides; the pattern and the index in them are compared',
  'labels and annotations farloop.dev/…: the number that a computed name stands for',
  'how many status writes, and what only an intermediate one said: the write that ends a Job counts directly',
  'strips of orphans and of finished Jobs’ pods: upstream has a second queue for them',
  'the deletion of a pod that runs although its Job has finished, by a create that came through late: upstream lets it run',
  'the deletion of a finished Job whose time to live is over: upstream has another controller for it',
  'an earlier look after creating pods: other indexes still wait out their backoff',
  'cases in which an API server refuses upstream’s own status: ours is asked to be one that it takes',
];

function listDifference(upstream, plan) {
  const rest = [...plan];
  const missing = upstream.filter((x) => {
    const at = rest.findIndex((y) => y === x);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
  return missing.length || rest.length ? { onlyUpstream: missing, onlyPlan: rest } : undefined;
}

function firstPath(a, b, path = '') {
  if (same(a, b)) return undefined;
  if (a && b && typeof a === 'object' && typeof b === 'object' && Array.isArray(a) === Array.isArray(b)) {
    for (const key of sorted([...Object.keys(a), ...Object.keys(b)])) {
      const found = firstPath(a[key], b[key], `${path}.${key}`);
      if (found) return found;
    }
  }
  return { path: path.replace(/\.\d+/g, '[]'), upstream: a, plan: b };
}

const ix = (pod) => pod.metadata?.annotations?.[INDEX] ?? '';

// By index, pods without one by their text; each with its place.
const order = (pods) =>
  pods
    .map((pod, i) => [ix(pod), stable(pod), i])
    .toSorted((x, y) => x[0] - y[0] || (x[0] < y[0] ? -1 : x[0] > y[0] ? 1 : 0) || (x[1] < y[1] ? -1 : 1));

function compareCreates(u, p, testCase, add) {
  if (u.creates.length !== p.creates.length) {
    add('creates.count', {
      upstream: u.creates.length,
      plan: p.creates.length,
      upstreamIndexes: u.creates.map(ix),
      planIndexes: p.creates.map(ix),
    });
    return;
  }
  const a = order(u.creates);
  const b = order(p.creates);
  const indexes = listDifference(
    a.map((x) => x[0]),
    b.map((x) => x[0]),
  );
  if (indexes) {
    add('creates.indexes', indexes);
    return;
  }
  const taken = new Set(testCase.objects.filter((o) => o.kind === 'Pod').map((o) => o.metadata.name));
  a.forEach(([, , i], at) => {
    const j = b[at][2];
    const difference = firstPath(u.creates[i], p.creates[j]);
    if (difference) add(`creates.manifest${difference.path}`, difference);
    const name = p.names[j];
    const prefix = u.prefixes[i];
    const good =
      typeof name === 'string' &&
      name.length <= 63 &&
      /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name) &&
      (prefix.length <= 50
        ? name.startsWith(prefix) && name.length >= prefix.length + 4
        : name.startsWith(prefix.slice(0, 40)) && (!ix(u.creates[i]) || name.includes(`-${ix(u.creates[i])}-`)));
    if (!good) add('creates.name', { name, expected: `${prefix}…` });
    if (taken.has(name)) add('creates.name', { name, problem: 'already taken' });
    taken.add(name);
  });
}

// Pods that differ in nothing but name, uid and version may stand for each other.
function twinsOf(testCase) {
  const kinds = new Map();
  for (const o of testCase.objects) {
    if (o.kind !== 'Pod') continue;
    const { name, uid: _uid, resourceVersion: _version, ...metadata } = o.metadata;
    const key = stable({ ...o, metadata });
    kinds.set(key, [...(kinds.get(key) ?? []), name]);
  }
  const twins = new Map();
  for (const names of kinds.values()) for (const name of names) if (names.length > 1) twins.set(name, `one of ${names.join(', ')}`);
  return (names) => names.map((name) => twins.get(name) ?? name);
}

/** Without the deletes of pods that run although their Job had finished, which upstream lets run. */
function asOfFinished(testCase, plan) {
  if (!isTrue(testCase.objects.find((o) => o.kind === 'Job').status, 'Complete', 'Failed')) return plan;
  return { ...plan, deletes: [], events: plan.events.filter((event) => event !== 'Normal SuccessfulDelete') };
}

function differences(testCase, u, plan) {
  const p = asOfFinished(testCase, plan);
  const twins = twinsOf(testCase);
  const found = [];
  const add = (name, detail) => found.push([name, detail]);
  if (u.failed || p.failed) {
    if (u.failed !== p.failed) add('error', { upstream: u.failed, plan: p.failed });
    return found;
  }
  for (const problem of p.problems) add(...problem);
  const managedBy = testCase.objects.find((o) => o.kind === 'Job').spec.managedBy ?? 'kubernetes.io/job-controller';
  if ((p.outcome === 'notOurs') !== (managedBy !== 'kubernetes.io/job-controller')) add('outcome', { managedBy, plan: p.outcome ?? null });
  compareCreates(u, p, testCase, add);
  for (const field of ['deletes', 'adopts', 'releases', 'events']) {
    const difference = field === 'events' ? listDifference(u.events, p.events) : listDifference(twins(u[field]), twins(p[field]));
    if (difference) add(field, difference);
  }
  // upstream strips orphans and pods of finished jobs from a second queue; the plan may do it here or elsewhere
  const strips = listDifference(
    twins(u.strips),
    twins(p.strips.filter((name) => u.strips.includes(name) || u.adopts.includes(name) || !u.orphanStrips.has(name))),
  );
  if (strips) add('strips', strips);
  const a = statusOf(u.status);
  const b = statusOf(p.status);
  for (const field of Object.keys(a)) {
    if (!same(a[field], b[field])) {
      const difference = Array.isArray(a[field]) ? listDifference(a[field], b[field]) : { upstream: a[field], plan: b[field] };
      add(`status.${field}`, difference);
    }
  }
  if (!u.statusWrites && p.statusWrites) add('status.needlessWrite', { plan: p.statusWrites });
  if (!isTrue(u.status, 'Complete', 'Failed', 'SuccessCriteriaMet', 'FailureTarget')) {
    const late = u.requeue !== null && (p.requeue === null || p.requeue > u.requeue + 1);
    // an earlier look is fine after creating pods (their events would cause one anyway) and while an outcome is unknown (R4)
    const unknown = Object.values(testCase.objects.find((o) => o.kind === 'Head')?.expectations ?? {}).flat().length > 0;
    const early = p.requeue !== null && (u.requeue === null || p.requeue < u.requeue - 1) && !u.creates.length && !unknown;
    if (late || early) add(late ? 'requeue.late' : 'requeue.early', { upstream: u.requeue, plan: p.requeue });
  }
  return found;
}

// The best match among the answers upstream may give (its own list order is random).
export function compareCase(testCase, answer, plan) {
  if (!plan) return [['plan.missing', 'no answer line with this id']];
  if (plan.error !== undefined && answer.error === null) return [['plan.error', plan.error]];
  let best;
  let side;
  try {
    side = planSide(testCase, plan);
  } catch (error) {
    return [['plan.unreadable', String(error?.stack ?? error)]];
  }
  for (const alternative of [answer, ...(answer.alternatives ?? [])]) {
    const found = differences(testCase, upstreamSide(alternative), side);
    if (!best || found.length < best.length) best = found;
    if (!best.length) break;
  }
  return best;
}
