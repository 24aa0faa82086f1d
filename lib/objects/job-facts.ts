// What the view keeps of a Job: everything but its pod template, of which only the restart policy is needed to decide (R10 reads the rest
// live). Of a Job that would still be too large for an item of the table it keeps a mark: such a one is read live by every pass.
import type { Job } from './kubernetes.ts';
import type { WantedFields } from './field-mask.ts';

/** What `jobFactsOf` reads of a Job. */
export const JOB_FIELDS: WantedFields = {
  metadata: { '*': true, managedFields: false },
  spec: { '*': true, template: { spec: { restartPolicy: true } } },
  status: true,
};

/** Marks what is left of a Job that is too large. Whoever writes it on a Job has that one read live, which does no harm. */
const READ_LIVE = 'farloop.dev/read-live';
/** Characters of JSON, most of them one byte: with its pods, and uncompressed, it still fits into an item of 400 KB. */
const MOST_CHARACTERS = 65_536;
/** Of a selector, or of conditions, that a mark still holds. */
const MOST_CHARACTERS_IN_MARK = 8_192;

/** Whether these facts are a mark only: the Job must be read live before anything is decided about it. */
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
