// Upstream's own answers as plans, and mistakes made in them on purpose: what the comparison must find.
import { clone, controls, counted, FINALIZER, INDEX, isTrue, tracked } from './sides.mjs';

export function toPlan(testCase, answer) {
  const job = testCase.objects.find((o) => o.kind === 'Job');
  const pods = new Map(testCase.objects.filter((o) => o.kind === 'Pod').map((p) => [p.metadata.name, p]));
  const at = (name) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    namespace: pods.get(name).metadata.namespace,
    name,
    uid: pods.get(name).metadata.uid,
  });
  const actions = [];
  for (const name of answer.adopts)
    actions.push({
      verb: 'patch',
      ...at(name),
      type: 'strategic',
      patch: {
        metadata: {
          uid: pods.get(name).metadata.uid,
          finalizers: [FINALIZER],
          ownerReferences: [
            {
              apiVersion: 'batch/v1',
              kind: 'Job',
              name: job.metadata.name,
              uid: job.metadata.uid,
              controller: true,
              blockOwnerDeletion: true,
            },
          ],
        },
      },
    });
  for (const name of answer.releases)
    actions.push({
      verb: 'patch',
      ...at(name),
      type: 'strategic',
      patch: {
        metadata: { '$deleteFromPrimitiveList/finalizers': [FINALIZER], ownerReferences: [{ $patch: 'delete', uid: job.metadata.uid }] },
      },
    });
  answer.creates.forEach(({ pod }, i) => {
    const object = clone(pod);
    object.metadata.name = `${pod.metadata.generateName.slice(0, 50)}${pod.metadata.generateName.length > 50 ? `-${object.metadata.annotations?.[INDEX] ?? 'n'}-` : ''}zz${i}xx`;
    object.metadata.annotations = { ...object.metadata.annotations, 'farloop.dev/attempt': '1' };
    delete object.metadata.generateName;
    actions.push({ verb: 'create', object });
  });
  for (const name of answer.deletes) actions.push({ verb: 'delete', ...at(name) });
  if (answer.statusUpdates) actions.push({ verb: 'status', status: clone(answer.status) });
  answer.strips.forEach((name, i) => {
    const finalizers = pods.get(name).metadata.finalizers ?? [];
    const rest = finalizers.filter((f) => f !== FINALIZER);
    const where = finalizers.indexOf(FINALIZER);
    const adopted = answer.adopts.includes(name); // the finalizer came in this pass
    const form = adopted ? 0 : i % 3;
    actions.push({
      verb: 'patch',
      ...at(name),
      type: ['strategic', 'merge', 'json'][form],
      patch: [
        { metadata: { '$deleteFromPrimitiveList/finalizers': [FINALIZER] } },
        { metadata: { finalizers: rest.length ? rest : null } },
        [
          { op: 'test', path: `/metadata/finalizers/${where}`, value: FINALIZER },
          { op: 'remove', path: `/metadata/finalizers/${where}` },
        ],
      ][form],
    });
  });
  for (const e of answer.events) actions.push({ verb: 'event', ...e });
  return {
    id: answer.id,
    actions,
    status: clone(answer.status),
    requeueAfterSeconds: answer.requeueAfterSeconds,
    outcome: /^(kubernetes.io.job-controller)?$/.test(job.spec.managedBy ?? '') ? 'acted' : 'notOurs',
  };
}

const actionsOf = (plan, verb) => plan.actions.filter((a) => a.verb === verb);
const without = (plan, action) => (plan.actions = plan.actions.filter((a) => a !== action));
const writeStatus = (plan, change) => {
  change(plan.status);
  const last = actionsOf(plan, 'status').pop();
  if (last) last.status = clone(plan.status);
  return Boolean(last);
};
const stripsOf = (plan) =>
  plan.actions.filter(
    (a) => a.verb === 'patch' && /finalizers/.test(JSON.stringify(a.patch)) && !/ownerReferences/.test(JSON.stringify(a.patch)),
  );

// Each returns false where the case does not offer what it needs.
export const MUTATIONS = {
  'a create is missing': (p) => actionsOf(p, 'create').length > 0 && (without(p, actionsOf(p, 'create')[0]), true),
  'a create too many': (p) => actionsOf(p, 'create').length > 0 && p.actions.push(clone(actionsOf(p, 'create')[0])) > 0,
  'a created pod has another index': (p) => {
    const c = actionsOf(p, 'create').find((a) => a.object.metadata.annotations?.[INDEX]);
    return c ? ((c.object.metadata.annotations[INDEX] = '77'), true) : false;
  },
  'a created pod lacks the finalizer': (p) =>
    actionsOf(p, 'create').length > 0 && ((actionsOf(p, 'create')[0].object.metadata.finalizers = []), true),
  'a created pod lacks the owner': (p) =>
    actionsOf(p, 'create').length > 0 && delete actionsOf(p, 'create')[0].object.metadata.ownerReferences,
  'a created pod has another hostname': (p) =>
    actionsOf(p, 'create').length > 0 && ((actionsOf(p, 'create')[0].object.spec.hostname = 'else'), true),
  'a created pod lacks an env variable': (p) => {
    const c = actionsOf(p, 'create').find((a) => a.object.spec.containers[0].env);
    return c ? c.object.spec.containers[0].env.pop() !== undefined : false;
  },
  'a wrong failure count annotation': (p) => {
    const key = 'batch.kubernetes.io/job-index-failure-count';
    const c = actionsOf(p, 'create').find((a) => a.object.metadata.annotations?.[key]);
    return c ? ((c.object.metadata.annotations[key] = '9'), true) : false;
  },
  'a created pod without a name': (p) => actionsOf(p, 'create').length > 0 && delete actionsOf(p, 'create')[0].object.metadata.name,
  'a delete is missing': (p) => actionsOf(p, 'delete').length > 0 && (without(p, actionsOf(p, 'delete')[0]), true),
  'another pod is deleted': (p, t) => {
    const d = actionsOf(p, 'delete');
    const other = t.objects.find((o) => o.kind === 'Pod' && !d.some((a) => a.name === o.metadata.name));
    if (!d.length || !other) return false;
    Object.assign(d[0], { name: other.metadata.name, uid: other.metadata.uid });
    return true;
  },
  'a delete with another uid': (p) => actionsOf(p, 'delete').length > 0 && ((actionsOf(p, 'delete')[0].uid = 'x'), true),
  'a strip is missing': (p) => stripsOf(p).length > 0 && (without(p, stripsOf(p)[0]), true),
  'a running pod is stripped': (p, t) => {
    const pod = t.objects.find(
      (o) =>
        o.kind === 'Pod' &&
        o.status.phase === 'Running' &&
        tracked(o) &&
        controls(t.objects[0], o) &&
        !p.actions.some((a) => a.verb === 'patch' && a.name === o.metadata.name),
    );
    if (!pod || isTrue(t.objects[0].status, 'Complete', 'Failed')) return false;
    const { namespace, name, uid } = pod.metadata;
    return (
      p.actions.push({
        verb: 'patch',
        apiVersion: 'v1',
        kind: 'Pod',
        namespace,
        name,
        uid,
        type: 'merge',
        patch: { metadata: { finalizers: (pod.metadata.finalizers ?? []).filter((f) => f !== FINALIZER) } },
      }) > 0
    );
  },
  'counted after the strip': (p, t) => {
    const s = actionsOf(p, 'status')[0];
    if (
      !s ||
      !stripsOf(p).some((x) => !actionsOf(p, 'delete').some((d) => d.name === x.name)) ||
      counted(s.status) <= counted(t.objects[0].status)
    )
      return false;
    without(p, s);
    return p.actions.push(s) > 0;
  },
  'an adoption is missing': (p) => {
    const a = p.actions.find((x) => x.verb === 'patch' && x.patch.metadata?.ownerReferences?.[0]?.controller);
    return a && !stripsOf(p).some((s) => s.name === a.name) ? (without(p, a), true) : false;
  },
  'active is one more': (p) => writeStatus(p, (s) => (s.active = (s.active ?? 0) + 1)),
  'ready is unset instead of 0': (p) => p.status.ready === 0 && writeStatus(p, (s) => delete s.ready),
  'terminating differs': (p) => p.status.terminating !== undefined && writeStatus(p, (s) => s.terminating++),
  'failed is one less': (p) => p.status.failed > 0 && writeStatus(p, (s) => s.failed--),
  'succeeded is one more': (p) => writeStatus(p, (s) => (s.succeeded = (s.succeeded ?? 0) + 1)),
  'completed indexes written differently': (p) =>
    /-/.test(p.status.completedIndexes ?? '') && writeStatus(p, (s) => (s.completedIndexes = s.completedIndexes.replace('-', ','))),
  'failed indexes unset instead of empty': (p) => p.status.failedIndexes === '' && writeStatus(p, (s) => delete s.failedIndexes),
  'the start time is missing': (p) => Boolean(p.status.startTime) && writeStatus(p, (s) => delete s.startTime),
  'the completion time is a second off': (p) =>
    Boolean(p.status.completionTime) &&
    writeStatus(p, (s) => (s.completionTime = new Date(Date.parse(s.completionTime) + 1000).toISOString())),
  'a condition is missing': (p) => p.status.conditions?.length > 0 && writeStatus(p, (s) => s.conditions.pop()),
  'a condition has another reason': (p) => p.status.conditions?.length > 0 && writeStatus(p, (s) => (s.conditions[0].reason = 'Other')),
  'a condition has another message': (p) => p.status.conditions?.length > 0 && writeStatus(p, (s) => (s.conditions.at(-1).message += '.')),
  'something is left uncounted': (p) =>
    p.status.failed > 0 && writeStatus(p, (s) => (s.failed--, (s.uncountedTerminatedPods = { failed: ['some-uid'] }))),
  'an event is missing': (p) => actionsOf(p, 'event').length === 1 && (without(p, actionsOf(p, 'event')[0]), true),
  'an event of another type': (p) =>
    actionsOf(p, 'event').some((e) => e.type === 'Warning') &&
    ((actionsOf(p, 'event').find((e) => e.type === 'Warning').type = 'Normal'), true),
  'the requeue is missing': (p) =>
    p.requeueAfterSeconds !== null &&
    !isTrue(p.status, 'Complete', 'Failed', 'SuccessCriteriaMet', 'FailureTarget') &&
    ((p.requeueAfterSeconds = null), true),
  'the requeue is late': (p) =>
    p.requeueAfterSeconds !== null &&
    !isTrue(p.status, 'Complete', 'Failed', 'SuccessCriteriaMet', 'FailureTarget') &&
    ((p.requeueAfterSeconds += 2), true),
  'a needless status write': (p) => !actionsOf(p, 'status').length && p.actions.push({ verb: 'status', status: clone(p.status) }) > 0,
  'the status told is not the one written': (p) =>
    actionsOf(p, 'status').length > 0 && ((p.status.active = (p.status.active ?? 0) + 3), true),
  'a foreign Job is taken as ours': (p, t) =>
    Boolean(t.objects[0].spec.managedBy?.startsWith('example')) && ((p.outcome = 'converged'), true),
  'an action nobody asked for': (p) =>
    p.actions.push({ verb: 'delete', apiVersion: 'batch/v1', kind: 'Job', namespace: 'default', name: 'x', uid: 'y' }) > 0,
};
