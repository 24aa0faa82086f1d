// Both sides in one form: what upstream did and what the plan would do, ready to be compared.
export const FINALIZER = 'batch.kubernetes.io/job-tracking';
export const INDEX = 'batch.kubernetes.io/job-completion-index';

const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
export const stable = (value) =>
  JSON.stringify(value, (_, v) =>
    v && typeof v === 'object' && !Array.isArray(v) ? Object.fromEntries(Object.entries(v).toSorted(([a], [b]) => (a < b ? -1 : 1))) : v,
  );
export const same = (a, b) => stable(a) === stable(b);
const seconds = (time) => (time == null ? null : Math.floor(Date.parse(time) / 1000));
export const sorted = (list) => [...new Set(list)].toSorted(byText);
export const clone = (value) => structuredClone(value);

function conditionsOf(status) {
  return (status.conditions ?? []).map((c) => `${c.type}=${c.status} ${c.reason ?? ''}: ${c.message ?? ''}`).toSorted(byText);
}

export function statusOf(status) {
  const s = status ?? {};
  return {
    active: s.active ?? 0,
    ready: s.ready ?? null,
    terminating: s.terminating ?? null,
    succeeded: s.succeeded ?? 0,
    failed: s.failed ?? 0,
    completedIndexes: s.completedIndexes ?? '',
    failedIndexes: s.failedIndexes ?? null,
    startTime: seconds(s.startTime),
    completionTime: seconds(s.completionTime),
    conditions: conditionsOf(s),
    uncountedSucceeded: sorted(s.uncountedTerminatedPods?.succeeded ?? []),
    uncountedFailed: sorted(s.uncountedTerminatedPods?.failed ?? []),
  };
}

export const isTrue = (status, ...types) => (status?.conditions ?? []).some((c) => types.includes(c.type) && c.status === 'True');
export const counted = (status) =>
  (status?.succeeded ?? 0) +
  (status?.failed ?? 0) +
  (status?.uncountedTerminatedPods?.succeeded?.length ?? 0) +
  (status?.uncountedTerminatedPods?.failed?.length ?? 0);

// What of a created pod is compared: everything but its name, farloop's own annotations and labels, and empty leftovers.
function podOf(pod) {
  const p = clone(pod ?? {});
  const m = p.metadata ?? {};
  delete m.name;
  delete m.generateName;
  delete m.creationTimestamp;
  for (const kind of ['labels', 'annotations']) {
    for (const key of Object.keys(m[kind] ?? {})) if (key.startsWith('farloop.dev/')) delete m[kind][key];
    if (m[kind] && !Object.keys(m[kind]).length) delete m[kind];
  }
  for (const list of ['finalizers', 'ownerReferences']) if (m[list] && !m[list].length) delete m[list];
  if (m.finalizers) m.finalizers = m.finalizers.toSorted(byText);
  delete p.status;
  for (const c of [...(p.spec?.containers ?? []), ...(p.spec?.initContainers ?? [])])
    if (c.resources && !Object.keys(c.resources).length) delete c.resources;
  return p;
}

// --- patches: applied to the pod of the case, so that any patch type may be used -------------------------------------

function mergePatch(target, patch) {
  if (patch === null || typeof patch !== 'object' || Array.isArray(patch)) return patch;
  const out = target && typeof target === 'object' && !Array.isArray(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete out[key];
    else out[key] = mergePatch(out[key], value);
  }
  return out;
}

function strategicPatch(pod, patch) {
  const { metadata = {}, ...rest } = patch;
  const out = mergePatch(pod, rest);
  const m = { ...out.metadata };
  const { finalizers, ownerReferences, ...other } = metadata;
  const drop = other['$deleteFromPrimitiveList/finalizers'] ?? [];
  for (const key of Object.keys(other)) if (key.startsWith('$')) delete other[key];
  Object.assign(m, mergePatch(m, other));
  if (finalizers === null) delete m.finalizers;
  else m.finalizers = sorted([...(m.finalizers ?? []).filter((f) => !drop.includes(f)), ...(finalizers ?? [])]);
  if (ownerReferences === null) delete m.ownerReferences;
  else if (ownerReferences) {
    const replace = ownerReferences.some((o) => o.$patch === 'replace');
    const byUid = new Map(replace ? [] : (m.ownerReferences ?? []).map((o) => [o.uid, o]));
    for (const o of ownerReferences) {
      if (o.$patch === 'delete') byUid.delete(o.uid);
      else if (o.uid) byUid.set(o.uid, { ...byUid.get(o.uid), ...o });
    }
    m.ownerReferences = [...byUid.values()];
  }
  return { ...out, metadata: m };
}

function jsonPatch(pod, operations) {
  const out = clone(pod);
  for (const { op, path, value } of operations) {
    const keys = path
      .split('/')
      .slice(1)
      .map((k) => k.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = keys.pop();
    let at = out;
    for (const key of keys) if ((at = at?.[key]) === undefined) throw new Error(`json patch: no ${path}`);
    if (op === 'test') {
      if (!same(at[last], value)) throw new Error(`json patch: test of ${path} fails`);
    } else if (op === 'remove') {
      if (Array.isArray(at)) at.splice(Number(last), 1);
      else delete at[last];
    } else if (op === 'add' || op === 'replace') {
      if (Array.isArray(at) && op === 'add') at.splice(last === '-' ? at.length : Number(last), 0, clone(value));
      else at[last] = clone(value);
    } else throw new Error(`json patch: ${op} is not expected here`);
  }
  return out;
}

const applyPatch = (pod, { type, patch }) =>
  type === 'json' ? jsonPatch(pod, patch) : type === 'merge' ? mergePatch(pod, patch) : strategicPatch(pod, patch);

export const tracked = (pod) => (pod.metadata.finalizers ?? []).includes(FINALIZER);
export const controls = (job, pod) => (pod.metadata.ownerReferences ?? []).some((o) => o.controller && o.uid === job.metadata.uid);

const POD_EVENTS = new Set(['SuccessfulCreate', 'SuccessfulDelete']);

function eventsOf(events) {
  const perPod = events.filter((e) => POD_EVENTS.has(e.reason)).map((e) => `${e.type} ${e.reason}`);
  return [...sorted(perPod), ...events.filter((e) => !POD_EVENTS.has(e.reason)).map((e) => `${e.type} ${e.reason}: ${e.message}`)].toSorted(
    byText,
  );
}

export function upstreamSide(answer) {
  return {
    creates: answer.creates.map((c) => podOf(c.pod)),
    prefixes: answer.creates.map((c) => c.pod.metadata.generateName),
    deletes: sorted(answer.deletes),
    strips: sorted(answer.strips),
    orphanStrips: new Set(answer.orphanStrips),
    adopts: sorted(answer.adopts),
    releases: sorted(answer.releases),
    status: answer.status,
    statusWrites: answer.statusUpdates,
    events: eventsOf(answer.events),
    requeue: answer.requeueAfterSeconds,
    failed: answer.error !== null,
  };
}

/** Upstream's other controller deletes it by then. */
function hasExpired({ metadata, spec, status }, now) {
  const end = status?.conditions?.find((c) => (c.type === 'Complete' || c.type === 'Failed') && c.status === 'True');
  const expires = Date.parse(end?.lastTransitionTime) + spec.ttlSecondsAfterFinished * 1000;
  return metadata.deletionTimestamp === undefined && expires <= Date.parse(now);
}

export function planSide(testCase, plan) {
  const problems = [];
  const job = testCase.objects.find((o) => o.kind === 'Job');
  const pods = new Map(
    testCase.objects.filter((o) => o.kind === 'Pod').map((p) => [`${p.metadata.namespace}/${p.metadata.name}`, clone(p)]),
  );
  const side = { creates: [], names: [], deletes: [], strips: [], adopts: [], releases: [], events: [], statusWrites: 0, problems };
  let written = job.status ?? {};
  const atStrip = [];
  for (const action of plan.actions ?? []) {
    const key = `${action.namespace}/${action.name}`;
    const known = action.verb === 'delete' || (action.verb === 'patch' && action.kind === 'Pod') ? pods.get(key) : undefined;
    if (action.verb === 'create' && action.object?.kind === 'Pod' && action.object.apiVersion === 'v1') {
      side.creates.push(podOf(action.object));
      side.names.push(action.object.metadata?.name);
    } else if (action.verb === 'delete' && action.kind === 'Pod') {
      if (!known) problems.push(['deletes', `delete of a pod that does not exist: ${key}`]);
      else if (known.metadata.uid !== action.uid) problems.push(['deletes.uid', `delete of ${key} with uid ${action.uid}`]);
      side.deletes.push(action.name);
    } else if (action.verb === 'delete' && action.kind === 'Job') {
      if (!hasExpired(job, testCase.now) || action.uid !== job.metadata.uid)
        problems.push(['actions', `${action.name} is deleted too early`]);
    } else if (action.verb === 'patch' && action.kind === 'Pod') {
      if (!known) {
        problems.push(['patches', `patch of a pod that does not exist: ${key}`]);
        continue;
      }
      if (known.metadata.uid !== action.uid) problems.push(['patches.uid', `patch of ${key} with uid ${action.uid}`]);
      let patched;
      try {
        patched = applyPatch(known, action);
      } catch (error) {
        problems.push(['patches', `${key}: ${error.message}`]);
        continue;
      }
      const kept = (p) => (p.metadata.finalizers ?? []).filter((f) => f !== FINALIZER).toSorted(byText);
      if (!same(kept(known), kept(patched))) problems.push(['patches', `${key}: a foreign finalizer changes`]);
      if (!same([known.spec, known.metadata.labels], [patched.spec, patched.metadata.labels]))
        problems.push(['patches', `${key}: more than ownership and finalizers changes`]);
      const was = controls(job, known);
      const is = controls(job, patched);
      if (!was && is) side.adopts.push(action.name);
      if (!was && is && !tracked(patched)) problems.push(['adopts', `${key} is adopted without the finalizer`]);
      if (was && !is) side.releases.push(action.name);
      if (was && !is && tracked(patched)) problems.push(['releases', `${key} is released with the finalizer`]);
      if (was === is && tracked(known) && !tracked(patched)) {
        side.strips.push(action.name);
        atStrip.push([action.name, counted(written)]);
      }
      pods.set(key, patched);
    } else if (action.verb === 'status') {
      side.statusWrites++;
      written = action.status ?? {};
    } else if (action.verb === 'event') {
      side.events.push(action);
    } else problems.push(['actions', `unexpected: ${action.verb} ${action.kind ?? action.object?.kind ?? ''}`]);
  }
  for (const [name, then] of atStrip) {
    if (!side.deletes.includes(name) && then < counted(written)) {
      problems.push([
        'order.countAfterStrip',
        `${name} loses its finalizer while ${counted(written) - then} pods are not in the status yet`,
      ]);
      break;
    }
  }
  if (!same(statusOf(written), statusOf(plan.status)))
    problems.push(['plan.inconsistent', '"status" is not what the last status action wrote (or, without one, the present status)']);
  return {
    ...side,
    deletes: sorted(side.deletes),
    strips: sorted(side.strips),
    adopts: sorted(side.adopts),
    releases: sorted(side.releases),
    events: eventsOf(side.events),
    status: plan.status ?? {},
    requeue: plan.requeueAfterSeconds ?? null,
    outcome: plan.outcome,
    failed: plan.error !== undefined || plan.outcome === 'parked',
  };
}
