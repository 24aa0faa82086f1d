// Requests in a row, and what a real API server answered to them. The recording is the judge of the sandbox, and the real server
// is asked again whether the recording still holds: test/cluster/answers.test.ts, which with RECORD=1 writes it anew.
import { existsSync, readFileSync } from 'node:fs';
import { eventually, type ApiClient, type Answer } from '../api-server/client.ts';
import { freshNamespace } from '../api-server/objects.ts';

export interface Step {
  method: string;
  /** `{ns}` stands for a namespace of the scenario's own, `{token}` for the bearer token. */
  path: string;
  /** A text goes as it is. */
  body?: unknown;
  contentType?: string;
  accept?: string;
  /** Asked until this status is answered: a definition is served a moment after its create. */
  until?: number;
  /** Asked by this service account of the namespace, with a token that is given for it. */
  as?: string;
}

export interface Scenario {
  name: string;
  steps: Step[];
}

/** What lasts of an answer: no uids, versions, times and addresses, the namespace by a name of its own. */
export interface Told {
  status: number;
  warning?: string;
  body: unknown;
}

/** Runs a scenario in a namespace of its own. */
export async function tell(api: ApiClient, { steps }: Scenario): Promise<Told[]> {
  const namespace = await freshNamespace(api);
  const told: Told[] = [];
  const tokens = new Map<string, string>();
  for (const { method, path, body, contentType, accept, until, as } of steps) {
    const text = (typeof body === 'string' ? body : JSON.stringify(body))
      ?.replaceAll('{ns}', namespace)
      .replaceAll('{token}', api.server.token);
    const token = as === undefined ? undefined : (tokens.get(as) ?? (await tokenOf(api, namespace, as)));
    if (as !== undefined && token !== undefined) tokens.set(as, token);
    const headers = {
      ...(contentType !== undefined && { contentType }),
      ...(accept !== undefined && { accept }),
      ...(token !== undefined && { token }),
    };
    const ask = async (): Promise<Answer> => await api.send(method, path.replaceAll('{ns}', namespace), text, headers);
    const answer = until === undefined ? await ask() : await eventually(ask, ({ status }) => status === until);
    told.push(
      lastingOf(answer, [
        [namespace, '{ns}'],
        [api.server.token, '{token}'],
      ]),
    );
  }
  return told;
}

async function tokenOf(api: ApiClient, namespace: string, account: string): Promise<string> {
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const { status } = await api.create(`/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`, request);
  if (typeof status === 'object' && status !== null && 'token' in status) return String(status.token);
  throw new Error(`no token for ${namespace}/${account}`);
}

/** Descriptions are each server's own words. */
const passing = new Set([
  'description',
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
  'time',
  'startTime',
  'clusterIP',
  'clusterIPs',
]);
const passingLabels = /controller-uid$/;
/** The whole patched object, whose versions and times pass; and whole specs, which a server shows as it holds them in memory. */
const wholeValue = /Invalid value: (?:".*": (?=strict|json: )|\{.*\}: |\[\{.*\}\]: )/g;
/** Times that no scenario gave: those are of the first of January 2026. */
const recentTime = /\d{4}-(?!01-01T00:00:00Z)\d\d-\d\dT[\d:]+Z/g;
/** Sentences about what cannot be read are each server's own; that it cannot be, and where it stands, is the same. */
const ownSentences: readonly (readonly [RegExp, string])[] = [
  [/json parse error: .*$/gs, 'json parse error: …'],
  [/parsing time ".*$/gs, 'parsing time …'],
  [/illegal base64 data.*$/gs, 'illegal base64 data'],
  [/Invalid value: 0: (?:\.[\w.]+ accessor error: .*? expected int64|must be a whole number)/g, 'Invalid value: 0: …'],
  [/: (expected \w[\w ()]*), got .*$/gs, ': $1'],
  [/missing from spec\.versions[,;].*$/gs, 'missing from spec.versions'],
  [/\.(?:\w+(?:Handler|Source|Common|WithOperations)|Rule|LocalObjectReference)(?=\.)/g, ''],
];

const withoutSentences = (text: string): string => ownSentences.reduce((all, [sentence, shown]) => all.replaceAll(sentence, shown), text);

/** In a table. */
const age = /^\d+s$/;
const signedToken = /eyJ[\w-]+\.[\w-]+\.[\w-]+/g;
const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

function maskedText(text: string, secrets: readonly [string, string][]): string {
  return withoutSentences(
    secrets
      .reduce((all, [secret, shown]) => all.replaceAll(secret, shown), text)
      .replaceAll(uid, '…')
      .replaceAll(signedToken, '…')
      .replaceAll(wholeValue, 'Invalid value: …: ')
      .replaceAll(recentTime, '…'),
  );
}

function lastingOf({ status, headers, body }: Answer, secrets: readonly [string, string][]): Told {
  const warning = withoutOwn(headers['warning']);
  const masked = (value: unknown, key = ''): unknown => {
    if (Array.isArray(value)) {
      if (key === 'cells') return value.map((cell) => (age.test(String(cell)) ? '…' : masked(cell)));
      const items = value.map((item) => masked(item));
      return key === 'managedFields' ? inOneOrder(items) : items;
    }
    if (typeof value === 'string') return passingLabels.test(key) ? '…' : maskedText(value, secrets);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, item]) => [name.replaceAll(uid, '…'), passing.has(name) ? '…' : masked(item, name)]),
    );
  };
  const text = warning === undefined ? undefined : maskedText(warning, secrets);
  const told = masked(body);
  sortCauses(told);
  return { status, ...(text !== undefined && { warning: text }), body: told };
}

/** Said by the sandbox alone, where it keeps a thing that a cluster would work on; or by a real server alone, which finds something unwise. */
const ownWarning = /(?:^|, )299 - "(?:the sandbox keeps [^"]*|spec\.containers\[\d+\]\.resources(?:[^"\\]|\\.)*)"/g;

function withoutOwn(warning: unknown): string | undefined {
  const left = typeof warning === 'string' ? warning.replaceAll(ownWarning, '') : '';
  return left === '' ? undefined : left;
}

const inOneOrder = (items: readonly unknown[]): unknown[] => items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

/** Several owners in the way are told in any order; what two looks at a changed object both find, a real server tells twice. */
function sortCauses(body: unknown): void {
  if (typeof body !== 'object' || body === null || !('details' in body)) return;
  const { details } = body;
  if (typeof details !== 'object' || details === null || !('causes' in details) || !Array.isArray(details.causes)) return;
  details.causes = inOneOrder(details.causes).filter((cause, at, all) => JSON.stringify(cause) !== JSON.stringify(all[at - 1]));
}

export const recordingPath = (suite: string): URL => new URL(`${suite}-answers.json`, import.meta.url);

/** By scenario, what a kube-apiserver 1.36.3 answered to its steps; nothing where it was not asked yet. */
export function recordedAnswers(suite: string): Record<string, Told[]> {
  const path = recordingPath(suite);
  if (!existsSync(path)) return {};
  // Whose entry of managed fields comes first depends on whether a second began between two requests.
  const read = (key: string, value: unknown): unknown => {
    if (typeof value === 'string') return withoutSentences(value);
    return key === 'managedFields' && Array.isArray(value) ? inOneOrder(value) : value;
  };
  const answers: Record<string, Told[]> = JSON.parse(readFileSync(path, 'utf8'), read);
  return answers;
}
