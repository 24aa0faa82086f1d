// The embedded recorder: the contract, and what a file adds to it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { EmbeddedRecorder } from '../../../lib/adapters/embedded/recorder.ts';
import { VirtualClock } from '../../world/virtual-clock.ts';
import { aPass, recorderContract } from '../../contracts/recorder.ts';
import { transactionsIn } from './transactions.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'farloop-recorder-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

recorderContract('embedded', async () => {
  const clock = new VirtualClock();
  return { recorder: EmbeddedRecorder.open({ clock }), nowMs: () => clock.nowMs() };
});

describe('embedded recorder on a file', () => {
  test('a restart finds the passes again', async () => {
    const clock = new VirtualClock();
    const first = EmbeddedRecorder.open({ folder, clock });
    await first.append(aPass(clock.nowMs()));
    first.close();
    const second = EmbeddedRecorder.open({ folder, clock });
    expect(await second.passes(aPass(0).key, 10)).toEqual([aPass(clock.nowMs())]);
    second.close();
  });

  test('a thousand passes take less than a second: five seconds of a busy instance', async () => {
    const recorder = EmbeddedRecorder.open({ folder });
    const [before, transactionsBefore] = [process.cpuUsage(), transactionsIn(folder, 'recorder.db')];
    for (let index = 0; index < 1_000; index++) await recorder.append(aPass(Date.now(), { passId: String(index) }));
    // Of a processor's time: a busy machine takes longer by the clock.
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(1_000);
    // One for each pass, and for what goes with every 256th.
    expect(transactionsIn(folder, 'recorder.db') - transactionsBefore).toBeLessThanOrEqual(1_004);
    expect(await recorder.passes(aPass(0).key, 2_000)).toHaveLength(1_000);
    recorder.close();
  });
});
