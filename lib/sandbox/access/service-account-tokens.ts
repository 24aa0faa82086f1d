// Tokens of service accounts: given out on request, and taken as long as they last and their account is there.
import type { KeyObject } from 'node:crypto';
import { badRequest, conflict, invalid, notFound } from '../objects/api-error.ts';
import { invalidValue } from '../../objects/refusals.ts';
import type { FieldError } from '../../objects/field-error.ts';
import { fieldsAt, isFields, numberAt, textAt, timeText } from '../objects/api-object.ts';
import type { ApiObject, Fields } from '../objects/api-object.ts';
import type { Storage } from '../storage/storage.ts';
import { keyOf } from '../storage/version.ts';
import type { Version } from '../storage/version.ts';
import type { Surroundings } from '../objects/surroundings.ts';
import { uuidFrom } from '../objects/surroundings.ts';
import type { Asker } from '../objects/asker.ts';
import { claimsOf, signedToken } from './signed-token.ts';

/** Who signs, and for whom a token is that says nothing else. */
export const ISSUER = 'https://kubernetes.default.svc';

const LEAST_SECONDS = 600;
const MOST_SECONDS = 2 ** 32;
const GROUP = 'authentication.k8s.io';
/** Claims of Kubernetes stand under this name. */
const PRIVATE = 'kubernetes.io';

interface Identity {
  name: string;
  uid: string;
}

interface Cluster {
  storage: Storage;
  surroundings: Surroundings;
}

export class ServiceAccountTokens {
  readonly #cluster: Cluster;
  readonly #key: KeyObject;

  constructor(cluster: Cluster, key: KeyObject) {
    this.#cluster = cluster;
    this.#key = key;
  }

  /**
   * Answers a request for a token.
   * @param request with its defaults
   * @throws ApiError 400, 409 and 422, as an API server refuses it
   */
  answer(account: Version, request: ApiObject): ApiObject {
    const { surroundings } = this.#cluster;
    const { name = '', namespace = '', uid = '' } = account.object.metadata;
    checkIdentity(request, { name, uid });
    const spec = fieldsAt(request, 'spec');
    const audiences = Array.isArray(spec['audiences']) && spec['audiences'].length > 0 ? spec['audiences'] : [ISSUER];
    const expirationSeconds = numberAt(spec, 'expirationSeconds');
    const problems = problemsOf(expirationSeconds);
    if (problems.length > 0) throw invalid({ group: GROUP, kind: 'TokenRequest', name: '' }, problems);
    const pod = this.#podIn(spec, namespace);
    const nowMs = surroundings.now();
    const seconds = Math.floor(nowMs / 1000);
    const claims = {
      aud: audiences,
      exp: seconds + expirationSeconds,
      iat: seconds,
      iss: ISSUER,
      jti: uuidFrom(surroundings.random),
      [PRIVATE]: { namespace, ...(pod && { pod }), serviceaccount: { name, uid } },
      nbf: seconds,
      sub: userOf(namespace, name),
    };
    const expirationTimestamp = timeText(nowMs + expirationSeconds * 1000);
    return {
      ...request,
      metadata: { ...request.metadata, name, namespace, uid, creationTimestamp: timeText(nowMs) },
      spec: { boundObjectRef: null, ...spec, audiences },
      status: { token: signedToken(claims, this.#key), expirationTimestamp },
    };
  }

  #isThere(plural: string, namespace: string, { name, uid }: Identity): boolean {
    return this.#cluster.storage.get(plural, keyOf(namespace, name))?.object.metadata.uid === uid;
  }

  /** The pod that a token is bound to, and ends with. @throws ApiError */
  #podIn(spec: Fields, namespace: string): Identity | undefined {
    const bound = spec['boundObjectRef'];
    if (!isFields(bound)) return undefined;
    const kind = textAt(bound, 'kind');
    if (kind !== 'Pod')
      throw badRequest(`the sandbox binds tokens to pods and to nothing else: spec.boundObjectRef.kind is ${JSON.stringify(kind)}`);
    const [name, uid] = [textAt(bound, 'name'), textAt(bound, 'uid')];
    const there = this.#cluster.storage.get('pods', keyOf(namespace, name))?.object.metadata.uid;
    if (there === undefined) throw notFound({ group: '', kind: 'pods', name });
    if (uid !== '' && uid !== there)
      throw conflict(
        { group: '', kind: 'pods', name },
        `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
      );
    return { name, uid: there };
  }

  /** The owner of a token; undefined for one that is forged, expired, for another audience, or whose account is gone. */
  askerOf(token: string): Asker | undefined {
    const claims = claimsOf(token, this.#key);
    if (!claims) return undefined;
    const nowSeconds = this.#cluster.surroundings.now() / 1000;
    const isMeant = Array.isArray(claims['aud']) && claims['aud'].includes(ISSUER);
    if (!isMeant || claims['iss'] !== ISSUER || numberAt(claims, 'exp') <= nowSeconds || numberAt(claims, 'nbf') > nowSeconds)
      return undefined;
    const own = fieldsAt(claims, PRIVATE);
    const namespace = textAt(own, 'namespace');
    const account = fieldsAt(own, 'serviceaccount');
    const [name, uid] = [textAt(account, 'name'), textAt(account, 'uid')];
    if (!this.#isThere('serviceaccounts', namespace, { name, uid })) return undefined;
    const pod = fieldsAt(own, 'pod');
    if ('name' in pod && !this.#isThere('pods', namespace, { name: textAt(pod, 'name'), uid: textAt(pod, 'uid') })) return undefined;
    const extra = { 'authentication.kubernetes.io/credential-id': [`JTI=${textAt(claims, 'jti')}`] };
    const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
    return { name: userOf(namespace, name), uid, groups, extra };
  }
}

const userOf = (namespace: string, name: string): string => `system:serviceaccount:${namespace}:${name}`;

function problemsOf(expirationSeconds: number): FieldError[] {
  const field = 'spec.expirationSeconds';
  if (expirationSeconds < LEAST_SECONDS) return [invalidValue(field, expirationSeconds, 'may not specify a duration less than 10 minutes')];
  return expirationSeconds > MOST_SECONDS
    ? [invalidValue(field, expirationSeconds, 'may not specify a duration larger than 2^32 seconds')]
    : [];
}

/** @throws ApiError where the request names another account than the path */
function checkIdentity({ metadata: given }: ApiObject, { name, uid }: { name: string; uid: string }): void {
  const subject = { group: GROUP, kind: 'TokenRequest', name };
  if (given.name !== undefined && given.name !== '' && given.name !== name)
    throw invalid(subject, [invalidValue('metadata.name', given.name, 'must match the service account name if specified')]);
  if (given.uid !== undefined && given.uid !== '' && given.uid !== uid)
    throw conflict(subject, `the UID in the token request (${given.uid}) does not match the UID of the service account (${uid})`);
}
