// docs/recovery.md says what the simulator allows, and no wait is longer than it may be.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { STALE_LOOKS_AFTER_SECONDS, STALE_MS, SWEEP_EVERY_MS, VISIBILITY_SECONDS } from '../../lib/reconciler/head/timeouts.ts';
import { WATCH_OPTIONS } from '../../lib/relay/watch/watch.ts';
import { RELAY_OPTIONS } from '../../lib/relay/relay-setup.ts';
import { FAULTS, FAULT_NAMES, WAITS, type Wait } from './faults.ts';
import { longestWaitMs } from './recovery.ts';
import { faultsTable, relayedTable, waitsTable } from './recovery-table.ts';

const LONGEST_MS = 65_000;
const doc = readFileSync(join(import.meta.dirname, '../../docs/recovery.md'), 'utf8');

describe('recovery', () => {
  test('docs/recovery.md holds these very tables (node test/simulation/recovery-table.ts prints them)', () => {
    expect(doc).toContain(waitsTable().join('\n'));
    expect(doc).toContain(faultsTable().join('\n'));
    expect(doc).toContain(relayedTable().join('\n'));
  });

  test('no wait is longer than 65 s but comparisons with a list, and none is added to another but that of R1', () => {
    const lists: Wait[] = ['metadata list', 'comparison'];
    for (const wait of Object.keys(WAITS) as Wait[]) if (!lists.includes(wait)) expect(WAITS[wait].ms).toBeLessThanOrEqual(LONGEST_MS);
    for (const name of FAULT_NAMES) {
      const { waits } = FAULTS[name];
      expect(waits.filter((wait) => wait !== 'R1').length).toBeLessThanOrEqual(1);
      expect(longestWaitMs(name)).toBeLessThanOrEqual(
        Math.max(LONGEST_MS + WAITS.R1.ms, ...lists.map((wait) => (waits.includes(wait) ? WAITS[wait].ms : 0))),
      );
    }
  });

  test('the waits follow from what the loop and the relay are set to', () => {
    const looksMs = [0, ...STALE_LOOKS_AFTER_SECONDS.map((after) => after * 1000), SWEEP_EVERY_MS];
    const apartMs = Math.max(...looksMs.slice(1).map((atMs, at) => atMs - (looksMs[at] ?? 0)));
    expect(STALE_MS).toBeGreaterThan(VISIBILITY_SECONDS * 1000);
    expect(STALE_MS + apartMs).toBeLessThanOrEqual(WAITS.sweep.ms);
    expect(RELAY_OPTIONS.heartbeatMs).toBeLessThan(WAITS.heartbeat.ms);
    expect(WATCH_OPTIONS.silentMs).toBeLessThanOrEqual(WAITS.bookmark.ms);
    expect(RELAY_OPTIONS.auditMs).toBeLessThanOrEqual(WAITS['metadata list'].ms);
  });
});
