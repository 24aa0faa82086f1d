// The relay: watches one cluster, reports changes of workloads, sends a heartbeat each minute, answers asks.
import { PODS } from '../objects/resources.ts';
import type { KindFacts } from '../kinds/rows/kind.ts';
import { podFieldsOfKinds } from '../kinds/rows/pod-reader.ts';
import { managedKinds } from '../kinds/settings.ts';
import { NotDoneError, NotFoundError, TerminalError } from '../ports/errors.ts';
import type { Heartbeat, OwnerName, RelayAsk, WatchState } from '../wire/words/observations.ts';
import { LeaseKeeper } from './leases.ts';
import { answerAsks } from './commands/asks.ts';
import { AuditRounds } from './audit-rounds.ts';
import { RelayCache } from './cache/cache.ts';
import { allowedTo, Commands } from './commands/commands.ts';
import { ExternalOwnerCounts } from './external-owners.ts';
import { Heartbeats } from './heartbeats.ts';
import { Identity } from './identity.ts';
import { Outbox, OUTBOX_OPTIONS } from './sending/outbox.ts';
import { lookUpOwner } from './owner-look-up.ts';
import { Questions } from './nodes/questions.ts';
import { ServedNodes } from './nodes/served-nodes.ts';
import { ProblemLog } from './problem-log.ts';
import type { Readiness } from './watch/readiness.ts';
import { areListed, isListed } from './watch/readiness.ts';
import type { RelayOptions, RelaySetup } from './relay-setup.ts';
import { RELAY_OPTIONS } from './relay-setup.ts';
import { Scope } from './scope.ts';
import { fullListOf, placesOf } from './scopes.ts';
import { ServerAnswers } from './server-answers.ts';

export interface RelayStatus {
  session: string;
  era: number;
  watches: WatchState[];
  pods: number;
  /** Number of workloads with changes that the queue has not accepted yet. */
  waiting: number;
}

export interface Relay {
  /** Resolves once the first list is complete and, unless on standby, accepted. Rejects if a person must fix what prevents watching. */
  ready: Promise<void>;
  status: () => RelayStatus;
  /** Starts sending: the latest changes at once, then everything from a new list. */
  lead: () => void;
  /** Stops sending, because another replica leads now. Watching continues. */
  rest: () => void;
  stop: () => Promise<void>;
}

/** Before the first list is complete, so many failed connections in a row end the start. */
const PATIENCE = 4;
const RETRY_MS = 1_000;
/** An ask for everything that crossed a full list on its way is answered by that list. */
const CROSSING_MS = 10_000;
/** A restored API server seen on standby is reported by a successor within this time: the leader may have died before it did. */
const RESTORE_UNTOLD_MS = 60_000;

/** Starts watching at once. */
export function startRelay(setup: RelaySetup): Relay {
  const relay = new RunningRelay(setup);
  return {
    ready: relay.start(),
    status: () => relay.status(),
    lead: () => relay.lead(),
    rest: () => relay.rest(),
    stop: () => relay.stop(),
  };
}

class RunningRelay {
  readonly #setup: RelaySetup;
  readonly #options: RelayOptions;
  readonly #kinds: readonly KindFacts[];
  readonly #cache: RelayCache;
  readonly #outbox: Outbox;
  readonly #scopes: Scope[];
  readonly #heartbeats = new Heartbeats();
  readonly #external = new ExternalOwnerCounts();
  readonly #identity: Identity;
  readonly #audits: AuditRounds;
  readonly #server: ServerAnswers;
  readonly #problems: ProblemLog;
  readonly #leases: LeaseKeeper | undefined;
  readonly #served: { nodes: ServedNodes; questions: Questions } | undefined;
  readonly #ending = new AbortController();
  readonly #ready = Promise.withResolvers<void>();
  readonly #loops: Promise<void>[] = [];
  #session: string;
  #era: number;
  /** Since this replica leads, the queue has accepted a full list. */
  #isReady = false;
  /** A list was complete at least once, whichever replica sent it. */
  #isWarm = false;
  #failures = 0;
  #fullListAtMs = Number.NEGATIVE_INFINITY;
  /** Aborted when another replica leads; undefined on standby. */
  #leading: AbortController | undefined;
  #isWatching = false;
  #commands: Commands | undefined;
  #untoldRestore: { versions: { from: string; to: string }; atMs: number } | undefined;

  constructor(setup: RelaySetup) {
    this.#setup = setup;
    const { source, queue, clock, telemetry, cluster, manages, namespaces, era } = setup;
    this.#options = { ...RELAY_OPTIONS, ...setup.options };
    this.#session = clock.randomId();
    this.#era = era;
    if (setup.standby !== true) this.#leading = new AbortController();
    this.#kinds = managedKinds(manages, setup.kinds, { options: setup.kindOptions });
    this.#cache = new RelayCache({ manages, kinds: this.#kinds, telemetry });
    this.#problems = new ProblemLog({ clock, telemetry, cluster });
    const nodes = new Set(this.#kinds.flatMap((kind) => kind.nodes?.namesIn({ options: setup.kindOptions }) ?? []));
    this.#leases =
      setup.leases && nodes.size > 0 ? new LeaseKeeper({ cluster: setup.leases, clock, telemetry, name: cluster, nodes }) : undefined;
    this.#served = servedBy(setup, { nodes, kubeSystemUid: () => this.#identity.kubeSystemUid });
    this.#identity = new Identity({ source, clock, telemetry, cluster, changed: () => this.#beginSession() });
    this.#audits = new AuditRounds({
      source,
      clock,
      telemetry,
      cluster,
      options: { pageSize: this.#options.pageSize, graceMs: this.#options.auditGraceMs },
      scopes: () => this.#scopes,
      isLeading: () => this.#leading !== undefined,
      restored: (versions) => this.#restored(versions),
      signal: this.#ending.signal,
    });
    this.#server = new ServerAnswers({
      source,
      clock,
      telemetry,
      cluster,
      options: this.#options.signs,
      watches: () => this.#watches,
      heardAtMs: () => Math.max(...this.#scopes.map((scope) => scope.heardAtMs)),
      tell: (isSilent) => {
        if (this.#leading) void this.#outbox.heartbeat(() => this.#heartbeat(), { afterWholes: false });
        else if (isSilent) this.#loops.push(this.#outbox.lastWord(() => this.#heartbeat()));
      },
    });
    this.#outbox = new Outbox({
      cache: this.#cache,
      queue,
      clock,
      telemetry,
      sender: () => ({ cluster, session: this.#session, era: this.#era, kubeSystemUid: this.#identity.kubeSystemUid }),
      floorsIn: (namespace) => this.#scopeOf(namespace)?.floors,
      options: { ...OUTBOX_OPTIONS, ...this.#options },
    });
    this.#scopes = placesOf(this.#kinds, namespaces).map(
      ({ namespace, watched }) =>
        new Scope({
          namespace,
          watched,
          source,
          cache: this.#cache,
          clock,
          telemetry,
          options: this.#options,
          outbox: this.#outbox,
          isExternal: (controllerName) => this.#external.came(controllerName),
          listed: () => this.#listed(),
          failed: (error) => this.#failed(error, { namespace }),
          resumed: () => void this.#audits.runSoon(),
          restored: (versions) => this.#restored(versions),
          sawDate: (dateMs, askedAtMs) => this.#identity.sawDate(dateMs, askedAtMs),
        }),
    );
  }

  async start(): Promise<void> {
    this.#ready.promise.catch(() => {});
    this.#loops.push(this.#run());
    await this.#ready.promise;
  }

  status(): RelayStatus {
    return {
      session: this.#session,
      era: this.#era,
      watches: this.#watches,
      pods: this.#cache.podCount,
      waiting: this.#outbox.waiting,
    };
  }

  lead(): void {
    if (this.#leading || this.#ending.signal.aborted) return;
    this.#leading = new AbortController();
    if (this.#isWatching) this.#beginToSend(this.#leading.signal);
  }

  rest(): void {
    this.#leading?.abort();
    this.#leading = undefined;
    this.#isReady = false;
    this.#outbox.hold();
  }

  #beginToSend(leading: AbortSignal): void {
    const { queue, clock, telemetry, cluster } = this.#setup;
    const signal = AbortSignal.any([this.#ending.signal, leading]);
    this.#outbox.release();
    const restored = this.#untoldRestore;
    this.#untoldRestore = undefined;
    if (restored && clock.monotonicMs() < restored.atMs + RESTORE_UNTOLD_MS) this.#restored(restored.versions);
    // Send it before the lists: a table that does not know this session when the lists end has been lost meanwhile (R1).
    void this.#outbox.heartbeat(() => this.#heartbeat(), { afterWholes: false });
    for (const scope of this.#scopes) scope.list();
    const answer = async (ask: RelayAsk): Promise<void> => await this.#answer(ask);
    this.#loops.push(
      answerAsks({
        queue,
        clock,
        telemetry,
        cluster,
        answer,
        kinds: this.#kinds,
        commands: this.#commandsOf(),
        hear: (part) => this.#served?.questions.take(part),
        signal,
      }),
      this.#server.follow({ leading, ending: this.#ending.signal }),
      ...(this.#leases ? [this.#leases.run(signal)] : []),
      ...(this.#served
        ? [this.#served.nodes.run(signal, () => void this.#outbox.heartbeat(() => this.#heartbeat(), { afterWholes: false }))]
        : []),
    );
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    for (const scope of this.#scopes) scope.stop();
    await this.#outbox.stop();
    await Promise.all(this.#loops);
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending;
    while (this.#identity.kubeSystemUid === '' && !signal.aborted)
      try {
        await this.#identity.ask();
      } catch (error) {
        this.#failed(error);
        await this.#setup.clock.wait(RETRY_MS, signal);
      }
    if (signal.aborted) return;
    if (!this.#leading) this.#outbox.hold();
    this.#outbox.start();
    this.#isWatching = true;
    if (this.#leading) this.#beginToSend(this.#leading.signal);
    else for (const scope of this.#scopes) scope.list();
    await Promise.all([
      this.#every(this.#options.heartbeatMs, async () => await this.#beat()),
      this.#every(this.#options.auditMs, async () => await this.#audits.run()),
    ]);
  }

  /** One instance for the life of the process: it remembers the commands that it has carried out. */
  #commandsOf(): Commands | undefined {
    const { executor, commander, queue, clock, telemetry, cluster, namespaces } = this.#setup;
    this.#commands ??=
      executor &&
      new Commands({
        executor,
        commander,
        queue,
        clock,
        telemetry,
        cluster,
        namespaces,
        allowed: allowedTo(this.#kinds),
        podFields: podFieldsOfKinds(this.#kinds),
        arePodsOwners: this.#kinds.some(({ resource }) => resource === PODS),
        kubeSystemUid: () => this.#identity.kubeSystemUid,
      });
    return this.#commands;
  }

  async #every(ms: number, work: () => Promise<void>): Promise<void> {
    const { clock, telemetry, cluster } = this.#setup;
    const { signal } = this.#ending;
    while (!signal.aborted) {
      await clock.wait(ms, signal);
      if (signal.aborted) return;
      await work().catch((error: unknown) => telemetry.warn('relay could not do its round', { cluster, error }));
    }
  }

  /** Starts the session of another cluster than the reported one. */
  #beginSession(): void {
    this.#renewSession();
    for (const scope of this.#scopes) scope.list();
  }

  /** Totals belong to one session, so a new session starts counting at zero. */
  #renewSession(): void {
    this.#session = this.#setup.clock.randomId();
    this.#external.clear();
  }

  get #readiness(): Readiness[] {
    return this.#scopes.map(({ readiness }) => readiness);
  }

  /** A scope's lists are complete or refused. Once no list is awaited, sends the heartbeat with the full list after the lists. */
  #listed(): void {
    this.#failures = 0;
    if (!areListed(this.#readiness)) return;
    const scopes = this.#scopes.filter(
      ({ readiness, podFloor = '0' }) => isListed(readiness) || (readiness === 'absent' && podFloor !== '0'),
    );
    if (!this.#leading) {
      if (!this.#isWarm) this.#setup.telemetry.info('relay stands by', { cluster: this.#setup.cluster, pods: this.#cache.podCount });
      this.#isWarm = true;
      this.#ready.resolve();
      return;
    }
    // If no managed resource is served, there is no full list to report.
    const fullList = scopes.length === 0 ? undefined : fullListOf(scopes);
    void this.#outbox
      .heartbeat(() => this.#heartbeat(fullList), { afterWholes: true })
      .then(() => {
        // The heartbeat was dropped: the relay ends, or lists for a new era.
        if (this.#ending.signal.aborted || !this.#leading || !areListed(this.#readiness)) return;
        this.#fullListAtMs = this.#setup.clock.monotonicMs();
        if (!this.#isReady) this.#setup.telemetry.info('relay ready', { cluster: this.#setup.cluster, pods: this.#cache.podCount });
        this.#isReady = true;
        this.#isWarm = true;
        this.#ready.resolve();
      });
  }

  async #beat(): Promise<void> {
    await this.#identity.ask().catch((error: unknown) => this.#failed(error));
    if (!this.#leading) this.#outbox.age();
    if (!this.#isReady) return;
    await this.#outbox.heartbeat(() => this.#heartbeat(), { afterWholes: false, departed: this.#cache.departedAgain() });
  }

  get #watches(): WatchState[] {
    return this.#scopes.flatMap(({ watches }) => watches);
  }

  #heartbeat(fullList?: Heartbeat['fullList']): Heartbeat {
    const { apiServer } = this.#server;
    const heartbeat = this.#heartbeats.build({
      cache: this.#cache,
      watches: this.#watches,
      clockOffsetMs: this.#identity.clockOffsetMs,
      observedUntil: (namespace) => this.#scopeOf(namespace)?.podsObservedUntil ?? '0',
      isWaiting: (workload) => this.#outbox.isWaiting(workload) || this.#isUnheard(workload.owner),
      ...(fullList && { fullList }),
      externalJobs: this.#external.told(),
    });
    const nodeApi = this.#leading && this.#served?.nodes.place;
    return { ...heartbeat, ...(apiServer && { apiServer }), ...(nodeApi && { nodeApi }) };
  }

  /** Sent at once: all that was observed before counts as missing from now on. */
  #restored({ from, to }: { from: string; to: string }): void {
    if (!this.#leading) {
      this.#untoldRestore = { versions: { from, to }, atMs: this.#setup.clock.monotonicMs() };
      return;
    }
    void this.#outbox.heartbeat(() => ({ ...this.#heartbeat(), restored: { from, to } }), { afterWholes: false });
  }

  async #answer(ask: RelayAsk): Promise<void> {
    if (ask.ask === 'everything') return this.#tellEverything(ask);
    if (ask.ask === 'leases') return await this.#leases?.keep(ask.nodes, ask.seconds);
    const { owner } = ask;
    // Do not answer from an outdated cache: the list under way reports the workload, or the list after an end of the refusal.
    if (this.#isUnheard(owner)) return;
    const facts = this.#kinds.find(({ kind }) => kind === owner.kind);
    const { source, clock } = this.#setup;
    const ofOwner = facts && !facts.isOwnerless ? await lookUpOwner({ source, cache: this.#cache, clock }, facts, owner) : undefined;
    if (ofOwner) this.#outbox.note(ofOwner);
    // Report the cached children again, but not as a whole list: only a list proves absence (R19).
    const workload = this.#cache.workload(owner);
    if (!workload) return;
    for (const news of this.#cache.childrenOf(workload)) this.#outbox.note(news);
  }

  #tellEverything({ era, after }: Extract<RelayAsk, { ask: 'everything' }>): void {
    const { clock } = this.#setup;
    if (era > this.#era) {
      this.#era = era;
      this.#renewSession();
      // Report nothing in the new session that was observed before the restore of the API server (R3).
      this.#outbox.forget();
      for (const scope of this.#scopes) scope.beginAnew();
      return;
    }
    // The ask only announces the era, for a relay of an earlier one. If another replica receives it, the first one began the era by a list.
    if (!this.#isReady || after === undefined) return;
    // Use the relay's own clock and count alone: the queue's may differ (R12).
    const isAnswered =
      after.session === this.#session ? after.sequence < this.#outbox.wholesFrom : clock.monotonicMs() < this.#fullListAtMs + CROSSING_MS;
    if (!isAnswered) for (const scope of this.#scopes) scope.list();
  }

  /** Watches retry for ever. A start that cannot succeed ends with an error. */
  #failed(error: unknown, within?: { namespace: string | undefined }): void {
    if (this.#ending.signal.aborted) return;
    this.#problems.note(error, within?.namespace);
    if (this.#isWarm) return;
    if (error instanceof NotDoneError) this.#failures += 1;
    const isRefusal = error instanceof TerminalError || error instanceof NotFoundError;
    if (isRefusal ? within && this.#scopes.some(({ isAnyLetIn }) => isAnyLetIn) : this.#failures < PATIENCE) return;
    this.#ready.reject(error instanceof Error ? error : new Error(String(error)));
    this.#ending.abort();
    for (const scope of this.#scopes) scope.stop();
  }

  /** The cached state of that namespace may be outdated, and no ask may be answered from it. */
  #isUnheard(owner: OwnerName): boolean {
    const scope = this.#scopeOf(owner.namespace);
    return scope !== undefined && !scope.isObserved(owner);
  }

  #scopeOf(namespace: string): Scope | undefined {
    return this.#scopes.find((scope) => scope.namespace === namespace) ?? this.#scopes.find((scope) => scope.namespace === undefined);
  }
}

/** Undefined: this relay answers for no virtual node. */
function servedBy(
  { servesNodes, queue, clock, telemetry, cluster: name }: RelaySetup,
  { nodes, kubeSystemUid }: { nodes: ReadonlySet<string>; kubeSystemUid: () => string },
): { nodes: ServedNodes; questions: Questions } | undefined {
  if (!servesNodes || nodes.size === 0) return undefined;
  const questions = new Questions({ queue, clock, cluster: name, kubeSystemUid });
  return { questions, nodes: new ServedNodes({ ...servesNodes, nodes: [...nodes], clock, telemetry, questions }) };
}
