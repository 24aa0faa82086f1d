// How people act on a training job of any framework.
import { fieldsOf, isFields } from '../../objects/values/untyped-fields.ts';
import { defineActions, type KindActions, type Scaling } from '../acting/kind-actions.ts';
import { countIn, usualCopyOf } from '../acting/usual-actions.ts';
import type { FrameworkNames } from './names/framework-names.ts';
import { nameInSlot } from './names/slots.ts';
import type { TrainingJob } from './terms/job-types.ts';

/** More pods that end are not named. */
const MOST_NAMED = 1_000;
const USUAL_TYPE = 'Worker';

export const trainingActions = (names: FrameworkNames): KindActions =>
  defineActions<TrainingJob>({
    suspension: {
      isSuspended: ({ spec }) => fieldsOf(spec.runPolicy)['suspend'] === true,
      patchOf: (suspend) => ({ spec: { runPolicy: { suspend } } }),
      running: ({ status }) => Object.values(fieldsOf(status?.replicaStatuses)).reduce<number>((sum, of) => sum + countIn(of, 'active'), 0),
      // A suspension forgets which replicas were done.
      started: (job) => Object.values(replicasIn(names, job)).reduce((sum, count) => sum + count, 0),
    },
    scalingOf: (job, asked) => scalingOf(names, job, asked),
    copyOf: usualCopyOf,
  });

function replicasIn({ replicasField }: FrameworkNames, { spec }: TrainingJob): Record<string, number> {
  const replicas = Object.entries(fieldsOf(spec[replicasField])).flatMap(([type, of]): [string, number][] => {
    const count = isFields(of) ? (of['replicas'] ?? 1) : 1;
    return typeof count === 'number' && count >= 0 ? [[type, count]] : [];
  });
  return Object.fromEntries(replicas);
}

function scalingOf(
  names: FrameworkNames,
  job: TrainingJob,
  { replicas: to, type: asked }: { replicas: number; type?: string | undefined },
): Scaling | string {
  const present = replicasIn(names, job);
  const types = Object.keys(present);
  const wanted = asked ?? (types.length === 1 ? types[0] : USUAL_TYPE);
  const type = types.find((each) => each.toLowerCase() === wanted?.toLowerCase());
  if (type === undefined) return `it has no replicas of the type ${wanted}: it has ${types.join(', ')}`;
  if (type === names.leader?.type || type === 'Master' || type === 'Chief')
    return `its ${type} is one pod, or none of it runs: scale another type`;
  const from = present[type] ?? 1;
  const isFewer = to < from && from - to <= MOST_NAMED;
  // The names as people use them for replicas.
  const ending = isFewer
    ? Array.from({ length: from - to }, (_, at) => nameInSlot(names, '', { type, index: to + at }).slice(1))
    : undefined;
  return {
    patch: { spec: { [names.replicasField]: { [type]: { replicas: to } } } },
    of: `${type.toLowerCase()}s`,
    from,
    to,
    ...(ending && { ending }),
  };
}
