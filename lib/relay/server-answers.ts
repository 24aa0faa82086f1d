// Observes whether the API server answers this relay and accepts its watches. Reports a change at once, and costs nothing without a change
// (R16).
import type { Clock } from '../ports/clock.ts';
import type { ClusterSource } from '../ports/cluster.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { ApiServerSilence, WatchState } from '../wire/words/observations.ts';
import type { SignOptions } from './signs-of-life.ts';
import { SignsOfLife } from './signs-of-life.ts';

export interface ServerAnswersSetup {
  source: Pick<ClusterSource, 'signOfLife'>;
  clock: Clock;
  telemetry: Telemetry;
  /** Registered name of the cluster. */
  cluster: string;
  watches: () => WatchState[];
  /** Monotonic time of the last answer of a watch or list. Do not use the ages in `watches`: they may count from the first request. */
  heardAtMs: () => number;
  /** Sends a heartbeat. @param isSilent the API server does not answer, which may have cost this relay its Lease */
  tell: (isSilent: boolean) => void;
  options: Partial<SignOptions>;
}

export class ServerAnswers {
  readonly #setup: ServerAnswersSetup;
  readonly #signs: SignsOfLife;
  #told = 'answers';
  /** A trouble was logged, so its end is logged at the level that the same reader sees. */
  #inTrouble = false;

  constructor(setup: ServerAnswersSetup) {
    this.#setup = setup;
    const { source, clock, heardAtMs, options } = setup;
    this.#signs = new SignsOfLife({
      source,
      clock,
      heardAtMs,
      asked: () => this.#tellChange(),
      options,
    });
  }

  /** For a heartbeat; undefined while the API server answers. */
  get apiServer(): ApiServerSilence | undefined {
    const { trouble } = this.#signs;
    if (!trouble) return undefined;
    const { state, sinceMs, reason } = trouble;
    return { state, forMs: Math.max(0, Math.round(this.#setup.clock.monotonicMs() - sinceMs)), reason };
  }

  /** Call it when this relay starts to lead, after its first heartbeat, which reports no trouble. */
  async follow(signals: { leading: AbortSignal; ending: AbortSignal }): Promise<void> {
    this.#told = 'answers';
    await this.#signs.run(signals);
  }

  #tellChange(): void {
    const { telemetry, cluster, watches, tell } = this.#setup;
    const { trouble } = this.#signs;
    const refused = watches().flatMap((watch) => (watch.refused ? [watch.resource] : []));
    const now = [trouble?.state ?? 'answers', ...refused].join(' ');
    if (now === this.#told) return;
    this.#told = now;
    if (trouble) telemetry.error('API server does not answer its relay', { cluster, state: trouble.state, reason: trouble.reason });
    else if (this.#inTrouble) telemetry.warn('API server answers its relay again', { cluster });
    else telemetry.info('API server answers its relay', { cluster, refused: refused.join(', ') });
    this.#inTrouble = trouble !== undefined;
    tell(trouble !== undefined);
  }
}
