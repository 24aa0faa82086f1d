// The flight recorder on a log service: written as lines, read back through the real client.
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { afterEach, describe, expect, test } from '@jest/globals';
import { VirtualClock } from '../../world/virtual-clock.ts';
import { LogRecorder } from '../../../lib/adapters/telemetry/log-recorder.ts';
import { aPass, recorderContract } from '../../contracts/recorder.ts';
import { startLogService, type LogService } from '../log-service.ts';

const opened: { stop: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.stop();
});

interface Installation {
  recorder: LogRecorder;
  service: LogService;
  clock: VirtualClock;
}

async function anInstallation(): Promise<Installation> {
  const service = await startLogService();
  const clock = new VirtualClock();
  const client = new CloudWatchLogsClient({
    region: 'eu-central-1',
    endpoint: service.endpoint,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  opened.push({ stop: async () => (client.destroy(), await service.stop()) });
  const write = (line: string): void => {
    const { record } = JSON.parse(line) as { record: { startedAtMs: number } };
    service.events.push({ timestamp: record.startedAtMs, message: line });
  };
  return { recorder: new LogRecorder({ logGroup: 'passes', client: async () => client, clock, write }), service, clock };
}

recorderContract('log', async () => {
  const { recorder, clock } = await anInstallation();
  return { recorder, nowMs: () => clock.nowMs() };
});

describe('recorder on a log', () => {
  test('asks for the last minutes first, and further back only where that is not enough', async () => {
    const { recorder, service, clock } = await anInstallation();
    const nowMs = clock.nowMs();
    await recorder.append(aPass(nowMs - 3_600_000 * 30, { passId: 'older' }));
    await recorder.append(aPass(nowMs - 1_000, { passId: 'recent' }));
    expect((await recorder.passes(aPass(0).key, 1)).map(({ passId }) => passId)).toEqual(['recent']);
    expect(service.requests).toHaveLength(1);
    expect((await recorder.passes(aPass(0).key, 2)).map(({ passId }) => passId)).toEqual(['recent', 'older']);
  });

  test('what was found of late is told, though there was no time to look further back', async () => {
    const { recorder, service, clock } = await anInstallation();
    await recorder.append(aPass(clock.nowMs() - 3_600_000 * 30, { passId: 'older' }));
    await recorder.append(aPass(clock.nowMs() - 1_000, { passId: 'recent' }));
    service.beforeAnswer = async () => await clock.advance(16_000);
    expect((await recorder.passes(aPass(0).key, 20)).map(({ passId }) => passId)).toEqual(['recent']);
    expect(service.requests).toHaveLength(1);
    await expect(recorder.pass('older')).rejects.toThrow('could not be searched within 15 s');
  });

  test('a large snapshot is kept of a pass that ended badly, and left out of an ordinary one', async () => {
    const { recorder, clock } = await anInstallation();
    for (const outcome of ['acted', 'failed'])
      await recorder.append(aPass(clock.nowMs(), { passId: outcome, outcome }), () => new Uint8Array(10_000));
    expect((await recorder.pass('acted'))?.snapshot).toBeUndefined();
    expect((await recorder.pass('failed'))?.snapshot).toHaveLength(10_000);
  });

  test('a line stays far below what the service takes', async () => {
    const { recorder, service, clock } = await anInstallation();
    const actions = Array.from({ length: 5_000 }, (_, at) => ({
      verb: 'create',
      target: `pod-${at}`,
      why: 'missing',
      result: 'done' as const,
    }));
    await recorder.append(aPass(clock.nowMs(), { outcome: 'failed', actions }), () => new Uint8Array(65_000));
    expect(Buffer.byteLength(service.events[0]?.message ?? '')).toBeLessThan(200_000);
    expect((await recorder.passes(aPass(0).key, 1))[0]?.actions.at(-1)).toMatchObject({ verb: 'more', count: 4_800 });
  });

  test('a line of an earlier version, with the whole key in its record, is read all the same', async () => {
    const { recorder, service, clock } = await anInstallation();
    const record = aPass(clock.nowMs(), { passId: 'earlier' });
    const { cluster, kind, namespace, name } = record.key;
    const message = JSON.stringify({ message: 'pass', recorded: `${cluster}/${kind}/${namespace}/${name}`, record });
    service.events.push({ timestamp: record.startedAtMs, message });
    expect((await recorder.pass('earlier'))?.pass).toEqual(record);
  });

  test('names that are none are not put into a filter', async () => {
    const { recorder, service } = await anInstallation();
    for (const name of ['*', 'x" || $.recorded = "*', '', 'a b', '\n'])
      expect(await recorder.passes({ ...aPass(0).key, name }, 10)).toEqual([]);
    expect(service.requests).toEqual([]);
  });

  test('other lines, and ones that are no JSON, are passed over', async () => {
    const { recorder, service, clock } = await anInstallation();
    service.events.push({ timestamp: clock.nowMs(), message: 'START RequestId' });
    service.events.push({ timestamp: clock.nowMs(), message: '{"message":"pass","recorded":"c/Job/n/j"}' });
    expect(await recorder.passes(aPass(0).key, 10)).toEqual([]);
  });
});
