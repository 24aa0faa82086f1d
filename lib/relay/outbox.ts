// What is still to be sent: marks on workloads and pods, made into messages when the queue is ready for them. So a message holds the
// newest state of each object whatever happened meanwhile, and what waits never takes more memory than what there is.
import type { Clock } from '../ports/clock.ts';
import type { OutgoingMessage, Queue } from '../ports/queue.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import { encodeEvents } from '../wire/events.ts';
import { MessageTooLargeError } from '../wire/undecodable.ts';
import type { Heartbeat, OutgoingEvents } from '../wire/observations.ts';
import type { News, RelayCache } from './cache.ts';
import type { Workload } from './workload.ts';
import type { ChildTable } from './children.ts';
import type { GatheringOptions } from './gathering.ts';
import { Gathering } from './gathering.ts';
import {
  isOfList,
  markAgain,
  markNews,
  marksOf,
  markWholeChildren,
  Reports,
  type Marks,
  type Report,
  type ReportsSetup,
} from './reports.ts';

export interface OutboxOptions extends GatheringOptions {
  /** Estimated bytes after which a message is full. */
  messageBytes: number;
  /** Pods of one whole list in one message; more are split by slots. */
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

/** What every message says of the relay itself. */
export type Sender = Pick<OutgoingEvents, 'cluster' | 'session' | 'era' | 'kubeSystemUid'>;

export interface OutboxSetup extends Omit<ReportsSetup, 'cache' | 'wholePods'> {
  cache: ReportsSetup['cache'] & Pick<RelayCache, 'hasTracked'>;
  queue: Queue;
  clock: Clock;
  telemetry: Telemetry;
  sender: () => Sender;
  options: OutboxOptions;
}

/** Encoded at once: the reports themselves would take many times the memory. */
interface Draft {
  marks: Marks[];
  messages: OutgoingMessage[];
}

const MESSAGES_AT_ONCE = 10;
/** Characters of all of them: a queue counts what is longer as several anyway, and each lies in memory a few times while it is sent. */
const LENGTH_AT_ONCE = 262_144;
const POD_BYTES = 34;
const REPORT_BYTES = 200;
const CHILD_BYTES = 60;

export class Outbox {
  readonly #setup: OutboxSetup;
  readonly #marks = new Map<Workload, Marks>();
  readonly #ending = new AbortController();
  #heartbeats: { build: () => Heartbeat; afterWholes: boolean; accepted: () => void }[] = [];
  /** Marks of whole lists that wait. */
  #wholes = 0;
  #sequence = 0;
  #wholesFrom = 0;
  /** Counts how often everything was forgotten: what was drafted before is not sent after. */
  #beginnings = 0;
  #wake: () => void = () => {};
  readonly #gathering: Gathering;
  readonly #reports: Reports;
  /** Nothing is sent: another replica does. */
  #isHeld = false;
  /** While held: marks of the minute before the one that is being noted. */
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

  /** What waits, and what is being tried, tells of a past that is no more (R3). */
  forget(): void {
    this.#beginnings += 1;
    this.#marks.clear();
    this.#before.clear();
    this.#wholes = 0;
    for (const { accepted } of this.#heartbeats.splice(0)) accepted();
  }

  /** From now on nothing is sent; what waits is told by whoever sends instead. */
  hold(): void {
    this.#isHeld = true;
    this.forget();
  }

  /** While held: what was noted before the last call is let go of. Whoever takes over lists anew, and this is for the time until then. */
  age(): void {
    if (!this.#isHeld) return;
    for (const { workload } of this.#before.values()) if (!this.#marks.has(workload)) workload.unsent = undefined;
    this.#before = new Map(this.#marks);
    this.#marks.clear();
  }

  /** Sends from now on, first of all what was noted in the last minute or two: whoever sent before may not have come to it. */
  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    for (const [workload, marks] of this.#before) {
      markAgain(this.#marksOf(workload), marks);
    }
    this.#before.clear();
    this.#wake();
  }

  /** The latest whole lists are in messages from that sequence on. */
  get wholesFrom(): number {
    return this.#wholesFrom;
  }

  /** Workloads with something to send. */
  get waiting(): number {
    return this.#marks.size;
  }

  isWaiting(workload: Workload): boolean {
    return this.#marks.has(workload);
  }

  note(news: News): void {
    const { workload, pod, gone, isSpec } = news;
    if (pod === undefined && !gone) this.#gathering.noted({ spec: isSpec ?? false });
    else this.#gathering.noted({ pod: { isLast: () => !this.#setup.cache.hasTracked(workload, pod) } });
    markNews(this.#marksOf(workload), news);
    this.#wake();
  }

  /** The list of these children is through. */
  noteWholeChildren(workload: Workload, table: ChildTable): void {
    if (this.#isHeld) return;
    const marks = this.#marksOf(workload);
    this.#countWhole(marks);
    markWholeChildren(marks, table);
    this.#wake();
  }

  noteWhole(workload: Workload): void {
    // What a list told is told by the next one.
    if (this.#isHeld) {
      if (!this.#marks.has(workload)) workload.unsent = undefined;
      return;
    }
    const marks = this.#marksOf(workload);
    this.#countWhole(marks);
    marks.whole = true;
    marks.owner = true;
    this.#wake();
  }

  /**
   * Sent soon, however much waits.
   * @param options.afterWholes only once all whole lists have been accepted
   * @returns once the queue has accepted it, or nobody waits for it any more: it was forgotten, or the outbox has ended
   */
  async heartbeat(build: () => Heartbeat, { afterWholes }: { afterWholes: boolean }): Promise<void> {
    await new Promise<void>((accepted) => {
      this.#heartbeats.push({ build, afterWholes, accepted });
      this.#wake();
    });
  }

  /** Sent though nothing else is: what this replica alone knows of why it does not lead any more. */
  async lastWord(build: () => Heartbeat): Promise<void> {
    await this.#deliver(this.#messagesOf(build()), []);
  }

  /** Before it is marked as one. */
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
      // Unless there is more than enough already.
      if (this.#marks.size > 0 && !isFull) await this.#gather();
      if (!signal.aborted) isFull = await this.#flush();
    }
  }

  async #gather(): Promise<void> {
    const arePodsAlone = (): boolean =>
      this.#heartbeats.length === 0 && [...this.#marks.values()].every(({ owner, whole }) => !owner && !whole);
    await this.#gathering.over(arePodsAlone);
  }

  /** @returns true when there was more than may go at once */
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
    for (const { build, accepted } of due) {
      await this.#deliver(this.#messagesOf(build()), []);
      accepted();
    }
    return isMoreThere;
  }

  /** Tries until the queue accepts. What fails goes back among what waits, to be sent in its newest state. @returns false: the outbox has ended */
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

  /** The same objects as they stand now, so that an overloaded queue is not fed with what is no longer so. */
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

  /** As much of what waits as fills a message. */
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
        bytes += REPORT_BYTES + (report.observed ? REPORT_BYTES : 0) + POD_BYTES * report.pods.told.length;
        bytes += CHILD_BYTES * (report.children?.length ?? 0);
      }
    }
    return { marks: taken, messages: this.#encode(reports) };
  }

  /** Messages that the queue can hold: what turns out too large is halved, what cannot be halved is told of and left out. */
  #encode(reports: readonly Report[]): OutgoingMessage[] {
    if (reports.length === 0) return [];
    // Functions of the build before read messages without them: what they know does not wait with what they do not.
    const later = reports.filter(({ children }) => children);
    if (later.length > 0 && later.length < reports.length)
      return [...this.#encode(reports.filter(({ children }) => !children)), ...this.#encode(later)];
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
    const { told } = only.pods;
    if (told.length > 1 && !only.whole) {
      const half = Math.ceil(told.length / 2);
      return [
        ...this.#encode([{ ...only, pods: only.pods.of(told.slice(0, half)) }]),
        ...this.#encode([{ owner: only.owner, pods: only.pods.of(told.slice(half)), ...(only.children && { children: [] }) }]),
      ];
    }
    const { children = [] } = only;
    if (children.length > 1 && !only.wholeChildren && !only.whole) {
      const half = Math.ceil(children.length / 2);
      return [
        ...this.#encode([{ ...only, children: children.slice(0, half) }]),
        ...this.#encode([{ owner: only.owner, pods: only.pods.of([]), children: children.slice(half) }]),
      ];
    }
    this.#setup.telemetry.error('report is too large for a message', { ...only.owner, reason });
    this.#setup.telemetry.count('ReportsTooLarge', 1, 'Count');
    return [];
  }

  /** Digests of kinds that have children other than pods travel apart, as their reports do. */
  #messagesOf(heartbeat: Heartbeat): OutgoingMessage[] {
    const later = heartbeat.digests.filter(({ parts }) => parts);
    const digests = heartbeat.digests.filter(({ parts }) => !parts);
    const first = this.#messageOf({ reports: [], heartbeat: { ...heartbeat, digests } });
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
