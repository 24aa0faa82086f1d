// Credentials from the login command of a kubeconfig's user (an exec plugin): run when a request needs them, kept while they last,
// renewed when they end or the API server refuses them.
import { execFile } from 'node:child_process';
import { fieldsOf, jsonIn, listOf, textOf, textsOf } from '../../objects/values/untyped-fields.ts';
import type { Credentials } from './access.ts';
import { faultCodeOf } from './connection-faults.ts';

export interface ExecPluginOptions {
  /** The kubeconfig's `exec`, as read. */
  exec: unknown;
  environment: Record<string, string | undefined>;
  /** Given to a plugin that asks for it (`provideClusterInfo`). */
  cluster: Record<string, unknown>;
  /** Folder of the kubeconfig: a command with a slash in it lies beside the file. */
  folder: string;
  nowMs?: () => number;
}

const API_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];
/** Renewed so long before they end, for a request is under way for a while. */
const SPARE_MS = 10_000;
/** A server that refuses fresh credentials too is not to start a process with each request. */
const REFUSED_AGAIN_MS = 10_000;
/** Somebody may have to log in with a browser. */
const RUN_MS = 120_000;
const OUTPUT_BYTES_MAX = 1024 * 1024;

interface Kept {
  credentials: Credentials;
  gotAtMs: number;
  renewAtMs: number;
}

export class ExecPlugin {
  readonly #options: ExecPluginOptions;
  readonly #nowMs: () => number;
  #kept: Kept | undefined;
  /** One process at a time: all requests wait for it. */
  #running: Promise<Kept> | undefined;

  constructor(options: ExecPluginOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? (() => Date.now());
  }

  /** @throws Error one sentence without a subject's name: which command, what it said, what to do */
  async credentials(): Promise<Credentials> {
    if (this.#kept && this.#nowMs() < this.#kept.renewAtMs) return this.#kept.credentials;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    this.#kept = await this.#running;
    return this.#kept.credentials;
  }

  /** The API server answered 401 to these. */
  refused(credentials: Credentials): void {
    if (this.#kept?.credentials !== credentials) return;
    if (this.#nowMs() - this.#kept.gotAtMs >= REFUSED_AGAIN_MS) this.#kept = undefined;
  }

  async #run(): Promise<Kept> {
    const fields = fieldsOf(this.#options.exec);
    const command = textOf(fields['command']);
    const who = `the login command ${command} of its user`;
    const apiVersion = textOf(fields['apiVersion']) || 'client.authentication.k8s.io/v1beta1';
    if (command === '') throw new Error('its user has an exec plugin without a command: name one');
    if (!API_VERSIONS.includes(apiVersion))
      throw new Error(`${who} speaks ${apiVersion}, which is not supported: expected ${API_VERSIONS.join(' or ')}`);
    const printed = await this.#output(who, { command, args: textsOf(fields['args']), apiVersion });
    return this.#keptOf(who, printed);
  }

  async #output(who: string, { command, args, apiVersion }: { command: string; args: string[]; apiVersion: string }): Promise<string> {
    const { exec, environment, cluster, folder } = this.#options;
    const fields = fieldsOf(exec);
    const added = listOf(fields['env']).map(({ name, value }) => [textOf(name), textOf(value)]);
    const info = {
      apiVersion,
      kind: 'ExecCredential',
      spec: { interactive: false, ...(fields['provideClusterInfo'] === true && { cluster }) },
    };
    const env = { ...environment, ...Object.fromEntries(added), KUBERNETES_EXEC_INFO: JSON.stringify(info) };
    const file = command.includes('/') && !command.startsWith('/') ? `${folder}/${command}` : command;
    return await new Promise((resolve, reject) => {
      execFile(file, args, { env, timeout: RUN_MS, maxBuffer: OUTPUT_BYTES_MAX, encoding: 'utf8' }, (error, stdout, stderr) => {
        if (!error) return resolve(stdout);
        reject(new Error(faultOf(who, error, stderr), { cause: error }));
      }).stdin?.end();
    });
  }

  #keptOf(who: string, printed: string): Kept {
    const answer = jsonIn(printed);
    if (answer === undefined) throw new Error(`${who} gave no credentials: what it printed is not JSON`);
    const status = fieldsOf(fieldsOf(answer)['status']);
    const [token, certPem, keyPem] = ['token', 'clientCertificateData', 'clientKeyData'].map((name) => textOf(status[name]));
    if (!token && !(certPem && keyPem))
      throw new Error(`${who} gave no credentials: it printed neither status.token nor a certificate with its key`);
    const gotAtMs = this.#nowMs();
    const endsAtMs = Date.parse(textOf(status['expirationTimestamp']));
    return {
      credentials: { ...(token && { authorization: `Bearer ${token}` }), ...(certPem && keyPem && { certPem, keyPem }) },
      gotAtMs,
      // Credentials that live shorter than that are used to their end.
      renewAtMs: Number.isNaN(endsAtMs) ? Infinity : Math.max(endsAtMs - SPARE_MS, Math.min(endsAtMs, gotAtMs + SPARE_MS)),
    };
  }
}

function faultOf(who: string, error: Error & { killed?: boolean }, stderr: string): string {
  const code = faultCodeOf(error);
  if (code === 'ENOENT') return `${who} is not installed: install it, or give the whole path to it`;
  if (code === 'EACCES') return `${who} cannot be run: make it executable`;
  if (error.killed === true) return `${who} gave no credentials within ${RUN_MS / 1000} s: log in with it first`;
  const said = stderr.split('\n').find((line) => line.trim() !== '') ?? 'it said nothing';
  return `${who} gave no credentials: ${said.trim()}`;
}
