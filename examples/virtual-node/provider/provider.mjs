// A provider for a virtual node: it runs each container as a process on this machine. No isolation, no volumes, nothing kept over a restart.
//   node provider.mjs [port]        PROVIDER_TOKEN=… to ask for a bearer token
//   farloop up --virtual-node edge=http:http://127.0.0.1:9000
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { keepLog, linesOf, usageOf } from './logs.mjs';

const port = Number(process.argv[2] ?? 9000);
const token = process.env.PROVIDER_TOKEN;
/** By namespace/name: the pod as it was created, and a process for each container. */
const tasks = new Map();
const now = () => new Date().toISOString().replace(/\.\d+/, '');
const refused = (status, text) => Object.assign(new Error(text), { status });
const keyOf = ({ metadata: { namespace, name } }) => `${namespace}/${name}`;

function run(task, container) {
  const { name, image = '', command = [], args = [], env = [] } = container;
  const [file, ...words] = command.length + args.length > 0 ? [...command, ...args] : ['sleep', 'infinity'];
  const before = task.runs.get(name);
  const restartCount = before ? before.told.restartCount + 1 : 0;
  const lastState = before?.told.state ?? {};
  const told = { name, image, imageID: '', restartCount, ready: true, lastState, state: { running: { startedAt: now() } } };
  const child = spawn(file, words, {
    env: { PATH: process.env.PATH, ...Object.fromEntries(env.map((each) => [each.name, each.value])) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a group of its own, so that a stop reaches all of it
  });
  task.runs.set(name, { child, told, log: keepLog(child), previous: before?.log });
  const end = (exitCode, reason) => {
    if (told.state.terminated) return;
    told.ready = false;
    told.state = { terminated: { exitCode, reason, startedAt: told.state.running.startedAt, finishedAt: now() } };
    const again = () => staysEnded(task, exitCode) || run(task, container);
    if (!staysEnded(task, exitCode)) setTimeout(again, Math.min(10_000 * 2 ** restartCount, 300_000));
  };
  child.on('error', () => end(128, 'StartError'));
  child.on('exit', (code, signal) => end(code ?? (signal === 'SIGKILL' ? 137 : 143), code === 0 ? 'Completed' : 'Error'));
}

function staysEnded({ pod: { spec }, isStopped }, code) {
  return code !== undefined && (isStopped || spec.restartPolicy === 'Never' || (spec.restartPolicy === 'OnFailure' && code === 0));
}
function statusOf(task) {
  const { pod, runs, startTime } = task;
  const containerStatuses = pod.spec.containers.map(({ name }) => runs.get(name).told);
  const codes = containerStatuses.map(({ state }) => state.terminated?.exitCode);
  const phase = !codes.every((code) => staysEnded(task, code)) ? 'Running' : codes.every((code) => code === 0) ? 'Succeeded' : 'Failed';
  const isReady = containerStatuses.every(({ ready }) => ready) ? 'True' : 'False';
  const states = { PodScheduled: 'True', Initialized: 'True', ContainersReady: isReady, Ready: isReady };
  const conditions = Object.entries(states).map(([type, status]) => ({ type, status }));
  return { phase, conditions, startTime, hostIP: '127.0.0.1', podIP: '127.0.0.1', podIPs: [{ ip: '127.0.0.1' }], containerStatuses };
}
const shown = (task) => ({ ...task.pod, 'farloop.dev/volumes': undefined, status: statusOf(task) });
function create(pod) {
  if (tasks.has(keyOf(pod))) return;
  if (pod.spec.initContainers?.length > 0) throw refused(400, 'init containers are not run here');
  const task = { pod, runs: new Map(), startTime: now(), isStopped: false };
  tasks.set(keyOf(pod), task);
  for (const container of pod.spec.containers) run(task, container);
}

function remove(pod) {
  const task = known(keyOf(pod));
  const graceSeconds = pod.metadata.deletionGracePeriodSeconds ?? 30;
  if (statusOf(task).phase !== 'Running') return void (graceSeconds === 0 && tasks.delete(keyOf(pod))); // nobody asks for it any more
  const all = (signal) => {
    for (const { child, told } of task.runs.values()) if (told.state.running && child.pid !== undefined) process.kill(-child.pid, signal);
  };
  if (!task.isStopped) all('SIGTERM');
  task.isStopped = true;
  setTimeout(() => all('SIGKILL'), graceSeconds * 1000);
  setTimeout(() => tasks.get(keyOf(pod)) === task && tasks.delete(keyOf(pod)), 3_600_000).unref(); // its end has been told by then
}

function known(key) {
  const task = tasks.get(key);
  if (!task) throw refused(404, `pod "${key}" is not known`);
  return task;
}

function logOf(path) {
  const { pathname, searchParams: query } = new URL(path, 'http://here');
  const [, key, name] = /^\/v1\/containerLogs\/([^/]+\/[^/]+)\/([^/]+)$/.exec(pathname) ?? [];
  const { log, previous } = known(key).runs.get(name) ?? {};
  const found = query.get('previous') === 'true' ? previous : log;
  if (!found) throw refused(404, `no log of the container ${name}`);
  return Readable.from(linesOf(found, query));
}
const figuresOf = ({ pod, runs }) => ({
  uid: pod.metadata.uid,
  time: new Date().toISOString(),
  containers: [...runs.values()].flatMap(({ child, told: { name, state } }) =>
    state.running ? [{ name, startTime: state.running.startedAt, ...usageOf(child.pid) }] : [],
  ),
});
function answer(method, path, body) {
  const [, key, isStatus] = /^\/v1\/pods\/([^/]+\/[^/]+?)(\/status)?$/.exec(path) ?? [];
  if (method === 'GET' && path === '/v1/pods') return { kind: 'PodList', apiVersion: 'v1', items: [...tasks.values()].map(shown) };
  if (method === 'GET' && path === '/v1/figures') return { items: [...tasks.values()].map(figuresOf) };
  if (method === 'GET' && key) return isStatus ? shown(known(key)).status : shown(known(key));
  if (method === 'POST' && path === '/v1/createPod') return create(body);
  if (method === 'POST' && path === '/v1/updatePod') return void (known(keyOf(body)).pod.metadata = body.metadata);
  if (method === 'POST' && path === '/v1/deletePod') return remove(body);
  throw refused(path === '/v1/notifyPods' ? 501 : 404, `no such call: ${method} ${path}`);
}

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit());
process.on('exit', () => [...tasks.values()].forEach(({ pod }) => remove(pod))); // what it runs ends with it
createServer((request, response) => void serve(request, response)).listen(port, '127.0.0.1', function () {
  console.log(`provider at http://127.0.0.1:${this.address().port}`);
});
async function serve(request, response) {
  const end = (status, text) => response.writeHead(status).end(text);
  try {
    if (token && request.headers.authorization !== `Bearer ${token}`) return end(401, 'a bearer token is asked for');
    const text = Buffer.concat(await request.toArray()).toString();
    if (request.url.startsWith('/v1/containerLogs/')) return void pipeline(logOf(request.url), response, () => {});
    end(200, JSON.stringify(answer(request.method, request.url, text && JSON.parse(text)) ?? {}));
  } catch (error) {
    end(error.status ?? 500, error.message);
  }
}
