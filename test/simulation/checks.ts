// Runs the invariants: each is asked at the moments that it speaks of, and the first that is broken ends the run.
import type { Deadline } from '../../lib/ports/clock.ts';
import type { ReceivedMessage } from '../../lib/ports/queue.ts';
import type { Call } from './calls.ts';
import { isWrite } from './calls.ts';
import { Costs } from './costs.ts';
import type { ObjectChange } from './history.ts';
import { INVARIANTS, type Outcome } from './invariants/table.ts';
import { Ledger } from './ledger.ts';
import type { Process } from './process.ts';
import type { Simulation } from './simulation.ts';

const COSTS = ['passes', 'writes', 'messages', 'headWrites'] as const;
export type Cost = Record<(typeof COSTS)[number], number>;

export interface Violation {
  invariant: string;
  atMs: number;
  says: string;
}

const asked = {
  change: INVARIANTS.flatMap((row) => (row.onChange ? [{ name: row.name, check: row.onChange }] : [])),
  sent: INVARIANTS.flatMap((row) => (row.onSent ? [{ name: row.name, check: row.onSent }] : [])),
  effect: INVARIANTS.flatMap((row) => (row.onEffect ? [{ name: row.name, check: row.onEffect }] : [])),
  outcome: INVARIANTS.flatMap((row) => (row.onOutcome ? [{ name: row.name, check: row.onOutcome }] : [])),
  step: INVARIANTS.flatMap((row) => (row.onStep ? [{ name: row.name, check: row.onStep }] : [])),
  end: INVARIANTS.flatMap((row) => (row.atEnd ? [{ name: row.name, check: row.atEnd }] : [])),
  noEnd: INVARIANTS.flatMap((row) => (row.atEnd && row.isPartOfTheEnd ? [{ name: row.name, check: row.atEnd }] : [])),
};

/** Written of a virtual node that is at rest (R16): its lease, and a heartbeat in its status. Events are counted nowhere. */
function isOfRest({ args: [resource, target] }: Call): boolean {
  const { plural } = resource as { plural: string };
  return (
    plural === 'events' || plural === 'leases' || (plural === 'nodes' && (target as { subresource?: string }).subresource === 'status')
  );
}

export class Checks {
  readonly violations: Violation[] = [];
  readonly ledger = new Ledger();
  /** To API servers, Events apart. */
  writes = 0;
  readonly #costs: Costs;
  readonly #simulation: Simulation;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
    // A parked workload is looked at now and then.
    this.#costs = new Costs((name) => name in simulation.run.scenario.ends);
  }

  violate(invariant: string, says: string): void {
    this.#simulation.say(`VIOLATED ${invariant}: ${says}`);
    this.violations.push({ invariant, atMs: this.#simulation.scheduler.elapsedMs, says });
  }

  #ask<Subject>(
    rows: readonly { name: string; check: (subject: Subject, simulation: Simulation) => string | undefined }[],
    subject: Subject,
  ): void {
    for (const { name, check } of rows) {
      const says = check(subject, this.#simulation);
      if (says !== undefined) this.violate(name, says);
    }
  }

  /** @param queue that they come from; undefined for a sweep, which comes by the clock */
  began(process: Process, queue: string | undefined, messages: readonly ReceivedMessage[]): void {
    // Only what is at rest is asked what it costs.
    if (queue !== undefined && this.#simulation.hasEnded) this.#costs.received(queue, messages);
    this.#simulation.say(
      `${process.name} begins with ${messages.map(({ receiveCount, body }) => `${receiveCount > 1 ? `(receive ${receiveCount}) ` : ''}${body.slice(0, 100)}`).join(' ')}`,
    );
  }

  changed(change: ObjectChange): void {
    this.#ask(asked.change, change);
  }

  sent(call: Call, deadline: Deadline | undefined): void {
    if (call.port === 'cluster' && isWrite(call) && !isOfRest(call)) {
      this.writes += 1;
      if (call.invocation) call.invocation.writes += 1;
    }
    this.#ask(asked.sent, { call, deadline });
    this.ledger.sent(call, this.#simulation.scheduler.elapsedMs);
  }

  effected(call: Call, value: unknown): void {
    this.ledger.effected(call);
    if (this.#simulation.hasEnded) this.#costs.effected(call);
    this.#ask(asked.effect, { call, value });
  }

  heard(call: Call, outcome: Outcome): void {
    this.ledger.heard(call, outcome, this.#simulation);
    this.#ask(asked.outcome, { call, outcome });
  }

  stepped(): void {
    for (const { name, check } of asked.step) {
      const says = check(this.#simulation);
      if (says !== undefined) this.violate(name, says);
    }
  }

  /** So far; of messages and of writes to heads and views, since the end. */
  get cost(): Cost {
    const { passes, run } = this.#simulation;
    return { passes: passes.filter(({ key }) => key.name in run.scenario.ends).length, writes: this.writes, ...this.#costs.spent };
  }

  hasMoved(before: Cost): boolean {
    const { cost } = this;
    return COSTS.some((of) => cost[of] !== before[of]);
  }

  /** What must be so at the end is so already. */
  async isAllRight(): Promise<boolean> {
    for (const { check } of asked.end) if ((await check(this.#simulation)) !== undefined) return false;
    return true;
  }

  quiet(before: Cost): void {
    if (!this.hasMoved(before)) return;
    const latest = this.#simulation.passes.slice(-3).map(({ key, outcome, why }) => `${key.name} ${outcome} ${why.join('; ')}`);
    this.violate(
      'a converged workload costs nothing',
      `${COSTS.map((of) => `${this.cost[of] - before[of]} ${of}`).join(', ')} after the end: ${latest.join(' | ')}`,
    );
  }

  /** @returns whether that is soon enough: else there is nothing more to ask */
  ended(atMs: number, byMs: number): boolean {
    if (atMs > byMs) this.violate('ends in time', `after ${Math.round(atMs)} ms, at most ${byMs}`);
    return atMs <= byMs;
  }

  /** @param says how it stands */
  async withoutEnd(says: string): Promise<void> {
    this.violate('ends in time', says);
    await this.#askAtEnd(asked.noEnd);
  }

  async atEnd(before: { writes: number }): Promise<void> {
    if (this.writes > before.writes) this.violate('a further pass plans nothing', `${this.writes - before.writes} writes`);
    await this.#askAtEnd(asked.end);
  }

  async #askAtEnd(rows: typeof asked.end): Promise<void> {
    for (const { name, check } of rows) {
      const says = await check(this.#simulation);
      if (says !== undefined) this.violate(name, says);
    }
  }
}
