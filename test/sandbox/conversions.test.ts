// Values that the server has read already and cannot put where they are to go: applied ones, and those of patches. The statuses were typed by
// hand after looking at kube-apiserver 1.36.3, the sentences are the sandbox's own.
import { describe, expect, test } from '@jest/globals';
import { mergePatch, jsonPatch, strategicPatch } from '../contracts/api-server/client.ts';
import { freshNamespace } from '../contracts/api-server/objects.ts';
import { clientOf } from '../contracts/api-server/opened-client.ts';
import { openSandboxServer } from '../contracts/api-server/sandbox-server.ts';

const api = clientOf(openSandboxServer);

const aJob = (spec: object, container: object = {}): object => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'demo' },
  spec: {
    suspend: true,
    ...spec,
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'b', ...container }] } },
  },
});

const toJob = 'batch/v1, Kind=Job) to proper version:';
const unfit = (value: string, type: string): string =>
  `json: cannot unmarshal ${value} into Go struct field JobSpec.spec.parallelism of type ${type}`;

describe('an applied Job', () => {
  test.each<[string, object, number, string]>([
    ['a fraction', aJob({ parallelism: 1.5 }), 500, `${toJob} ${unfit('number 1.5', 'int32')}`],
    ['no quantity', aJob({}, { resources: { limits: { memory: '1GB' } } }), 500, `${toJob} quantities must match the regular expression`],
    [
      'a port too large',
      aJob({}, { livenessProbe: { httpGet: { port: 99_999_999_999 } } }),
      500,
      'json: cannot unmarshal number 99999999999 into Go struct field HTTPGetAction.',
    ],
  ])('%s is refused as it is there', async (_, body, status, message) => {
    const namespace = await freshNamespace(api());
    const path = `/apis/batch/v1/namespaces/${namespace}/jobs/demo?fieldManager=one`;
    const answer = await api().send('PATCH', path, JSON.stringify(body), { contentType: 'application/apply-patch+yaml' });
    expect({ status: answer.status, message: answer.body.message }).toEqual({ status, message: expect.stringContaining(message) });
  });
});

describe('a patched Job', () => {
  test.each<[string, string, string, number, string]>([
    ['a number too large', strategicPatch, '{"spec":{"parallelism":3000000000}}', 422, unfit('number 3000000000', 'int32')],
    [
      'a number for a text',
      strategicPatch,
      '{"metadata":{"labels":{"a":1}}}',
      422,
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
    ],
    ['a text for a number', strategicPatch, '{"spec":{"parallelism":"x"}}', 422, unfit('string', 'int32')],
    [
      'an element without its key',
      strategicPatch,
      '{"spec":{"template":{"spec":{"containers":[{"image":"x"}]}}}}',
      500,
      'map: map[image:x] does not contain declared merge key: name',
    ],
    ['a number with a point', mergePatch, '{"spec":{"parallelism":1.0}}', 422, 'cannot unmarshal number 1.0 into Go struct field'],
    [
      'a selector taken away',
      strategicPatch,
      '{"spec":{"selector":null}}',
      422,
      'spec.template.metadata.labels: Invalid value: {"batch.kubernetes.io/controller-uid":',
    ],
    ['an operation that there is not', jsonPatch, '[{"op":"frob","path":"/spec"}]', 422, 'the server rejected our request'],
  ])('%s is refused as it is there', async (_, contentType, patch, status, message) => {
    const namespace = await freshNamespace(api());
    const jobs = `/apis/batch/v1/namespaces/${namespace}/jobs`;
    await api().send('POST', jobs, JSON.stringify(aJob({})));
    const answer = await api().send('PATCH', `${jobs}/demo`, patch, { contentType });
    expect({ status: answer.status, message: answer.body.message }).toEqual({ status, message: expect.stringContaining(message) });
  });
});

test('a limit that is no number is refused as it is there', async () => {
  const { status, body } = await api().send('GET', '/api/v1/namespaces/default/pods?limit=x');
  expect({ status, message: body.message }).toEqual({ status: 400, message: 'strconv.ParseInt: parsing "x": invalid syntax' });
});
