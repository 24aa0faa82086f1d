// The facts of a Job in the view: all fields except the pod template. Decisions need only the template's restart policy, and a pass reads
// the rest live (R10). A Job that is still too large for an item of the table is stored as a mark, and each pass reads it live.
import type { Job } from '../../../objects/kubernetes.ts';
import type { WantedFields } from '../../../objects/field-mask.ts';

/** The fields that `jobFactsOf` reads. */
export const JOB_FIELDS: WantedFields = {
  metadata: { '*': true, managedFields: false },
  spec: { '*': true, template: { spec: { restartPolicy: true } } },
  status: true,
};

/** Marks the facts of a Job that is too large. A person may write it on a Job too: passes then read that Job live, which is harmless. */
const READ_LIVE = 'farloop.dev/read-live';
/** Characters of JSON, most of them one byte. With its pods, and uncompressed, such a Job still fits into an item of 400 KB. */
const MOST_CHARACTERS = 65_536;
/** Most characters of a selector, or of conditions, that a mark still holds. */
const MOST_CHARACTERS_IN_MARK = 8_192;

/** Whether these facts are only a mark. A pass must read such a Job live before it decides anything. */
export const isReadLive = ({ metadata }: Job): boolean => metadata.annotations?.[READ_LIVE] === 'true';

/**
 * The Job without template, managed fields and foreign annotations; `spec.template` keeps the restart policy alone. Of one that is still
 * larger than 64 K characters, or could not be read whole: its identity, its versions and a few small fields to show, see `isReadLive`.
 */
export function jobFactsOf(job: Job): Job {
  const facts = factsOf(job);
  if (job.unreadable !== undefined) return { ...markOf(facts), unreadable: job.unreadable };
  return JSON.stringify(facts).length > MOST_CHARACTERS ? markOf(facts) : facts;
}

function markOf({ metadata, spec, status }: Job): Job {
  const { name, namespace, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp } = metadata;
  const { parallelism, completions, completionMode, suspend, managedBy, manualSelector, selector, template } = spec;
  const { active, ready, succeeded, failed, terminating, startTime, completionTime, conditions } = status ?? {};
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      ...present({ name, namespace, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp }),
      annotations: { [READ_LIVE]: 'true' },
    },
    spec: present({ parallelism, completions, completionMode, suspend, managedBy, manualSelector, selector: ifSmall(selector), template }),
    status: present({ active, ready, succeeded, failed, terminating, startTime, completionTime, conditions: ifSmall(conditions) }),
  };
}

type Present<Fields> = { [Field in keyof Fields]?: Exclude<Fields[Field], undefined> };

const present = <Fields extends object>(fields: Fields): Present<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<Fields>;

const ifSmall = <Value>(value: Value): Value | undefined =>
  value !== undefined && JSON.stringify(value).length <= MOST_CHARACTERS_IN_MARK ? value : undefined;

function factsOf(job: Job): Job {
  const { metadata, spec, status } = job;
  const { template, ...rest } = spec;
  const { name, namespace, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp, labels, finalizers, ownerReferences } =
    metadata;
  const annotations = Object.entries(metadata.annotations ?? {}).filter(
    ([key]) => key.startsWith('farloop.dev/') || key.startsWith('batch.kubernetes.io/'),
  );
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(generation !== undefined && { generation }),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      ...(labels && { labels }),
      ...(finalizers && { finalizers }),
      ...(ownerReferences && { ownerReferences }),
      ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }),
    },
    spec: {
      ...rest,
      template: {
        spec: { containers: [], ...(template?.spec?.restartPolicy !== undefined && { restartPolicy: template.spec.restartPolicy }) },
      },
    },
    ...(status && { status }),
  };
}

/** Whether a terminal condition, `Complete` or `Failed`, is True. */
export const isJobFinished = (job: Job): boolean =>
  job.status?.conditions?.some(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True') ?? false;
