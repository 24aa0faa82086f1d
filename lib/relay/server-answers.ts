// How the API server treats this relay: whether it shows signs of life, and lets its watches in. A change is told at once, and costs nothing
// while there is none (R16).
import type { Clock } from '../ports/clock.ts';
import type { ClusterSource } from '../ports/cluster.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { ApiServerSilence, WatchState } from '../wire/observations.ts';
import type { SignOptions } from './signs-of-life.ts';
import { SignsOfLife } from './signs-of-life.ts';

export interface ServerAnswersSetup {
  source: Pick<ClusterSource, 'signOfLife'>;
  clock: Clock;
  telemetry: Telemetry;
  /** Name under which the cluster is registered. */
  cluster: string;
  watches: () => WatchState[];
  /** Monotonic: when a watch or list last brought something; an age in `watches` may count from when it was first asked. */
  heardAtMs: () => number;
  /** A heartbeat is due. @param isSilent the server does not answer, so it may be why this relay has lost its Lease */
  tell: (isSilent: boolean) => void;
  options: Partial<SignOptions>;
}

export class ServerAnswers {
  readonly #setup: ServerAnswersSetup;
  readonly #signs: SignsOfLife;
  #told = 'answers';
  /** What is told of is told of again once it is over, to whoever read the first. */
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

  /** For a heartbeat; undefined while the server answers. */
  get apiServer(): ApiServerSilence | undefined {
    const { trouble } = this.#signs;
    if (!trouble) return undefined;
    const { state, sinceMs, reason } = trouble;
    return { state, forMs: Math.max(0, Math.round(this.#setup.clock.monotonicMs() - sinceMs)), reason };
  }

  /** From now on this relay leads, and has just said so in a heartbeat that tells of no trouble. */
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
