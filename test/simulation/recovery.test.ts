// What a run with a plan is held to, and which plans a story told through a relay adds.
import { describe, expect, test } from '@jest/globals';
import { survey } from './enumerate.ts';
import type { Plan } from './faults.ts';
import { longestDelayMs, RECOVERY_MS, recoveryOf } from './recovery.ts';
import { relayedSinglesOf } from './relayed-singles.ts';
import { scenarioOf } from './scenarios.ts';
import { simulate } from './storms.ts';

const scenario = scenarioOf('single');
if (!scenario) throw new Error('that story is told no more');
const calm = await survey(scenario, [], 'relayed');

describe('recovery', () => {
  test('R9: whoever is later than the fault and its waits allow has not recovered in time', () => {
    const plan: Plan = [{ call: 1, fault: 'dies' }];
    const allowedMs = RECOVERY_MS + longestDelayMs('dies');
    expect(recoveryOf({ plan }, { result: { endedAtMs: 3_000 + allowedMs }, calm: { endedAtMs: 3_000 } })).toBeUndefined();
    expect(recoveryOf({ plan }, { result: { endedAtMs: 3_001 + allowedMs }, calm: { endedAtMs: 3_000 } })).toMatchObject({
      invariant: 'recovers in time',
    });
  });

  test('R9: with relayed access an unanswered command is given up first: later than a pass that dials, and in time', async () => {
    const sends = calm.log.filter(({ call }) => call.process.relayOf !== undefined && call.method === 'create');
    expect(sends.length).toBeGreaterThan(0);
    for (const { call } of sends) {
      const plan: Plan = [{ call: call.number, fault: 'relayDies' }];
      const result = await simulate({ scenario, seed: 1, plan, jitter: false, limitMs: 1_800_000, access: 'relayed' });
      expect(result.violations).toEqual([]);
      expect(recoveryOf({ plan, access: 'relayed' }, { result, calm })).toBeUndefined();
    }
  });

  test('a story told through a relay is struck on the whole way of a command, and where a relay can die', () => {
    const calls = new Map(calm.log.map(({ call }) => [call.number, call]));
    const planned = relayedSinglesOf(calm).map(({ call, fault }) => ({ fault, call: calls.get(call) }));
    const struck = new Set(planned.map(({ call }) => `${call?.process.name.replace(/-\d+$/, '')} ${call?.port}.${call?.method}`));
    for (const wanted of [
      'reconcile queue.send',
      'relay queue.receive',
      'relay queue.delete',
      'relay source.create',
      'relay source.patch',
      'relay queue.send',
      'ingest store.putAnswer',
      'ingest mapping.delete',
      'reconcile store.readAnswer',
    ])
      expect(struck).toContain(wanted);
    const dies = new Set(planned.flatMap(({ fault, call }) => (fault === 'relayDies' ? [call?.number] : [])));
    expect(dies.size).toBe(calm.log.filter(({ call }) => call.process.relayOf !== undefined).length);
    // Those of direct access are not struck twice.
    expect(struck).not.toContain('reconcile cluster.create');
    expect(struck).not.toContain('reconcile store.updateHead');
  });
});
