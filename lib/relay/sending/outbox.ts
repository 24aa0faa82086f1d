// The queue of unsent changes: marks on workloads and pods, which become messages when the queue is ready for them. So a message holds the
// newest state of each object, and waiting changes never take more memory than the objects themselves.
import type { Clock } from '../../ports/clock.ts';
import type { OutgoingMessage, Queue } from '../../ports/queue.ts';
import type { Telemetry } from '../../ports/telemetry.ts';
import { encodeEvents } from '../../wire/events.ts';
import { MessageTooLargeError } from '../../wire/words/undecodable.ts';
import type { Heartbeat, OutgoingEvents } from '../../wire/words/observations.ts';
import { isOfVersion2 } from '../../wire/reported-children.ts';
import type { RelayCache } from '../cache/cache.ts';
import type { CachedChildren, News } from '../cache/cached-children.ts';
import type { Workload } from '../cache/cached-workload.ts';
import type { GatheringOptions } from './debounced-sends.ts';
import { Gathering } from './debounced-sends.ts';
import type { ReportedChildren } from './reported-children.ts';
import { isOfList, markAgain, markNews, marksOf, markWhole, Reports, type Marks, type Report, type ReportsSetup } from './reports.ts';

export interface OutboxOptions extends GatheringOptions {
  /** Estimated bytes after which a message is full. */
  messageBytes: number;
  /** Most pods of one whole list in one message. A longer list is split by slots. */
  wholePods: number;
  firstBackoffMs: number;
  longestBackoffMs: number;
}

export const OUTBOX_OPTIONS: OutboxOptions = {
  delayMs: 100,
  podsEveryMs: 0,
  messageBytes: 120_000,
  wholePods: 4_000,
  firstBackoffMs: 200,
  longestBackoffMs: 15_000,
};

/** Facts about the relay itself, in every message. */
export type Sender = Pick<OutgoingEvents, 'cluster' | 'session' | 'era' | 'kubeSystemUid'>;

export interface OutboxSetup extends Omit<ReportsSetup, 'cache' | 'wholePods'> {
  cache: ReportsSetup['cache'] & Pick<RelayCache, 'hasTracked'>;
  queue: Queue;
  clock: Clock;
  telemetry: Telemetry;
  sender: () => Sender;
  options: OutboxOptions;
}

/** Messages are encoded at once: the reports themselves would take many times the memory. */
interface Draft {
  marks: Marks[];
  messages: OutgoingMessage[];
}

const MESSAGES_AT_ONCE = 10;
/**
 * Most characters of all messages of one send. A queue bills a longer one as several, and each lies in memory a few times while it is sent.
 */
const LENGTH_AT_ONCE = 262_144;
const REPORT_BYTES = 200;

export class Outbox {
  readonly #setup: OutboxSetup;
  readonly #marks = new Map<Workload, Marks>();
  readonly #ending = new AbortController();
  #heartbeats: { build: () => Heartbeat; afterWholes: boolean; departed: readonly Workload[]; accepted: () => void }[] = [];
  /** Number of waiting marks of whole lists. */
  #wholes = 0;
  #sequence = 0;
  #wholesFrom = 0;
  /** Counts calls of `forget`: messages drafted before one are not sent after it. */
  #beginnings = 0;
  #wake: () => void = () => {};
  readonly #gathering: Gathering;
  readonly #reports: Reports;
  /** On standby: another replica sends. */
  #isHeld = false;
  /** While held: the marks of the minute before the current one. */
  #before = new Map<Workload, Marks>();
  #running: Promise<void> | undefined;

  constructor(setup: OutboxSetup) {
    this.#setup = setup;
    this.#gathering = new Gathering(setup.clock, setup.options);
    this.#reports = new Reports({ ...setup, wholePods: setup.options.wholePods });
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    this.#gathering.end();
    this.#wake();
    await this.#running;
    for (const { accepted } of this.#heartbeats.splice(0)) accepted();
  }

  /** Drops the waiting changes and those being sent: they describe a state that the API server no longer has (R3). */
  forget(): void {
    this.#beginnings += 1;
    this.#marks.clear();
    this.#before.clear();
    this.#wholes = 0;
    for (const { accepted } of this.#heartbeats.splice(0)) accepted();
  }

  /** Stops sending. The replica that sends instead reports the waiting changes. */
  hold(): void {
    this.#isHeld = true;
    this.forget();
  }

  /** While held: drops the marks from before the last call. A replica that takes over lists again; the marks cover the time until then. */
  age(): void {
    if (!this.#isHeld) return;
    for (const { workload } of this.#before.values()) if (!this.#marks.has(workload)) workload.unsent = undefined;
    this.#before = new Map(this.#marks);
    this.#marks.clear();
  }

  /** Starts sending, first the changes of the last minute or two: the replica before may not have sent them. */
  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    for (const [workload, marks] of this.#before) {
      markAgain(this.#marksOf(workload), marks);
    }
    this.#before.clear();
    this.#wake();
  }

  /** Sequence of the first message that can hold the latest whole lists. */
  get wholesFrom(): number {
    return this.#wholesFrom;
  }

  /** Number of workloads with unsent changes. */
  get waiting(): number {
    return this.#marks.size;
  }

  isWaiting(workload: Workload): boolean {
    return this.#marks.has(workload);
  }

  note(news: News): void {
    const { workload, table, key, isSpec } = news;
    if (!table?.isCounted) this.#gathering.noted({ spec: isSpec ?? false });
    else this.#gathering.noted({ pod: { isLast: () => !this.#setup.cache.hasTracked(workload, key) } });
    markNews(this.#marksOf(workload), news);
    this.#wake();
  }

  /** The list of these children is complete. */
  noteWhole(workload: Workload, table: CachedChildren): void {
    // Drop it: the replica lists again when it takes over.
    if (this.#isHeld) {
      if (!this.#marks.has(workload)) workload.unsent = undefined;
      return;
    }
    const marks = this.#marksOf(workload);
    this.#countWhole(marks);
    markWhole(marks, table);
    this.#wake();
  }

  /**
   * Sends a heartbeat soon, however many changes wait.
   * @param options.afterWholes send it only after the queue has accepted all whole lists
   * @param options.departed owners whose deletion its message tells of
   * @returns once the queue has accepted it, or it was dropped because of `forget` or because the outbox has ended
   */
  async heartbeat(
    build: () => Heartbeat,
    { afterWholes, departed = [] }: { afterWholes: boolean; departed?: readonly Workload[] },
  ): Promise<void> {
    await new Promise<void>((accepted) => {
      this.#heartbeats.push({ build, afterWholes, departed, accepted });
      this.#wake();
    });
  }

  /** Sends a heartbeat even while held. This replica alone knows the reason why it no longer leads. */
  async lastWord(build: () => Heartbeat): Promise<void> {
    await this.#deliver(this.#messagesOf(build()), []);
  }

  /** Call it before the marks become those of a whole list. */
  #countWhole(marks: Marks): void {
    if (this.#wholes === 0) this.#wholesFrom = this.#sequence + 1;
    if (!isOfList(marks)) this.#wholes += 1;
  }

  #marksOf(workload: Workload): Marks {
    const known = this.#marks.get(workload);
    if (known) return known;
    const marks = marksOf(workload);
    this.#marks.set(workload, marks);
    return marks;
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending;
    let isFull = false;
    while (!signal.aborted) {
      if (this.#isHeld || (this.#marks.size === 0 && this.#heartbeats.length === 0)) {
        await new Promise<void>((wake) => {
          this.#wake = wake;
        });
        continue;
      }
      // Do not debounce while more than one send is waiting.
      if (this.#marks.size > 0 && !isFull) await this.#gather();
      if (!signal.aborted) isFull = await this.#flush();
    }
  }

  async #gather(): Promise<void> {
    const arePodsAlone = (): boolean =>
      this.#heartbeats.length === 0 && [...this.#marks.values()].every(({ owner, whole }) => !owner && !whole);
    await this.#gathering.over(arePodsAlone);
  }

  /** @returns true if more waits than one send may take */
  async #flush(): Promise<boolean> {
    const beginnings = this.#beginnings;
    const drafts = this.#takeDrafts();
    const isMoreThere = this.#marks.size > 0;
    const messages = drafts.flatMap((draft) => draft.messages);
    if (!(await this.#deliver(messages, drafts))) return false;
    if (beginnings !== this.#beginnings) return false;
    for (const { marks } of drafts)
      for (const { workload, told } of marks) if (told && workload.unsent === told) workload.unsent = undefined;
    const due = this.#heartbeats.filter(({ afterWholes }) => !afterWholes || this.#wholes === 0);
    this.#heartbeats = this.#heartbeats.filter((heartbeat) => !due.includes(heartbeat));
    for (const { build, departed, accepted } of due) {
      await this.#deliver(this.#messagesOf(build(), departed), []);
      accepted();
    }
    return isMoreThere;
  }

  /** Retries until the queue accepts. Each retry sends the newest state. @returns false if the outbox has ended or was forgotten */
  async #deliver(messages: OutgoingMessage[], drafts: readonly Draft[]): Promise<boolean> {
    const { queue, clock, telemetry, options } = this.#setup;
    const beginnings = this.#beginnings;
    let backoffMs = options.firstBackoffMs;
    for (;;) {
      if (this.#ending.signal.aborted || beginnings !== this.#beginnings) return false;
      try {
        if (messages.length > 0) await queue.send('events', messages);
        telemetry.count('EventMessages', messages.length, 'Count');
        this.#gathering.sent();
        return true;
      } catch (error) {
        telemetry.warn('events not accepted by the queue', { messages: messages.length, backoffMs: Math.round(backoffMs), error });
      }
      await clock.wait(backoffMs, this.#ending.signal);
      backoffMs = Math.min(options.longestBackoffMs, options.firstBackoffMs + clock.random() * (backoffMs * 3 - options.firstBackoffMs));
      if (drafts.length > 0) messages = this.#redraft(drafts);
    }
  }

  /** Encodes the same objects in their present state, so that an overloaded queue does not get outdated states. */
  #redraft(drafts: readonly Draft[]): OutgoingMessage[] {
    return drafts.flatMap(({ marks }) => this.#encode(marks.flatMap((each) => this.#reports.of(each))));
  }

  #takeDrafts(): Draft[] {
    const drafts: Draft[] = [];
    let length = 0;
    while (this.#marks.size > 0 && drafts.length < MESSAGES_AT_ONCE && length < LENGTH_AT_ONCE) {
      const draft = this.#takeDraft();
      drafts.push(draft);
      for (const { body } of draft.messages) length += body.length;
    }
    return drafts;
  }

  /** Takes as many of the waiting marks as fill a message. */
  #takeDraft(): Draft {
    const taken: Marks[] = [];
    const reports: Report[] = [];
    let bytes = 0;
    for (const [workload, marks] of this.#marks) {
      if (bytes >= this.#setup.options.messageBytes) break;
      this.#marks.delete(workload);
      if (isOfList(marks)) this.#wholes -= 1;
      taken.push(marks);
      for (const report of this.#reports.of(marks)) {
        reports.push(report);
        bytes += REPORT_BYTES + (report.observed ? REPORT_BYTES : 0);
        for (const children of report.children) bytes += children.bytes;
      }
    }
    return { marks: taken, messages: this.#encode(reports) };
  }

  /** Encodes messages that the queue can hold. Halves a report that is too large; logs and drops one that cannot be halved. */
  #encode(reports: readonly Report[]): OutgoingMessage[] {
    if (reports.length === 0) return [];
    // Functions of the build before cannot read messages with children. Send the other reports apart from them, so that these do not wait.
    const later = reports.filter(isOfVersion2);
    if (later.length > 0 && later.length < reports.length)
      return [...this.#encode(reports.filter((report) => !isOfVersion2(report))), ...this.#encode(later)];
    let reason: string;
    try {
      return [this.#messageOf({ reports: [...reports] })];
    } catch (error) {
      if (!(error instanceof MessageTooLargeError)) throw error;
      reason = error.message;
    }
    const [only] = reports;
    if (reports.length > 1 || only === undefined) {
      const half = Math.ceil(reports.length / 2);
      return [...this.#encode(reports.slice(0, half)), ...this.#encode(reports.slice(half))];
    }
    const halves = halvesOf(only);
    if (halves) return halves.flatMap((half) => this.#encode([half]));
    this.#setup.telemetry.error('report is too large for a message', { ...only.owner, reason });
    this.#setup.telemetry.count('ReportsTooLarge', 1, 'Count');
    return [];
  }

  /** Sends digests of kinds with children other than pods in a message of their own, as their reports. */
  #messagesOf(heartbeat: Heartbeat, departed: readonly Workload[] = []): OutgoingMessage[] {
    const later = heartbeat.digests.filter(({ parts }) => parts);
    const digests = heartbeat.digests.filter(({ parts }) => !parts);
    const reports = departed.flatMap((workload) => this.#reports.of({ ...marksOf(workload), owner: true }));
    const first = this.#messageOf({ reports, heartbeat: { ...heartbeat, digests } });
    if (later.length === 0) return [first];
    const { fullList: _toldOnce, restored: _toldToo, ...again } = heartbeat;
    return [first, this.#messageOf({ reports: [], heartbeat: { ...again, digests: later } })];
  }

  #messageOf(content: { reports: Report[]; heartbeat?: Heartbeat }): OutgoingMessage {
    const sender = this.#setup.sender();
    this.#sequence += 1;
    const message: OutgoingEvents = { ...sender, sequence: this.#sequence, sentAtMs: Math.round(this.#setup.clock.nowMs()), ...content };
    return { body: encodeEvents(message), groupId: sender.cluster };
  }
}

/** @returns undefined if it cannot be divided */
function halvesOf({ children, ...about }: Report): [Report, Report] | undefined {
  const { owner } = about;
  const filled = children.filter(({ isEmpty }) => !isEmpty);
  const [first] = filled;
  // Each report names every resource of its kind, also one without news.
  const childrenWith = (wanted: (each: ReportedChildren) => ReportedChildren | undefined): ReportedChildren[] =>
    children.map((each) => wanted(each) ?? each.of([]));
  if (filled.length > 1)
    return [
      { ...about, children: childrenWith((each) => (each === first ? each : undefined)) },
      { owner, children: childrenWith((each) => (each === first ? undefined : each)) },
    ];
  const halves = first?.halves();
  return (
    halves && [
      { ...about, children: childrenWith((each) => (each === first ? halves[0] : undefined)) },
      { owner, children: childrenWith((each) => (each === first ? halves[1] : undefined)) },
    ]
  );
}
