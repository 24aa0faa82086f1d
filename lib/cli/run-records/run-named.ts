// A run as a person names it, `run/nightly-07` or its id alone, and where its record is read: through an API, or in the state folder of this machine.
import { summaryOf, type RunSummary } from '../../kinds/run-once/results.ts';
import type { KindFacts } from '../../kinds/rows/kind.ts';
import { findKindNamed } from '../../kinds/kind-names.ts';
import { RUN_ID } from '../../objects/task.ts';
import type { RunPlan } from '../../reconciler/runs/planned-run.ts';
import { ApiFailedError, connectToInstance, type ApiClient, type ApiOptions } from '../instance/api-client.ts';
import { stateFolderPath } from '../instance/instance-file.ts';
import { AmbiguousError, FailedError, UsageError } from '../terminal/exit.ts';
import { folderOfRun, recordOfRun, runIdsIn, runsFolder } from './run-folder.ts';
import { limitsOf } from './run-provider.ts';

export const RUN_WORD = 'run';

interface NamedRun {
  id: string;
  /** `run/ID` was given; else it may be the name of a workload. */
  isCertain: boolean;
}

/** @returns undefined: the text can mean no run */
function nameRun(text: string, kinds: readonly KindFacts[]): NamedRun | undefined {
  const [first = '', second, ...more] = text.split('/');
  if (more.length > 0) return undefined;
  if (second === undefined) return RUN_ID.test(first) ? { id: first, isCertain: false } : undefined;
  return first.toLowerCase() === RUN_WORD && !findKindNamed(first, kinds) ? { id: second, isCertain: true } : undefined;
}

/** Where runs are read. Runs of `farloop up` lie in the state folder, too, so it need not run. */
export interface RunSource {
  summary(id: string): Promise<RunSummary | undefined>;
  plan(id: string): Promise<RunPlan | undefined>;
  /** At most so many. */
  ids(limit: number): Promise<string[]>;
  /** For people: where there is no such run. */
  where: string;
}

function runSource(options: ApiOptions): RunSource {
  const { state, endpoint } = options;
  const url = endpoint ?? (state === undefined ? process.env['FARLOOP_ENDPOINT'] || undefined : undefined);
  return url === undefined ? folderSource(stateFolderPath(state)) : apiSource(connectToInstance(options), url);
}

function apiSource(api: ApiClient, url: string): RunSource {
  const found = async <Answer>(id: string, after = ''): Promise<Answer | undefined> => {
    try {
      return await api.get<Answer>(`/v1/runs/${encodeURIComponent(id)}${after}`);
    } catch (error) {
      if (error instanceof ApiFailedError && error.status === 404) return undefined;
      throw error;
    }
  };
  return {
    summary: async (id) => await found<RunSummary>(id),
    plan: async (id) => await found<RunPlan>(id, '/plan'),
    ids: async (limit) => (await api.get<{ items: RunSummary[] }>(`/v1/runs?limit=${limit}`)).items.map(({ runId }) => runId),
    where: `at ${url}`,
  };
}

function folderSource(stateFolder: string): RunSource {
  return {
    async summary(id) {
      const found = await recordOfRun(stateFolder, id);
      return found && summaryOf(found.run);
    },
    async plan(id) {
      const found = await recordOfRun(stateFolder, id);
      if (!found) return undefined;
      const [{ EmbeddedRuns }, { SystemClock }, { plannedRun }] = await Promise.all([
        import('../../adapters/embedded/runs.ts'),
        import('../../adapters/clock/system-clock.ts'),
        import('../../reconciler/runs/planned-run.ts'),
      ]);
      const clock = new SystemClock();
      const records = EmbeddedRuns.open({ folder: folderOfRun(stateFolder, id) });
      try {
        const cannotOf = async ({ provider: word, node }: { provider: string; node: string }): ReturnType<typeof limitsOf> =>
          await limitsOf({ word, node, clock });
        return await plannedRun(found.run, { records, clock, cannotOf });
      } finally {
        records.close();
      }
    },
    ids: async (limit) => runIdsIn(stateFolder).slice(0, limit),
    where: `in ${runsFolder(stateFolder)}`,
  };
}

/** Ids of runs where they are read. */
export const namedRunIds = async (options: ApiOptions, limit: number): Promise<string[]> => await runSource(options).ids(limit);

interface Meant extends ApiOptions {
  text: string;
  kinds: readonly KindFacts[];
  namespace?: string | undefined;
  cluster?: string | undefined;
  /** Workloads of that name, as a person names them. */
  workloadsNamed: (name: string) => Promise<string[]>;
}

/**
 * The run that is meant, if it is one.
 * @param read what is wanted of it; undefined where there is no such run
 * @returns undefined: the text names a workload, if anything
 * @throws FailedError `run/ID` is not there; AmbiguousError a workload has the same name; UsageError
 */
export async function findRun<Found>(
  { text, kinds, namespace, cluster, workloadsNamed, ...options }: Meant,
  read: (source: RunSource, id: string) => Promise<Found | undefined>,
): Promise<{ id: string; found: Found; source: RunSource } | undefined> {
  const named = nameRun(text, kinds);
  if (!named) return undefined;
  const { id, isCertain } = named;
  const isPlaced = namespace !== undefined || cluster !== undefined;
  if (!isCertain && isPlaced) return undefined;
  if (isPlaced) throw new UsageError(`${text}: a run has no namespace and no cluster: leave --namespace and --cluster out`);
  if (!RUN_ID.test(id))
    throw new UsageError(`${text}: no run has such an id: expected lower-case letters, digits, "-" and ".", as in run/nightly-07`);
  const source = runSource(options);
  const found = await read(source, id).catch((error: unknown) => {
    if (isCertain || !(error instanceof FailedError)) throw error;
    // The workload of that name is asked for next, and meets the same trouble.
    return undefined;
  });
  if (found === undefined) {
    if (isCertain) throw new FailedError(`there is no run ${id} ${source.where}; farloop run-once list shows those of this machine`);
    return undefined;
  }
  if (isCertain) return { id, found, source };
  const others = await workloadsNamed(id).catch((error: unknown) => {
    if (!(error instanceof FailedError)) throw error;
    // No Farloop runs, and a run needs none.
    return [];
  });
  if (others.length > 0)
    throw new AmbiguousError(`${text} is the name of a run and of a workload: run/${id}, ${others.join(', ')}; say which with KIND/NAME`);
  return { id, found, source };
}
