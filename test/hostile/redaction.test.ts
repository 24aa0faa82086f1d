// R14: secrets planted in a Job, its template and a cluster's credentials come out nowhere: logs, metrics, table, recorder, API.
import { expect, test } from '@jest/globals';
import { EmfTelemetry } from '../../lib/adapters/telemetry/emf-telemetry.ts';
import { VirtualClock } from '../world/virtual-clock.ts';
import { Connection } from '../../lib/adapters/kubernetes/connection.ts';
import { LogRecorder } from '../../lib/adapters/telemetry/log-recorder.ts';
import { answerRoute } from '../../lib/api/routes/route-table.ts';
import { isJobFinished } from '../../lib/kinds/job/terms/owner-facts.ts';
import { encodeCommands } from '../../lib/wire/commands.ts';
import { snapshotKindOf } from '../../lib/reconciler/report/recorded-plan.ts';
import { unpackSnapshot } from '../../lib/wire/snapshot.ts';
import { embeddedPorts, giveUp } from '../api/embedded-ports.ts';
import { aJob, CLUSTER, World } from '../world/world.ts';

const PLANTED = 'planted-secret-51c9';

test('a secret in a template, an annotation or an argument stays on its cluster', async () => {
  const world = new World();
  world.keepsSnapshots = true;
  const written: string[] = [];
  const write = (line: string): void => void written.push(line);
  const telemetry = new EmfTelemetry({ namespace: 'Farloop/test', referenceMetrics: true, level: 'debug', clock: world.clock, write });
  const recorder = new LogRecorder({
    logGroup: undefined,
    client: () => Promise.reject(new Error('not asked')),
    clock: world.clock,
    write,
  });
  const job = aJob('demo', { completions: 3, parallelism: 2, completionMode: 'Indexed' });
  job.metadata.annotations = { 'example.com/note': PLANTED, 'kubectl.kubernetes.io/last-applied-configuration': PLANTED };
  const template = job.spec.template;
  if (!template) throw new Error('no template');
  template.metadata = { labels: { app: 'demo' }, annotations: { token: PLANTED } };
  for (const container of template.spec.containers)
    Object.assign(container, { command: ['sh', PLANTED], args: [PLANTED], env: [{ name: 'PASSWORD', value: PLANTED }] });
  await world.watch();
  await world.apply(job);
  await world.until(async () => isJobFinished(await world.job('demo')));
  // It was there to be told.
  expect(JSON.stringify(await world.pods())).toContain(PLANTED);

  for (const { level, message, fields } of world.log)
    if (level === 'error') telemetry.error(message, fields);
    else telemetry.info(message, fields);
  for (const { metric, value, dimensions } of world.metrics) telemetry.count(metric, value, 'Count', dimensions);
  telemetry.end();
  for (const [at, pass] of world.passes.entries()) await recorder.append(pass, () => world.snapshots[at]);
  const views = [...world.snapshots].flatMap((snapshot) => (snapshot ? [unpackSnapshot(snapshot, snapshotKindOf('Job'))] : []));
  const table = ['heads', 'items', 'notes'].flatMap((name) =>
    world.store.database
      .prepare(`select * from ${name}`)
      .all()
      .map((row) =>
        Object.values(row).map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value))),
      ),
  );
  const answers: unknown[] = [];
  for (const path of [
    'v1/clusters',
    'v1/workloads',
    `v1/workloads/${CLUSTER}/Job/default/demo`,
    `v1/workloads/${CLUSTER}/Job/default/demo/passes`,
    'metrics',
  ])
    answers.push(await answerRoute(world.ports, { method: 'GET', path: path.split('/'), query: new URLSearchParams(), body: undefined }));
  for (const [where, told] of Object.entries({ written, views, table, answers })) {
    expect(told.length).toBeGreaterThan(0);
    expect({ where, told: JSON.stringify(told) }).not.toMatchObject({ told: expect.stringContaining(PLANTED) });
  }
  world.close();
});

test('commands that a relay could not read hold templates: the API tells that they are there, and nothing of them', async () => {
  const ports = await embeddedPorts('local');
  const template = { metadata: { name: 'demo-0' }, spec: { containers: [{ name: 'work', env: [{ name: 'PASSWORD', value: PLANTED }] }] } };
  const command = {
    verb: 'create',
    apiVersion: 'v1',
    plural: 'pods',
    namespace: 'default',
    name: 'demo-0',
    untilMs: 1,
    leftMs: 1,
  } as const;
  const secret = `secret-of-the-answer-${PLANTED}`;
  const body = encodeCommands({ cluster: 'local', id: 'id-of-the-commands', secret, commands: [{ ...command, body: template }] });
  for (const each of [body, body.slice(0, -8)]) await ports.queue.send('relay-local', [{ body: each }]);
  await giveUp(ports, 'relay-local');
  const request = { method: 'GET', path: ['v1', 'dead-letters'], query: new URLSearchParams(), body: undefined };
  expect(await answerRoute(ports, request)).toMatchObject({
    json: {
      items: [
        { queue: 'relay-local', bytes: body.length, problem: expect.stringContaining('handling it failed'), body: '' },
        { queue: 'relay-local', problem: expect.stringContaining('broken'), body: '' },
      ],
    },
  });
  ports.close();
});

test('a credential is in no sentence of what goes wrong', async () => {
  for (const auth of [
    { kind: 'token', token: PLANTED },
    { kind: 'clientCertificate', certPem: PLANTED, keyPem: PLANTED },
  ] as const) {
    const connection = new Connection({ server: 'https://127.0.0.1:9', auth }, { connections: 1, timeoutMs: 2_000, answerBytesMax: 1_000 });
    const error: unknown = await connection.call({ method: 'GET', path: '/', isTooLate: () => false }).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ name: 'NotDoneError' });
    const lines: string[] = [];
    const telemetry = new EmfTelemetry({
      namespace: undefined,
      referenceMetrics: true,
      level: 'debug',
      clock: new VirtualClock(),
      write: (line) => lines.push(line),
    });
    telemetry.error('it failed', { error });
    expect(lines.join('\n')).toContain('NotDoneError');
    expect(lines.join('\n')).not.toContain(PLANTED);
    connection.close();
  }
});
