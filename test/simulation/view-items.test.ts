// A Job of more pods than a head holds: its view lies in items beside it, whose reads and writes no other story makes. Each fault that
// can strike one of these calls strikes one of them.
import { describe, expect, test } from '@jest/globals';
import { singlesOf, survey } from './enumerate.ts';
import { recoveryOf } from './recovery.ts';
import { scenarioOf } from './scenarios.ts';
import { simulate } from './storms.ts';

const STORY = scenarioOf('wide');
if (!STORY) throw new Error('that story is told no more');

/** Calls that write an item: two of ingest, two of passes. */
const WRITES = 4;
const MS = 120_000;

describe('a view that lies in items beside the head', () => {
  test(
    'R1, R8: whatever strikes a call for an item, the Job ends with exact counts, and soon',
    async () => {
      const calm = await survey(STORY);
      expect(calm.violations).toEqual([]);
      const methods = new Map(calm.log.flatMap(({ call }) => (call.port === 'store' ? [[call.number, call.method]] : [])));
      const [writes = [], reads = []] = [/^putItem$/, /^(readItems|read)$/].map((of) =>
        singlesOf(calm).filter(({ call }) => of.test(methods.get(call) ?? '')),
      );
      // In turn at the first write, by ingest, and at later ones, of which one is a pass's; what strikes no write, at a read.
      const byFault = Map.groupBy([...writes, ...reads], ({ fault }) => fault);
      const plans = [...byFault.values()].flatMap((own, at) => own[at % WRITES] ?? own.slice(0, 1));
      expect(new Set(writes.map(({ call }) => call)).size).toBe(WRITES);
      expect(plans.length).toBeGreaterThan(20);
      for (const planned of plans) {
        const run = { scenario: STORY, seed: 1, plan: [planned], jitter: false, limitMs: 1_800_000 };
        const result = await simulate(run);
        const late = recoveryOf(run, { result, calm });
        expect({ planned, struck: result.struck, violations: [...result.violations, ...(late ? [late] : [])] }).toEqual({
          planned,
          struck: [planned],
          violations: [],
        });
      }
    },
    MS,
  );
});
