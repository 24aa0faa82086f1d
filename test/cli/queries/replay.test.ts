// `farloop replay` against an API with a recorded pass: the same again, otherwise now, nothing to replay.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { writeInstance } from '../../../lib/cli/instance/instance-file.ts';
import { EMPTY_HEAD } from '../../../lib/kinds/rows/plan.ts';
import { jobPlanner } from '../../../lib/kinds/job/plan.ts';
import { jobRow } from '../../../lib/kinds/job/row.ts';
import { snapshotKindOf, snapshotOf } from '../../../lib/reconciler/report/recorded-plan.ts';
import { packSnapshot, unpackSnapshot } from '../../../lib/wire/snapshot.ts';
import { embeddedPorts, type EmbeddedPorts } from '../../api/embedded-ports.ts';
import { serveApi } from '../../api/served-api.ts';
import { aPass } from '../../contracts/recorder.ts';
import type { Listening } from '../../listening.ts';
import { aJob } from '../../world/world.ts';
import { runWithin, temporaryFolder } from '../farloop-process.ts';
import { jobFacts } from '../../../lib/kinds/job/facts.ts';

const RECORDED_JOB = { ...jobFacts, ...jobRow };

const folder = temporaryFolder();
let ports: EmbeddedPorts;
let api: Listening;

beforeAll(async () => {
  ports = await embeddedPorts('local');
  api = await serveApi(ports, 'token');
  writeInstance(folder.path, { url: api.url, token: 'token', pid: process.pid, kubeconfig: '' });

  const owner = aJob('demo', { completions: 3, parallelism: 2 });
  Object.assign(owner.metadata, { uid: 'uid-of-demo', resourceVersion: '5', creationTimestamp: '2026-05-01T10:00:00Z' });
  if (owner.spec.template) owner.spec.template.metadata = { labels: { app: 'demo' } };
  const given = { owner, pods: [], head: EMPTY_HEAD, manages: ['all-jobs'] };
  const nowMs = Date.parse('2026-05-01T10:00:01Z');
  const packed = snapshotOf({ given, nowMs, plan: jobPlanner.plan(given, new Date(nowMs)) }, RECORDED_JOB);
  if (!packed) throw new Error('no snapshot');
  const { decided, ...saw } = unpackSnapshot(packed, snapshotKindOf('Job'));
  const [, ...others] = decided.actions;
  const older = packSnapshot(
    { ...saw, decided: { ...decided, actions: [{ verb: 'delete', target: 'demo-old', why: 'too many' }, ...others] } },
    jobRow.recordedTexts,
  );
  await ports.recorder.append(aPass(Date.now(), { passId: 'same' }), () => packed);
  await ports.recorder.append(aPass(Date.now(), { passId: 'otherwise' }), () => older);
  await ports.recorder.append(aPass(Date.now(), { passId: 'broken' }), () => Uint8Array.of(9, 9, 9));
  await ports.recorder.append(aPass(Date.now(), { passId: 'bare' }));
});

afterAll(async () => {
  await api.stop();
  ports.close();
  folder.remove();
});

describe('farloop replay', () => {
  test('the same again: 0', async () => {
    const { exitCode, stdout } = await runWithin(['replay', 'same', '--state', folder.path]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringMatching(/decided again as it was\n {2}outcome acted/) });
  });

  test('otherwise now: 4, and what differs, as text and as data', async () => {
    const { exitCode, stdout } = await runWithin(['replay', 'otherwise', '--state', folder.path]);
    expect(exitCode).toBe(4);
    expect(stdout).toMatch(/decided otherwise now.*\n {2}- delete demo-old: too many\n {2}\+ /);
    const asData = await runWithin(['replay', 'otherwise', '--state', folder.path, '-o', 'json']);
    expect(asData.exitCode).toBe(4);
    expect(JSON.parse(asData.stdout)).toMatchObject({
      pass: { passId: 'otherwise' },
      recorded: { outcome: 'acted' },
      today: { outcome: 'acted' },
      differences: ['- delete demo-old: too many', expect.stringMatching(/^\+ /)],
    });
  });

  for (const [passId, says] of [
    ['bare', /pass bare cannot be replayed: its workload was too large/],
    ['broken', /pass broken was recorded in a form that this version cannot read: .* of version 9; this build reads up to version \d$/m],
    ['nowhere', /there is no pass nowhere: passes are kept for 7 days/],
  ] as const)
    test(`${passId}: one sentence, 1`, async () => {
      const { exitCode, stdout, stderr } = await runWithin(['replay', passId, '--state', folder.path]);
      expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 1, stdout: '', stderr: expect.stringMatching(says) });
    });
});
