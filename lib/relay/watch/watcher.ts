// Performs the effects of watch.ts: calls the API server, waits, and hands objects to the follower of the resource.
import type { KubernetesObject } from '../../objects/kubernetes.ts';
import type { Resource } from '../../objects/resources.ts';
import type { WantedFields } from '../../objects/field-mask.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ClusterSource, ListAnswer, ListSelection } from '../../ports/cluster.ts';
import { ExpiredError, NotDoneError, NotFoundError, TerminalError, ThrottledError } from '../../ports/errors.ts';
import type { Telemetry } from '../../ports/telemetry.ts';
import type { WatchEffect, WatchFailure, WatchInput, WatchOptions, WatchState } from './watch.ts';
import { initialWatch, step } from './watch.ts';

export interface Follower<Item> {
  /** A list begins. Objects missing from its pages are absent once it is complete. */
  begin(): void;
  page(items: readonly Item[]): void;
  listed(resourceVersion: string): void;
  changed(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: Item): void;
  /** Called for every failed call, before the retry. */
  failed(error: unknown): void;
  /** The API server began to refuse, for a reason that a person must fix. Retries continue. */
  refused(): void;
  /** The API server does not serve the resource, from the start or any longer. Retries continue. */
  absent(): void;
  /** The watch resumes after it broke off early. The observed state may be outdated (R3). */
  resumed(): void;
  /** The API server's version is older than the observed one (R3). Everything is listed again. */
  restored(versions: { from: string; to: string }): void;
}

export interface WatcherSetup<Item extends KubernetesObject> {
  source: ClusterSource;
  resource: Resource;
  /** The fields that the follower reads. */
  fields: WantedFields;
  /** Selects the objects to follow; absent: all. */
  selection?: Omit<ListSelection, 'namespace'>;
  /** The resource needs an installed definition. While it is not served, keep trying. */
  mayBeAbsent?: boolean;
  /** Undefined: all namespaces. */
  namespace: string | undefined;
  clock: Clock;
  telemetry: Telemetry;
  options: WatchOptions & { pageSize: number };
  follower: Follower<Item>;
  /** Gets the `Date` of every list's answer. */
  sawDate: (dateMs: number, askedAtMs: number) => void;
}

/** Share of a whole page by which each page is larger than the one before, until pages are whole again. */
const GROWTH = 1 / 10;
/** Fields to read where only the list's version matters. */
const IDENTITY: WantedFields = { metadata: { uid: true } };
/** After so many failed calls in a row nothing waits for the list any longer. */
const HELD_UP_AFTER = 4;
/** Shortest time between two checks for silence. */
const SHORTEST_LOOK_MS = 250;

/** The same reason as fetch's own. Made once: a new error for each list and watch that ends would cost more than ending it. */
const SUPERSEDED = new DOMException('This operation was aborted', 'AbortError');

export class Watcher<Item extends KubernetesObject> {
  readonly #setup: WatcherSetup<Item>;
  #state: WatchState = initialWatch;
  /** The call or wait under way. Results of an earlier one are ignored. */
  #current = new AbortController();
  #stopped = false;
  #isRefused = false;
  #isAbsent = false;
  /** Failed calls in a row of the list that is under way or awaited. */
  #failedCalls = 0;
  #askedAtMs: number | undefined;
  /** Objects of the next page. Halved when a page breaks off: large objects may need more bytes, or more time, than an answer has. */
  #pageSize: number;
  /** Monotonic time until which an answer to a call that is over asked to wait (R14). */
  #notBeforeMs = -Infinity;

  constructor(setup: WatcherSetup<Item>) {
    this.#setup = setup;
    this.#pageSize = setup.options.pageSize;
  }

  /** Starts, or lists everything again. */
  list(): void {
    this.#askedAtMs ??= this.#setup.clock.monotonicMs();
    this.#feed({ kind: 'list' });
  }

  stop(): void {
    this.#stopped = true;
    this.#current.abort(SUPERSEDED);
  }

  get isListing(): boolean {
    const { at } = this.#state;
    return at.phase === 'listing' || (at.phase === 'waiting' && at.next.do === 'list');
  }

  /** Refused, and not accepted since. The cached state may be long outdated. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** The API server does not serve the resource. */
  get isAbsent(): boolean {
    return this.#isAbsent;
  }

  /** It is listing, and its calls fail repeatedly. */
  get isHeldUp(): boolean {
    return this.isListing && this.#failedCalls >= HELD_UP_AFTER;
  }

  /** Milliseconds since the last answer or event; before the first answer, since the first request. */
  get ageMs(): number {
    const nowMs = this.#setup.clock.monotonicMs();
    return Math.max(0, Math.round(nowMs - (this.#state.heardAtMs ?? this.#askedAtMs ?? nowMs)));
  }

  /** Monotonic time of the last answer or event; undefined before the first answer. */
  get heardAtMs(): number | undefined {
    return this.#state.heardAtMs;
  }

  /** The newest observed version. */
  get resourceVersion(): string {
    return this.#state.version;
  }

  #feed(input: WatchInput): void {
    if (this.#stopped) return;
    const { clock, options } = this.#setup;
    const { state, effects } = step(this.#state, input, { nowMs: clock.monotonicMs(), random: clock.random() }, options);
    this.#state = state;
    for (const effect of effects) this.#perform(effect);
  }

  #perform(effect: WatchEffect): void {
    const { follower, telemetry, resource } = this.#setup;
    switch (effect.do) {
      case 'begin':
        return follower.begin();
      case 'list':
        return void this.#inTime(this.#next(), (call) => this.#list(call, effect.continueToken));
      case 'look':
        return void this.#inTime(this.#next(), (call) => this.#look(call));
      case 'compare':
        return follower.resumed();
      case 'restored':
        telemetry.warn('API server is older than what was heard from it', { resource: resource.plural, from: effect.from, to: effect.to });
        return follower.restored(effect);
      case 'listed':
        return follower.listed(effect.resourceVersion);
      case 'watch':
        return void this.#inTime(this.#next(), (call) => this.#watch(call, effect));
      case 'wait':
        return void this.#wait(this.#next(), effect.ms);
      case 'absent':
        return this.#becomeAbsent();
      case 'stop':
        return this.#current.abort(SUPERSEDED);
      case 'silent':
        telemetry.warn('watch is silent', { resource: resource.plural, silentMs: Math.round(effect.ms) });
        return telemetry.count('SilentWatches', 1, 'Count', { resource: resource.plural });
      default:
    }
  }

  #becomeAbsent(): void {
    if (this.#isAbsent) return;
    this.#isAbsent = true;
    this.#setup.follower.absent();
  }

  #next(): AbortController {
    this.#current.abort(SUPERSEDED);
    this.#current = new AbortController();
    return this.#current;
  }

  async #inTime(call: AbortController, ask: (call: AbortController) => Promise<void>): Promise<void> {
    const waitMs = this.#notBeforeMs - this.#setup.clock.monotonicMs();
    if (waitMs > 0) await this.#setup.clock.wait(waitMs, call.signal);
    if (!call.signal.aborted) await ask(call);
  }

  async #list(call: AbortController, continueToken: string | undefined): Promise<void> {
    const { source, resource, fields, selection, namespace, options, follower, clock, sawDate } = this.#setup;
    let page: ListAnswer<Item> & { continueToken?: string };
    const askedAtMs = clock.nowMs();
    const take = (item: Item): void => {
      if (!call.signal.aborted) follower.page([item]);
    };
    try {
      page = await source.listPage<Item>(
        resource,
        {
          limit: this.#pageSize,
          fields,
          ...selection,
          ...(namespace !== undefined && { namespace }),
          ...(continueToken !== undefined && { continueToken }),
        },
        call.signal,
        take,
      );
      if (call.signal.aborted) return;
      sawDate(page.dateMs, askedAtMs);
      // Keep this inside the try: an answer that no API server would give must not end the process.
      follower.page(page.items);
    } catch (error) {
      if (!call.signal.aborted && this.#failureOf(error).kind === 'broken') this.#pageSize = Math.ceil(this.#pageSize / 2);
      return this.#fail(call, error);
    }
    this.#isRefused = false;
    this.#isAbsent = false;
    this.#failedCalls = 0;
    this.#pageSize = Math.min(this.#pageSize + Math.ceil(options.pageSize * GROWTH), options.pageSize);
    this.#feed({
      kind: 'page',
      resourceVersion: page.resourceVersion,
      ...(page.continueToken !== undefined && { continueToken: page.continueToken }),
    });
  }

  async #look(call: AbortController): Promise<void> {
    const { source, resource, selection, namespace } = this.#setup;
    try {
      const smallest = { limit: 1, metadataOnly: true, fields: IDENTITY, ...selection, ...(namespace !== undefined && { namespace }) };
      const { resourceVersion } = await source.listPage(resource, smallest, call.signal);
      if (call.signal.aborted) return;
      this.#isRefused = false;
      this.#feed({ kind: 'seen', resourceVersion });
    } catch (error) {
      this.#fail(call, error);
    }
  }

  async #watch(
    call: AbortController,
    { resourceVersion, timeoutSeconds }: { resourceVersion: string; timeoutSeconds: number },
  ): Promise<void> {
    const { source, resource, fields, selection, namespace, follower } = this.#setup;
    void this.#lookForSilence(call);
    try {
      const from = { resourceVersion, timeoutSeconds, fields, ...selection, ...(namespace !== undefined && { namespace }) };
      for await (const event of source.watch<Item>(resource, from, call.signal)) {
        if (call.signal.aborted) return;
        if (event.type === 'BOOKMARK') this.#feed({ kind: 'bookmark', resourceVersion: event.resourceVersion });
        else {
          follower.changed(event.type, event.object);
          this.#feed({ kind: 'event', resourceVersion: event.object.metadata.resourceVersion ?? '0' });
        }
      }
    } catch (error) {
      return this.#fail(call, error);
    }
    if (!call.signal.aborted) this.#feed({ kind: 'end' });
  }

  async #lookForSilence(call: AbortController): Promise<void> {
    const { clock, options } = this.#setup;
    while (!call.signal.aborted) {
      // Do not check before it can be silent: until then the last answer is recent enough.
      await clock.wait(Math.max(options.silentMs - this.ageMs, SHORTEST_LOOK_MS), call.signal);
      if (!call.signal.aborted) this.#feed({ kind: 'tick' });
    }
  }

  async #wait(call: AbortController, ms: number): Promise<void> {
    await this.#setup.clock.wait(ms, call.signal);
    if (!call.signal.aborted) this.#feed({ kind: 'tick' });
  }

  #fail(call: AbortController, error: unknown): void {
    const { follower, clock } = this.#setup;
    if (call.signal.aborted && error instanceof ThrottledError) this.#notBeforeMs = clock.monotonicMs() + error.retryAfterSeconds * 1000;
    if (call.signal.aborted || this.#stopped) return;
    const failure = this.#failureOf(error);
    if (failure.kind !== 'absent') {
      const wasRefused = this.#isRefused;
      if (isRefusal(error)) this.#isRefused = true;
      this.#failedCalls = this.isListing ? this.#failedCalls + 1 : 0;
      follower.failed(error);
      if (this.#isRefused && !wasRefused) follower.refused();
    } else this.#isRefused = false;
    this.#feed({ kind: 'failed', failure });
  }

  #failureOf(error: unknown): WatchFailure {
    if (error instanceof ExpiredError) return { kind: 'expired' };
    if (error instanceof ThrottledError) return { kind: 'throttled', retryAfterMs: error.retryAfterSeconds * 1000 };
    const isNotServed = error instanceof TerminalError && error.code === 404 && error.reason === 'NotFound';
    if (this.#setup.mayBeAbsent === true && isNotServed) return { kind: 'absent' };
    return { kind: 'broken', ...(wasUnopened(error) && { unopened: true }) };
  }
}

/** The API server refuses the call. */
const isRefusal = (error: unknown): boolean => error instanceof TerminalError || error instanceof NotFoundError;

/** The request was not sent, or was refused. */
const wasUnopened = (error: unknown): boolean => error instanceof NotDoneError || isRefusal(error);
