// Probes and hooks of a container: commands, HTTP requests and connections to the pod's own address.
import { connect } from 'node:net';
import type { Container } from '../../../../objects/kubernetes.ts';
import { fieldsOf, isFields, listOf, numberOf, textOf, textsOf, type Fields } from '../../../../objects/values/untyped-fields.ts';

export interface Surroundings {
  container: Container;
  podIp: string;
  /** Runs a command in the container. @returns its exit code, and what it wrote */
  run: (command: readonly string[], timeoutMs: number) => Promise<{ exitCode: number; output: string }>;
}

/** Undefined: it is well. */
export type Problem = string | undefined;

const LONGEST_OUTPUT = 1_024;

/** One try of a probe or a hook: each names one action. */
export async function act(action: Fields, { container, podIp, run }: Surroundings, timeoutMs: number): Promise<Problem> {
  if (isFields(action['exec'])) {
    const { exitCode, output } = await run(textsOf(action['exec']['command']), timeoutMs);
    return exitCode === 0 ? undefined : output.slice(0, LONGEST_OUTPUT).trim() || `command exited with ${exitCode}`;
  }
  if (isFields(action['httpGet'])) return await httpProblem(action['httpGet'], container, podIp, timeoutMs);
  if (isFields(action['tcpSocket'])) {
    const { host, port } = action['tcpSocket'];
    return await tcpProblem(textOf(host) || podIp, portOf(port, container), timeoutMs);
  }
  if (isFields(action['sleep']))
    await new Promise((resolve) => setTimeout(resolve, (numberOf(fieldsOf(action['sleep'])['seconds']) ?? 0) * 1000));
  return undefined;
}

/** By number, or by the name of one of the container's ports. */
function portOf(port: unknown, container: Container): number {
  if (typeof port === 'number') return port;
  const named = listOf(container['ports']).find(({ name }) => name === port);
  return numberOf(named?.['containerPort']) ?? (Number(port) || 0);
}

/** Any answer from 200 to 399 is good. */
async function httpProblem(action: Fields, container: Container, podIp: string, timeoutMs: number): Promise<Problem> {
  // Loaded for those who need it: they cost a sixth of a runner's start.
  const { request: send } = await (textOf(action['scheme']) === 'HTTPS' ? import('node:https') : import('node:http'));
  const headers = Object.fromEntries(listOf(action['httpHeaders']).map(({ name, value }) => [textOf(name), textOf(value)]));
  return await new Promise((resolve) => {
    const sent = send(
      {
        host: textOf(action['host']) || podIp,
        port: portOf(action['port'], container),
        path: textOf(action['path']) || '/',
        headers: { 'user-agent': 'farloop-probe', ...headers },
        agent: false,
        // As a kubelet: a probe asks whether it answers, not who it is.
        rejectUnauthorized: false,
        signal: AbortSignal.timeout(timeoutMs),
      },
      (answer) => {
        answer.resume();
        const { statusCode = 0 } = answer;
        resolve(statusCode >= 200 && statusCode < 400 ? undefined : `HTTP probe failed with statuscode: ${statusCode}`);
      },
    );
    sent.on('error', (error) =>
      resolve(error.name === 'TimeoutError' || error.name === 'AbortError' ? 'it did not answer in time' : error.message),
    );
    sent.end();
  });
}

async function tcpProblem(host: string, port: number, timeoutMs: number): Promise<Problem> {
  return await new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (problem: Problem): void => {
      socket.destroy();
      resolve(problem);
    };
    socket.setTimeout(timeoutMs, () => end('it did not answer in time'));
    socket.on('connect', () => end(undefined));
    socket.on('error', (error) => end(error.message));
  });
}

/**
 * Probes again and again until the signal fires.
 * @param changed called with each change of the verdict; the first verdict counts as one
 */
export async function probe(spec: Fields, around: Surroundings, signal: AbortSignal, changed: (problem: Problem) => void): Promise<void> {
  const number = (field: string, usual: number): number => numberOf(spec[field]) ?? usual;
  const periodMs = number('periodSeconds', 10) * 1000;
  let isWell: boolean | undefined;
  let streak = 0;
  let lastWell: boolean | undefined;
  await pauseFor(number('initialDelaySeconds', 0) * 1000, signal);
  while (!signal.aborted) {
    const problem = await act(spec, around, number('timeoutSeconds', 1) * 1000);
    if (signal.aborted) return;
    const well = problem === undefined;
    streak = well === lastWell ? streak + 1 : 1;
    lastWell = well;
    const needed = well ? number('successThreshold', 1) : number('failureThreshold', 3);
    if (streak >= needed && isWell !== well) {
      isWell = well;
      changed(problem);
    }
    await pauseFor(periodMs, signal);
  }
}

const pauseFor = async (ms: number, signal: AbortSignal): Promise<void> => {
  if (signal.aborted || ms <= 0) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
};
