// What `osls package` makes of this checkout: the template that would be deployed, and the functions' zips.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inflateRawSync } from 'node:zlib';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const FUNCTIONS = ['ingest', 'reconcile', 'timers', 'sweep', 'api'] as const;
export type FunctionName = (typeof FUNCTIONS)[number];

const OSLS = join(ROOT, 'node_modules', 'osls', 'bin', 'serverless.js');
const LONGEST_MS = 600_000;

export interface Template {
  Resources: Record<string, { Type: string; Properties: Record<string, unknown>; DeletionPolicy?: string; UpdateReplacePolicy?: string }>;
  Outputs: Record<string, { Value: unknown }>;
}

/**
 * Runs osls as people do, telemetry and notices off.
 * @returns exit code and everything it said
 */
export async function osls(args: readonly string[], environment: Record<string, string> = {}): Promise<{ code: number; said: string }> {
  const { AWS_PROFILE: _profile, ...own } = process.env;
  const child = spawn(process.execPath, [OSLS, ...args], {
    cwd: ROOT,
    env: { ...own, SLS_TELEMETRY_DISABLED: '1', SLS_NOTIFICATIONS_MODE: 'off', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LONGEST_MS,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
  const code = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode) => resolve(exitCode ?? -1));
  });
  return { code, said };
}

/** @throws Error with what osls said, when it refuses */
export async function packageInto(folder: string, args: readonly string[] = ['--stage', 'test']): Promise<Template> {
  const { code, said } = await osls(['package', '--package', folder, ...args]);
  if (code !== 0) throw new Error(`osls package ended with ${code}:\n${said}`);
  return JSON.parse(readFileSync(join(folder, 'cloudformation-template-update-stack.json'), 'utf8')) as Template;
}

export const zipOf = (folder: string, name: FunctionName): Buffer => readFileSync(join(folder, `${name}.zip`));

/** The files of a zip, by its central directory; enough of the format for what osls writes. */
export function filesInZip(zip: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  const end = zip.lastIndexOf(Buffer.from('PK\u0005\u0006', 'latin1'));
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const [method, packed] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20)];
    const [nameBytes, extraBytes, commentBytes] = [zip.readUInt16LE(at + 28), zip.readUInt16LE(at + 30), zip.readUInt16LE(at + 32)];
    const local = zip.readUInt32LE(at + 42);
    const name = zip.toString('utf8', at + 46, at + 46 + nameBytes);
    const from = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const bytes = zip.subarray(from, from + packed);
    if (!name.endsWith('/')) files.set(name, method === 0 ? bytes : inflateRawSync(bytes));
    at += 46 + nameBytes + extraBytes + commentBytes;
  }
  return files;
}

/** Lays the zip out as Lambda would. @returns the bundle's path */
export function unpack(zip: Buffer, folder: string, name: FunctionName): string {
  for (const [path, bytes] of filesInZip(zip)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
  return join(folder, 'functions', `${name}.mjs`);
}

/** What a function finds in its environment; nobody answers at these addresses. */
export const ENVIRONMENT: Record<string, string> = {
  AWS_LAMBDA_FUNCTION_NAME: 'farloop-test',
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  TABLE_NAME: 'views',
  CLUSTERS_TABLE: 'clusters',
  CLUSTER_SECRET_PREFIX: 'farloop/test/clusters/',
  METRICS_NAMESPACE: 'Farloop/test',
  ...Object.fromEntries(
    ['EVENTS', 'WAKES', 'TIMERS', 'RELAY'].flatMap((name) => [
      [`${name}_QUEUE_URL`, `https://queue.example.com/1/${name.toLowerCase()}`],
      [`${name}_DEAD_QUEUE_URL`, `https://queue.example.com/1/${name.toLowerCase()}-dead`],
    ]),
  ),
};
