// The things that all passes of a process share.
import type { Ports } from '../../ports/ports.ts';
import type { WriteBudget } from '../cluster/budget.ts';
import type { ClockOffsets } from '../cluster/clock-offsets.ts';
import type { Reachability } from '../cluster/reachability.ts';
import type { Execution } from '../pass/execution.ts';
import type { Pass } from '../pass/pass.ts';
import type { ViewMemory } from '../view/view-memory.ts';

export interface LoopOptions {
  /** A pass sends nothing after this time (R17). */
  passMs: number;
  /** Requests to one API server in flight at once, per pass. */
  parallelism: number;
  /** A workload that has started and whose head is lost is left alone for this long: then no older pass can still be sending (R1, R17). */
  unknownMs: number;
  /** A status in which only ready counts differ is written at most this often. */
  readyAloneMs: number;
}

export const LOOP_OPTIONS: LoopOptions = { passMs: 20_000, parallelism: 48, unknownMs: 30_000, readyAloneMs: 5_000 };

export interface Loop {
  ports: Ports;
  options: LoopOptions;
  budget: WriteBudget;
  reachability: Reachability;
  memory: ViewMemory;
  offsets: ClockOffsets;
}

export const executionOf = ({ ports, options: { parallelism }, budget }: Loop, pass: Pass): Execution => ({
  pass,
  ports,
  budget,
  clock: ports.clock,
  parallelism,
});
