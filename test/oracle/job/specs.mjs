// Random but valid specs of Jobs, with the defaults that an API server would have given them.
import { indexText, range } from './random.mjs';

const INDEX = 'batch.kubernetes.io/job-completion-index';
const FINALIZER = 'batch.kubernetes.io/job-tracking';
export const UNLIMITED = 2147483647;

export function makeSpec(r, name, uid) {
  const spec = {};
  const indexed = r.chance(50);
  const wide = indexed && r.chance(4);
  spec.parallelism = +r.weighted({ 0: 4, 1: 18, 2: 26, 3: 20, 4: 14, 5: 10, 6: 8 });
  if (indexed) spec.completions = wide ? r.pick([99, 1000, 100000]) : r.int(1, 8);
  else if (r.chance(75)) spec.completions = r.int(1, 8);
  if (r.chance(18)) spec.activeDeadlineSeconds = r.pick([1, 10, 30, 60, 100, 600, 3600, 7200, 7200]);
  const perIndex = indexed && r.chance(45);
  const policy = r.chance(30);
  spec.backoffLimit = perIndex && r.chance(70) ? UNLIMITED : +r.weighted({ 0: 7, 1: 9, 2: 10, 3: 14, 4: 14, 5: 14, 6: 32 });
  if (perIndex) {
    spec.backoffLimitPerIndex = r.int(0, 3);
    if (r.chance(60)) spec.maxFailedIndexes = r.pick([0, 0, r.int(0, Math.min(spec.completions, 4))]);
  }
  const containers = [{ name: 'main' }, ...(r.chance(25) ? [{ name: 'helper' }] : [])];
  const initContainers = r.chance(28) ? [{ name: 'setup' }, ...(r.chance(50) ? [{ name: 'sidecar', restartPolicy: 'Always' }] : [])] : [];
  if (policy) {
    const named = [...containers, ...initContainers.filter((c) => !c.restartPolicy)].map((c) => c.name);
    spec.podFailurePolicy = {
      rules: range(r.int(1, 3)).map(() => {
        const action = r.weighted({ FailJob: 48, Ignore: 40, Count: 20, ...(perIndex ? { FailIndex: 80 } : {}) });
        if (r.chance(50)) {
          const operator = r.pick(['In', 'NotIn']);
          const values = r.subset([...(operator === 'NotIn' ? [0] : []), 1, 2, 3, 42, 137, 143], 35);
          return {
            action,
            onExitCodes: {
              ...(r.chance(35) ? { containerName: r.pick(named) } : {}),
              operator,
              values: values.length ? values : [r.int(1, 3)],
            },
          };
        }
        const patterns = [{ type: 'DisruptionTarget', status: r.chance(85) ? 'True' : 'False' }];
        if (r.chance(45)) patterns.unshift({ type: 'ConfigIssue', status: r.pick(['True', 'True', 'Unknown']) });
        return { action, onPodConditions: patterns };
      }),
    };
  }
  if (indexed && r.chance(30)) {
    const completions = Math.min(spec.completions, 12);
    spec.successPolicy = {
      rules: range(r.pick([1, 2, 2, 3])).map((rule) => {
        const indexes = r.subset(range(completions), 40);
        const kind = indexes.length ? r.weighted({ indexes: 40, count: 35, both: 25 }) : 'count';
        const most = kind === 'both' ? indexes.length : completions;
        // The first rule is mostly the hardest to meet, or the others would hardly ever decide.
        const count = rule === 0 && r.chance(55) ? most : r.int(1, rule === 0 ? most : Math.min(most, 2));
        return {
          ...(kind === 'count' ? {} : { succeededIndexes: indexText(indexes) }),
          ...(kind === 'indexes' ? {} : { succeededCount: count }),
        };
      }),
    };
  }
  const manual = r.chance(6);
  const own = { 'batch.kubernetes.io/controller-uid': uid, 'batch.kubernetes.io/job-name': name, 'controller-uid': uid, 'job-name': name };
  const userLabels = r.chance(35) || manual ? { app: r.pick(['crunch', 'report']), ...(r.chance(30) ? { tier: 'batch' } : {}) } : {};
  if (manual) {
    spec.selector = r.chance(60)
      ? { matchLabels: { app: userLabels.app } }
      : {
          matchExpressions: [
            { key: 'app', operator: 'In', values: [userLabels.app, 'other'] },
            { key: 'skip', operator: 'DoesNotExist' },
          ],
        };
    spec.manualSelector = true;
  } else {
    spec.selector = { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } };
    spec.manualSelector = false;
  }
  const container = (c) => ({
    ...c,
    image: `registry.example/${c.name}:1`,
    ...(r.chance(30) ? { command: ['run', '--fast'] } : {}),
    ...(r.chance(30) ? { env: [{ name: 'A', value: 'b' }, ...(r.chance(35) ? [{ name: 'JOB_COMPLETION_INDEX', value: '7' }] : [])] } : {}),
    resources: r.chance(30) ? { limits: { cpu: '1', memory: '64Mi' }, requests: { cpu: '500m' } } : {},
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
  });
  const restartPolicy = policy || r.chance(60) ? 'Never' : 'OnFailure';
  spec.template = {
    metadata: {
      labels: manual ? userLabels : { ...userLabels, ...own },
      ...(r.chance(20) ? { annotations: { 'example.com/note': 'kept', ...(indexed && r.chance(20) ? { [INDEX]: '3' } : {}) } } : {}),
      ...(r.chance(6) ? { finalizers: [r.chance(70) ? 'example.com/hold' : FINALIZER] } : {}),
    },
    spec: {
      ...(r.chance(15) ? { volumes: [{ name: 'scratch', emptyDir: {} }] } : {}),
      ...(initContainers.length ? { initContainers: initContainers.map(container) } : {}),
      containers: containers.map(container),
      restartPolicy,
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      ...(r.chance(10) ? { nodeSelector: { pool: 'batch' } } : {}),
      ...(r.chance(10) ? { hostname: 'given', subdomain: 'svc' } : {}),
      securityContext: {},
      schedulerName: 'default-scheduler',
      ...(r.chance(10) ? { tolerations: [{ key: 'spot', operator: 'Exists' }] } : {}),
    },
  };
  if (r.chance(12)) spec.ttlSecondsAfterFinished = r.pick([0, 30, 3600]);
  spec.completionMode = indexed ? 'Indexed' : 'NonIndexed';
  spec.suspend = r.chance(10);
  spec.podReplacementPolicy = policy || r.chance(35) ? 'Failed' : 'TerminatingOrFailed';
  if (r.chance(3)) spec.managedBy = 'example.com/farm';
  else if (r.chance(4)) spec.managedBy = 'kubernetes.io/job-controller';
  return spec;
}
