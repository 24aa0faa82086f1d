// An API server as the registration of a cluster needs it: any kind of object, applied and removed by name. Passes never use it.
import { fieldsOf, isFields, textOf } from '../../objects/values/untyped-fields.ts';
import type { KubernetesObject } from '../../objects/kubernetes.ts';
import type { Resource } from '../../objects/resources.ts';
import { pathOf, SERVICE_ACCOUNTS } from '../../objects/resources.ts';
import type { ListSelection } from '../../ports/cluster.ts';
import { NotFoundError, TerminalError } from '../../ports/errors.ts';
import type { ClusterAccess } from './access.ts';
import { Connection } from './connection.ts';
import type { Incoming, Outgoing } from './connection.ts';
import type { Asked } from './refusals.ts';
import { errorOf } from './refusals.ts';

export interface ObjectName {
  namespace?: string;
  name: string;
}

export interface ServiceAccountToken {
  token: string;
  /** RFC 3339; the server may have shortened what was asked for. */
  expirationTime: string;
}

const CALL_MS = 15_000;
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
const FIELD_MANAGER = 'farloop-cluster-add';
const PAGE = 500;

/** @throws in every call the errors of ports/errors.ts, one sentence each */
export class KubernetesAdministration {
  readonly #connection: Connection;

  constructor(access: ClusterAccess) {
    this.#connection = new Connection(access, { connections: 4, timeoutMs: CALL_MS, answerBytesMax: ANSWER_BYTES_MAX });
  }

  /** @returns undefined when the object does not exist */
  async get(resource: Resource, { namespace, name }: ObjectName): Promise<KubernetesObject | undefined> {
    try {
      return objectIn(await this.#call('get', { method: 'GET' }, resource, { namespace, name }));
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
  }

  /**
   * All pages. @param selection of all namespaces when it names none
   * @throws TerminalError with the code 404: the server does not know the resource
   */
  async list<Item extends KubernetesObject>(
    resource: Resource,
    { namespace, labelSelector, fieldSelector }: ListSelection = {},
  ): Promise<Item[]> {
    const items: Item[] = [];
    let next = '';
    do {
      const query = new URLSearchParams({
        limit: String(PAGE),
        ...(labelSelector !== undefined && { labelSelector }),
        ...(fieldSelector !== undefined && { fieldSelector }),
        ...(next !== '' && { continue: next }),
      });
      const body = fieldsOf(objectIn(await this.#call('list', { method: 'GET' }, resource, { namespace }, query)));
      for (const item of Array.isArray(body['items']) ? body['items'] : []) items.push(item as Item);
      next = textOf(fieldsOf(body['metadata'])['continue']);
    } while (next !== '');
    return items;
  }

  /**
   * Server-side apply: as often as one likes, with the same outcome.
   * @param options.dryRun the server checks it in full and keeps nothing
   */
  async apply(resource: Resource, object: KubernetesObject, { dryRun = false }: { dryRun?: boolean } = {}): Promise<KubernetesObject> {
    const { namespace, name } = object.metadata;
    const query = new URLSearchParams({ fieldManager: FIELD_MANAGER, force: 'true', ...(dryRun && { dryRun: 'All' }) });
    const outgoing = { method: 'PATCH', body: JSON.stringify(object), contentType: 'application/apply-patch+yaml' } as const;
    return objectIn(await this.#call('patch', outgoing, resource, { namespace, name }, query));
  }

  /** JSON patch, the pod's uid tested by it. */
  async patch(resource: Resource, { namespace, name }: ObjectName, operations: object[]): Promise<void> {
    const outgoing = { method: 'PATCH', body: JSON.stringify(operations), contentType: 'application/json-patch+json' } as const;
    await this.#call('patch', outgoing, resource, { namespace, name });
  }

  /** @returns false when there was none */
  async delete(resource: Resource, { namespace, name }: ObjectName): Promise<boolean> {
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background' });
    try {
      await this.#call('delete', { method: 'DELETE', body }, resource, { namespace, name });
      return true;
    } catch (error) {
      if (error instanceof NotFoundError) return false;
      throw error;
    }
  }

  /** A token of a service account, by TokenRequest: it ends by itself, and with its account. @param expirationSeconds asked for */
  async tokenOf({ namespace, name }: Required<ObjectName>, expirationSeconds: number): Promise<ServiceAccountToken> {
    const body = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds } });
    const answer = objectIn(
      await this.#call('create', { method: 'POST', body }, SERVICE_ACCOUNTS, { namespace, name, subresource: 'token' }),
    );
    const status = fieldsOf(fieldsOf(answer)['status']);
    const token = textOf(status['token']);
    if (token === '') throw new TerminalError(`${this.#connection.server} gave no token for the service account ${namespace}/${name}`);
    return { token, expirationTime: textOf(status['expirationTimestamp']) };
  }

  /** @param withIssuer asks who issues the tokens of its service accounts, too */
  async about(withIssuer: boolean): Promise<{ version: string; issuer: string }> {
    const version = textOf(fieldsOf(await this.#json('/version'))['gitVersion']);
    return { version, issuer: withIssuer ? textOf(fieldsOf(await this.#json('/.well-known/openid-configuration'))['issuer']) : '' };
  }

  /** @returns whether the API server issues tokens for its service accounts, as its discovery says */
  async givesTokens(): Promise<boolean> {
    const { resources } = fieldsOf(await this.#json('/api/v1'));
    return Array.isArray(resources) && resources.some((resource) => textOf(fieldsOf(resource)['name']) === 'serviceaccounts/token');
  }

  async #json(path: string): Promise<unknown> {
    const { status, text } = await this.#connection.call({ method: 'GET', path, isTooLate: () => false });
    if (status !== 200) throw new TerminalError(`GET ${path} at ${this.#connection.server}: HTTP status ${status}`);
    return JSON.parse(text);
  }

  close(): void {
    this.#connection.close();
  }

  async #call(
    verb: Asked['verb'],
    outgoing: Pick<Outgoing, 'method' | 'body' | 'contentType'>,
    resource: Resource,
    target: { namespace?: string | undefined; name?: string | undefined; subresource?: string | undefined },
    query = new URLSearchParams(),
  ): Promise<Incoming> {
    const text = query.toString();
    const path = `${pathOf(resource, target)}${text === '' ? '' : `?${text}`}`;
    const incoming = await this.#connection.call({ ...outgoing, path, isTooLate: () => false });
    if (incoming.status >= 200 && incoming.status < 300) return incoming;
    const [group = ''] = resource.apiVersion.includes('/') ? resource.apiVersion.split('/') : [];
    throw errorOf({ verb, server: this.#connection.server, plural: resource.plural, group, ...target }, incoming);
  }
}

function objectIn({ text }: Incoming): KubernetesObject {
  const object: unknown = JSON.parse(text);
  if (!isObject(object)) throw new TerminalError(`the API server answered something else than an object: ${text.slice(0, 100)}`);
  return object;
}

const isObject = (value: unknown): value is KubernetesObject => isFields(value) && (isFields(value['metadata']) || 'status' in value);
