// Does what watch.ts decides: asks the API server, waits, and hands what comes to whoever follows the resource.
import type { KubernetesObject } from '../objects/kubernetes.ts';
import type { Resource } from '../objects/resources.ts';
import type { WantedFields } from '../objects/field-mask.ts';
import type { Clock } from '../ports/clock.ts';
import type { ClusterSource, ListAnswer, ListSelection } from '../ports/cluster.ts';
import { ExpiredError, NotDoneError, NotFoundError, TerminalError, ThrottledError } from '../ports/errors.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { WatchEffect, WatchFailure, WatchInput, WatchOptions, WatchState } from './watch.ts';
import { initialWatch, step } from './watch.ts';

export interface Follower<Item> {
  /** A list begins: what its pages do not name will have been absent. */
  begin(): void;
  page(items: readonly Item[]): void;
  listed(resourceVersion: string): void;
  changed(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: Item): void;
  /** Every call that failed, before it is tried again. */
  failed(error: unknown): void;
  /** From now on it is refused, for a reason that a person must mend; it goes on being tried. */
  refused(): void;
  /** The API server serves no such resource, from the start or any more; it goes on being asked for. */
  absent(): void;
  /** The watch goes on after it broke off before its time: what was heard may not be so any more (R3). */
  resumed(): void;
  /** The API server is older than what was heard from it (R3): all of it is listed anew. */
  restored(versions: { from: string; to: string }): void;
}

export interface WatcherSetup<Item extends KubernetesObject> {
  source: ClusterSource;
  resource: Resource;
  /** What the follower reads of an object. */
  fields: WantedFields;
  /** Which of them it follows; absent: all. */
  selection?: Omit<ListSelection, 'namespace'>;
  /** It is a definition that somebody installs: where it is not served, it is waited for. */
  mayBeAbsent?: boolean;
  /** Undefined: all namespaces. */
  namespace: string | undefined;
  clock: Clock;
  telemetry: Telemetry;
  options: WatchOptions & { pageSize: number };
  follower: Follower<Item>;
  /** Told the `Date` of every list's answer. */
  sawDate: (dateMs: number, askedAtMs: number) => void;
}

/** Of a whole page: so much larger is each page than the one before, until it is whole again. */
const GROWTH = 1 / 10;
/** What is read of an object where only the list's version matters. */
const IDENTITY: WantedFields = { metadata: { uid: true } };
/** A list whose calls failed so often in a row keeps nothing else waiting. */
const HELD_UP_AFTER = 4;
/** Between two looks for silence. */
const SHORTEST_LOOK_MS = 250;

/** What fetch would say itself. Made once: with each list and watch that ends, an error made anew costs more than ending it. */
const SUPERSEDED = new DOMException('This operation was aborted', 'AbortError');

export class Watcher<Item extends KubernetesObject> {
  readonly #setup: WatcherSetup<Item>;
  #state: WatchState = initialWatch;
  /** The call or wait under way; what an earlier one still brings is not looked at. */
  #current = new AbortController();
  #stopped = false;
  #isRefused = false;
  #isAbsent = false;
  /** Calls of the list under way, or waited for, that failed in a row. */
  #failedCalls = 0;
  #askedAtMs: number | undefined;
  /** Objects of the next page: half of one that broke off, since large objects may take more bytes, or more time, than an answer has. */
  #pageSize: number;

  constructor(setup: WatcherSetup<Item>) {
    this.#setup = setup;
    this.#pageSize = setup.options.pageSize;
  }

  /** Starts, or lists everything anew. */
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

  /** Refused, and not let in since: what is known may be long out of date. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** The API server serves no such resource. */
  get isAbsent(): boolean {
    return this.#isAbsent;
  }

  /** It is listing, and what it asks fails again and again. */
  get isHeldUp(): boolean {
    return this.isListing && this.#failedCalls >= HELD_UP_AFTER;
  }

  /** Milliseconds since the server was last heard of, before its first answer since it was first asked. */
  get ageMs(): number {
    const nowMs = this.#setup.clock.monotonicMs();
    return Math.max(0, Math.round(nowMs - (this.#state.heardAtMs ?? this.#askedAtMs ?? nowMs)));
  }

  /** Monotonic: when the server was last heard of; undefined before its first answer. */
  get heardAtMs(): number | undefined {
    return this.#state.heardAtMs;
  }

  /** The newest version that was heard. */
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
        return void this.#list(this.#next(), effect.continueToken);
      case 'look':
        return void this.#look(this.#next());
      case 'compare':
        return follower.resumed();
      case 'restored':
        telemetry.warn('API server is older than what was heard from it', { resource: resource.plural, from: effect.from, to: effect.to });
        return follower.restored(effect);
      case 'listed':
        return follower.listed(effect.resourceVersion);
      case 'watch':
        return void this.#watch(this.#next(), effect);
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
      // Within: what no API server would say must not end the process.
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
      // No sooner than it may be silent: until then it has been heard of.
      await clock.wait(Math.max(options.silentMs - this.ageMs, SHORTEST_LOOK_MS), call.signal);
      if (!call.signal.aborted) this.#feed({ kind: 'tick' });
    }
  }

  async #wait(call: AbortController, ms: number): Promise<void> {
    await this.#setup.clock.wait(ms, call.signal);
    if (!call.signal.aborted) this.#feed({ kind: 'tick' });
  }

  #fail(call: AbortController, error: unknown): void {
    if (call.signal.aborted || this.#stopped) return;
    const { follower } = this.#setup;
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

/** Nobody is let in. */
const isRefusal = (error: unknown): boolean => error instanceof TerminalError || error instanceof NotFoundError;

/** Nothing was sent, or nobody is let in. */
const wasUnopened = (error: unknown): boolean => error instanceof NotDoneError || isRefusal(error);
