// Who is served next: the order of one queue's messages in memory. Standard lines serve groups in turn, of each what
// became visible first; FIFO lines serve groups, each in order, and none of a group while one of it is in flight.

export interface Entry {
  sequence: number;
  messageId: string;
  groupId: string | undefined;
  deduplicationId: string | undefined;
  sentAtMs: number;
  receiveCount: number;
  visibleAtMs: number;
  /** Of the latest receive. */
  receipt: string | undefined;
  /** Deletions that it outlives: duplicates on purpose. */
  extraDeliveries: number;
  state: 'visible' | 'inFlight' | 'delayed' | 'gone';
}

export interface Line {
  readonly entries: Map<number, Entry>;
  /** @param entry its state follows from receipt and visibleAtMs */
  add(entry: Entry, nowMs: number): void;
  /** Makes visible again what is due. */
  promote(nowMs: number): void;
  /** Up to `max` visible entries, in the order to serve them; those that `refuse` says are passed over (and must be removed by it). */
  take(max: number, refuse: (entry: Entry) => boolean): Entry[];
  /** The entry was taken: out of sight until then. */
  hide(entry: Entry, visibleAtMs: number): void;
  remove(entry: Entry): void;
  /** When the next entry becomes visible by itself. */
  nextVisibleAtMs(): number | undefined;
}

/** First in, first out, without moving what stays. */
class Deque<Value> {
  #values: Value[] = [];
  #first = 0;

  get length(): number {
    return this.#values.length - this.#first;
  }

  push(value: Value): void {
    this.#values.push(value);
  }

  peek(): Value | undefined {
    return this.#values[this.#first];
  }

  shift(): Value | undefined {
    const value = this.#values[this.#first];
    if (this.#first < this.#values.length) this.#first++;
    if (this.#first > 512 && this.#first * 2 > this.#values.length) {
      this.#values = this.#values.slice(this.#first);
      this.#first = 0;
    }
    return value;
  }

  forEachWhile(visit: (value: Value) => boolean): void {
    for (let index = this.#first; index < this.#values.length; index++) {
      const value = this.#values[index];
      if (value === undefined || !visit(value)) return;
    }
  }
}

/** When each entry becomes visible: a heap by time. An entry whose time was changed since is passed over when its turn comes. */
class Timetable {
  #heap: { atMs: number; entry: Entry }[] = [];

  push(entry: Entry): void {
    const heap = this.#heap;
    const added = { atMs: entry.visibleAtMs, entry };
    let index = heap.length;
    heap.push(added);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent];
      if (!above || isBefore(above, added)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = added;
  }

  /** @param live how many entries there are: a heap of mostly outdated ones is made anew */
  first(live: number): { atMs: number; entry: Entry } | undefined {
    if (this.#heap.length > 1_000 && this.#heap.length > 4 * live) this.#compact();
    for (let first = this.#heap[0]; first; first = this.#heap[0]) {
      if (isCurrent(first)) return first;
      this.pop();
    }
    return undefined;
  }

  pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const [leftChild, rightChild] = [heap[left], heap[left + 1]];
      if (!leftChild) break;
      const [child, at] = rightChild && isBefore(rightChild, leftChild) ? [rightChild, left + 1] : [leftChild, left];
      if (isBefore(last, child)) break;
      heap[index] = child;
      index = at;
    }
    heap[index] = last;
  }

  #compact(): void {
    const current = this.#heap.filter(isCurrent);
    this.#heap = [];
    for (const { entry } of current) this.push(entry);
  }
}

type Timed = { atMs: number; entry: Entry };

const isBefore = (one: Timed, other: Timed): boolean =>
  one.atMs < other.atMs || (one.atMs === other.atMs && one.entry.sequence < other.entry.sequence);

const isCurrent = ({ atMs, entry }: Timed): boolean =>
  (entry.state === 'inFlight' || entry.state === 'delayed') && entry.visibleAtMs === atMs;

/** Shared by both kinds of line: the entries and when they come back. */
abstract class TimedLine {
  readonly entries = new Map<number, Entry>();
  readonly #timetable = new Timetable();

  add(entry: Entry, nowMs: number): void {
    this.entries.set(entry.sequence, entry);
    if (entry.visibleAtMs > nowMs) {
      entry.state = entry.receipt === undefined ? 'delayed' : 'inFlight';
      this.#timetable.push(entry);
    } else entry.state = 'visible';
    this.added(entry);
  }

  promote(nowMs: number): void {
    for (let first = this.#first(); first && first.atMs <= nowMs; first = this.#first()) {
      this.#timetable.pop();
      const before = first.entry.state;
      first.entry.state = 'visible';
      this.appeared(first.entry, before);
    }
  }

  hide(entry: Entry, visibleAtMs: number): void {
    const before = entry.state;
    entry.state = 'inFlight';
    entry.visibleAtMs = visibleAtMs;
    this.#timetable.push(entry);
    this.hidden(entry, before);
  }

  remove(entry: Entry): void {
    const before = entry.state;
    entry.state = 'gone';
    this.entries.delete(entry.sequence);
    this.removed(entry, before);
  }

  nextVisibleAtMs(): number | undefined {
    return this.#first()?.atMs;
  }

  #first(): Timed | undefined {
    return this.#timetable.first(this.entries.size);
  }

  protected abstract added(entry: Entry): void;
  protected abstract appeared(entry: Entry, before: Entry['state']): void;
  protected abstract hidden(entry: Entry, before: Entry['state']): void;
  protected abstract removed(entry: Entry, before: Entry['state']): void;
}

/** Messages of one group that can be served, in the order in which they became visible. One without a group is its own, as for SQS. */
interface Lane {
  name: string;
  entries: Deque<Entry>;
}

/** Fair, as a standard queue of SQS is to message groups: one message of each in turn, so that none waits behind another's flood. */
export class StandardLine extends TimedLine implements Line {
  readonly #lanes = new Map<string, Lane>();
  /** The lane that waits longest first. */
  readonly #turns = new Deque<Lane>();

  take(max: number, refuse: (entry: Entry) => boolean): Entry[] {
    const taken: Entry[] = [];
    while (taken.length < max) {
      const lane = this.#turns.shift();
      if (!lane) break;
      const entry = lane.entries.shift();
      // Deleted after its time-out had passed, or standing here twice.
      if (entry?.state === 'visible' && !taken.includes(entry) && !refuse(entry)) taken.push(entry);
      if (lane.entries.length > 0) this.#turns.push(lane);
      else this.#lanes.delete(lane.name);
    }
    return taken;
  }

  protected added(entry: Entry): void {
    if (entry.state === 'visible') this.#queueUp(entry);
  }

  protected appeared(entry: Entry): void {
    this.#queueUp(entry);
  }

  protected hidden(): void {}

  protected removed(): void {}

  #queueUp(entry: Entry): void {
    const name = entry.groupId ?? `without a group: ${entry.sequence}`;
    let lane = this.#lanes.get(name);
    if (!lane) {
      lane = { name, entries: new Deque() };
      this.#lanes.set(name, lane);
      this.#turns.push(lane);
    }
    lane.entries.push(entry);
  }
}

interface Group {
  name: string;
  /** In the order they were sent; those gone are passed over. */
  entries: Deque<Entry>;
  live: number;
  inFlight: number;
  isListed: boolean;
}

export class FifoLine extends TimedLine implements Line {
  readonly #groups = new Map<string, Group>();
  /** Groups that can be served, the one that waits longest first. */
  readonly #ready = new Deque<Group>();

  take(max: number, refuse: (entry: Entry) => boolean): Entry[] {
    const taken: Entry[] = [];
    while (taken.length < max) {
      const group = this.#ready.shift();
      if (!group) break;
      // Emptied since, perhaps begun anew under the same name.
      if (this.#groups.get(group.name) !== group) continue;
      while (group.entries.peek()?.state === 'gone') group.entries.shift();
      const before = taken.length;
      // Still listed, so that refusing one does not list it anew before the others are hidden.
      if (group.inFlight === 0)
        group.entries.forEachWhile((entry) => {
          if (entry.state === 'visible' && !refuse(entry)) taken.push(entry);
          return taken.length < max;
        });
      group.isListed = false;
      // Nothing of it was taken, so nothing of it will come back and list it.
      if (taken.length === before && this.#groups.get(group.name) === group) this.#list(group);
    }
    return taken;
  }

  protected added(entry: Entry): void {
    const name = entry.groupId ?? '';
    let group = this.#groups.get(name);
    if (!group) this.#groups.set(name, (group = { name, entries: new Deque(), live: 0, inFlight: 0, isListed: false }));
    group.entries.push(entry);
    group.live++;
    if (entry.state === 'inFlight') group.inFlight++;
    this.#list(group);
  }

  protected appeared(entry: Entry, before: Entry['state']): void {
    this.#leave(entry, before);
  }

  protected hidden(entry: Entry, before: Entry['state']): void {
    const group = this.#groups.get(entry.groupId ?? '');
    if (group && before !== 'inFlight') group.inFlight++;
  }

  protected removed(entry: Entry, before: Entry['state']): void {
    const group = this.#groups.get(entry.groupId ?? '');
    if (group) group.live--;
    this.#leave(entry, before);
  }

  #leave(entry: Entry, before: Entry['state']): void {
    const name = entry.groupId ?? '';
    const group = this.#groups.get(name);
    if (!group) return;
    if (before === 'inFlight') group.inFlight--;
    if (group.live === 0) this.#groups.delete(name);
    else this.#list(group);
  }

  #list(group: Group): void {
    if (group.isListed || group.live === 0 || group.inFlight > 0) return;
    group.isListed = true;
    this.#ready.push(group);
  }
}
