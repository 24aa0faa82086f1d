// What somebody could send to the API, with and without a token.

export interface ApiInput {
  name: string;
  method?: string;
  path: string;
  /** `none`, or what stands in its place; the right token where absent. */
  authorization?: string;
  headers?: Record<string, string>;
  body?: string;
  status: number;
  answer: string;
}

const who = 'asked who is there';
const redrive = '/v1/dead-letters/redrive';
const passes = '/v1/workloads/local/Job/default/demo/passes';

export const API_INPUTS: readonly ApiInput[] = [
  { name: 'no token', path: '/v1/clusters', authorization: 'none', status: 401, answer: who },
  { name: 'a wrong token', path: '/v1/clusters', authorization: 'Bearer wrong', status: 401, answer: who },
  { name: 'a token with a letter more', path: '/v1/clusters', authorization: 'Bearer a-tokenx', status: 401, answer: who },
  { name: 'the token as a password', path: '/v1/clusters', authorization: 'Basic a-token', status: 401, answer: who },
  {
    name: 'the token as a cookie',
    path: '/v1/clusters',
    authorization: 'none',
    headers: { cookie: 'token=a-token' },
    status: 401,
    answer: who,
  },
  { name: 'the token in the query', path: '/v1/clusters?token=a-token', authorization: 'none', status: 401, answer: who },
  {
    name: 'a redrive by a form of another site',
    method: 'POST',
    path: redrive,
    authorization: 'none',
    headers: { origin: 'https://evil.example', 'content-type': 'text/plain' },
    body: '{}',
    status: 401,
    answer: who,
  },
  {
    name: 'a preflight of another site',
    method: 'OPTIONS',
    path: redrive,
    authorization: 'none',
    headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    status: 401,
    answer: `${who}; nothing allows another site anything`,
  },
  { name: 'the description without a token', path: '/openapi.json', authorization: 'none', status: 401, answer: who },
  { name: 'the metrics without a token', path: '/metrics', authorization: 'none', status: 401, answer: who },
  {
    name: 'a foreign name for this machine',
    path: '/v1/clusters',
    headers: { host: 'evil.example' },
    status: 421,
    answer: 'refused before anything is read',
  },
  { name: 'a path that leads upwards', path: '/console/../../package.json', status: 404, answer: 'nothing there' },
  { name: 'a path that leads upwards in escapes', path: '/console/%2e%2e%2fpackage.json', status: 404, answer: 'nothing there' },
  { name: 'a path with a zero byte', path: '/console/console.js%00', status: 404, answer: 'nothing there' },
  { name: 'a path that is not encoded', path: '/v1/workloads/%zz', status: 400, answer: 'told what is wrong' },
  { name: 'a path that is another host', path: '//', status: 400, answer: 'told what is wrong' },
  { name: 'a path of 8,000 letters', path: `/v1/${'x'.repeat(8_000)}`, status: 404, answer: 'nothing there' },
  { name: 'deleting a workload', method: 'DELETE', path: '/v1/workloads/local/Job/default/demo', status: 405, answer: 'not possible' },
  { name: 'writing a cluster', method: 'PUT', path: '/v1/clusters', body: '{}', status: 405, answer: 'not possible' },
  { name: 'redriving by GET', path: redrive, status: 405, answer: 'not possible' },
  { name: 'a body that is no JSON', method: 'POST', path: redrive, body: '{', status: 400, answer: 'told what is wrong' },
  { name: 'a body of 65 KiB', method: 'POST', path: redrive, body: ' '.repeat(66_560), status: 413, answer: 'told what is wrong' },
  {
    name: 'a field that is not asked for',
    method: 'POST',
    path: redrive,
    body: '{"queue":"wakes"}',
    status: 400,
    answer: 'told what is wrong',
  },
  {
    name: '1,001 ids',
    method: 'POST',
    path: redrive,
    body: JSON.stringify({ messageIds: Array.from({ length: 1_001 }, String) }),
    status: 400,
    answer: 'told what is wrong',
  },
  {
    name: 'ids that are no texts',
    method: 'POST',
    path: redrive,
    body: '{"messageIds":[{"$gt":""}]}',
    status: 400,
    answer: 'told what is wrong',
  },
  { name: 'another queue than ours', path: '/v1/dead-letters?queue=../other', status: 404, answer: 'nothing there' },
  { name: 'a queue named as what every object has', path: '/v1/dead-letters?queue=__proto__', status: 404, answer: 'nothing there' },
  { name: 'a limit below 1', path: '/v1/workloads?limit=-1', status: 400, answer: 'told what is wrong' },
  { name: 'a limit beyond all bounds', path: '/v1/workloads?limit=99999999', status: 400, answer: 'told what is wrong' },
  { name: 'a limit as a power', path: '/v1/workloads?limit=1e3', status: 400, answer: 'told what is wrong' },
  { name: 'a mark that no answer gave', path: '/v1/workloads?continue=e30', status: 400, answer: 'told what is wrong' },
  { name: 'a mark that is no base64', path: '/v1/workloads?continue=%00%ff', status: 400, answer: 'told what is wrong' },
  { name: 'a kind that there is none of', path: '/v1/workloads/local/Secret/default/demo/passes', status: 404, answer: 'nothing there' },
  {
    name: 'a name that would end a filter',
    path: passes.replace('demo', '%22%20%7C%7C%20%24.x%20%3D%20%22'),
    status: 200,
    answer: 'an empty list; no filter is made of it',
  },
  { name: 'a pass id that would end a filter', path: '/v1/passes/%22%20%7C%7C%20%24.x%20%3D%20%22', status: 404, answer: 'nothing there' },
];
