// Ordinary Jobs beside odd things: they end in the time that they take without. Jobs run in rounds, and of each round the median decides, so
// that one hiccup of the machine does not.
import { isJobFinished } from '../../lib/kinds/job/terms/owner-facts.ts';
import type { Job } from '../../lib/objects/kubernetes.ts';
import { JOBS } from '../../lib/objects/resources.ts';
import { check, until } from '../claims.ts';
import { startRunningTime } from '../running-time.ts';
import type { Instance } from './instance.ts';

/** An ordinary Job takes so much longer at most, whatever is beside it. */
const LONGER_MS = 2_000;
const ROUND_MS = 60_000;
const JOBS_A_ROUND = 5;
const BETWEEN_JOBS_MS = 200;

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const shown = (values: readonly number[]): string => values.map((ms) => ms.toFixed(0)).join(', ');

export class OrdinaryJobs {
  readonly #instance: Instance;
  readonly #name: string;
  #rounds = 0;

  private constructor(instance: Instance, name: string) {
    this.#instance = instance;
    this.#name = name;
  }

  /** @returns them with what they usually take: to be called before anything odd is there */
  static async measured(instance: Instance, name: string): Promise<{ ordinary: OrdinaryJobs; usualMs: number }> {
    const ordinary = await OrdinaryJobs.warmedUp(instance, name);
    return { ordinary, usualMs: median([...(await ordinary.round()), ...(await ordinary.round())]) };
  }

  /** After the first round the compiler has seen everything. */
  static async warmedUp(instance: Instance, name: string): Promise<OrdinaryJobs> {
    const ordinary = new OrdinaryJobs(instance, name);
    await ordinary.round();
    return ordinary;
  }

  /** @returns of each Job the milliseconds from its create to its end; those in which Farloop waited for a processor are not in it */
  async round(): Promise<number[]> {
    const { access, soon, pid } = this.#instance;
    const label = `${this.#name}-${++this.#rounds}`;
    const time = startRunningTime();
    time.follow(pid);
    const [began, took] = [new Map<string, number>(), new Map<string, number>()];
    const look = async (): Promise<void> => {
      const { items } = await access.list<Job>(JOBS, { namespace: 'default', labelSelector: `round=${label}` }, soon());
      for (const job of items) {
        const { name = '' } = job.metadata;
        if (!took.has(name) && isJobFinished(job)) took.set(name, time.ms() - (began.get(name) ?? 0));
      }
    };
    try {
      const creating = (async () => {
        for (let at = 0; at < JOBS_A_ROUND; at++) {
          const name = `${label}-${at}`;
          began.set(name, time.ms());
          await access.create(JOBS, jobOf(name, label), soon());
          await new Promise((resolve) => setTimeout(resolve, BETWEEN_JOBS_MS));
        }
      })();
      creating.catch(() => {});
      const allEnded = async (): Promise<boolean> => {
        await look();
        return took.size === JOBS_A_ROUND;
      };
      await until(`the end of the ordinary Jobs ${label}`, allEnded, ROUND_MS, async () => `${took.size} of ${JOBS_A_ROUND} ended`);
      await creating;
      return [...took.values()];
    } finally {
      time.stop();
    }
  }
}

/**
 * Prints the figures.
 * @param rounds of Jobs beside odd things
 * @param times of the usual time that they may take, and two seconds
 * @throws Error where the Jobs of one of them took longer than they may
 */
export function judgeRounds(where: string, usualMs: number, rounds: readonly (readonly number[])[], times = 1): void {
  const slowest = rounds.reduce((worst, round) => (median(round) > median(worst) ? round : worst), []);
  console.log(
    `hostile: ${where}: an ordinary Job usually ${usualMs.toFixed(0)} ms; beside, in the slowest of ${rounds.length} rounds, ${median(slowest).toFixed(0)} ms (${shown(slowest)})`,
  );
  const most = times * usualMs + LONGER_MS;
  check(
    rounds.length > 0 && median(slowest) <= most,
    `${where}: an ordinary Job took ${median(slowest).toFixed(0)} ms, at most ${most.toFixed(0)} are ${times === 1 ? 'its usual time' : `${times} times its usual time`} and two seconds`,
  );
}

const jobOf = (name: string, round: string): Job => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, namespace: 'default', labels: { round } },
  spec: {
    completions: 2,
    parallelism: 2,
    template: {
      metadata: { annotations: { 'sim.farloop.dev/run-seconds': '0' } },
      spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'i' }] },
    },
  },
});
