// Tokens of service accounts end by themselves. Once half of a token's life is over, the account asks for another one, with the right to
// its own tokens only, and the new one takes the old one's place in Secrets Manager.
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as v from 'valibot';
import type { Clock } from '../../ports/clock.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import { TerminalError } from '../../ports/errors.ts';
import { KubernetesAdministration } from '../kubernetes/kubernetes-administration.ts';
import type { ClusterAccess } from '../kubernetes/kubernetes-cluster.ts';
import { putCredential, readCredential } from './secret-credentials.ts';

/** Between two looks of one process at one credential. */
const LOOK_EVERY_MS = 3_600_000;

export interface RenewedCredentialsOptions {
  client: () => Promise<SecretsManagerClient>;
  /** Before the cluster's name in the name of its secret. */
  prefix: string;
  clock: Clock;
  /** Of a cluster whose record has been read. */
  accessOf: (name: string) => Omit<ClusterAccess, 'auth'>;
}

const Claims = v.object({
  iat: v.number(),
  exp: v.number(),
  sub: v.pipe(v.string(), v.regex(/^system:serviceaccount:[^:]+:[^:]+$/)),
});

/** @returns undefined for a token that does not name its account, or does not end */
export function claimsOf(token: string): { namespace: string; name: string; issuedAtMs: number; expiresAtMs: number } | undefined {
  const [, payload = ''] = token.split('.');
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), Claims), Buffer.from(payload, 'base64url').toString('utf8'));
  if (!parsed.success) return undefined;
  const { iat, exp, sub } = parsed.output;
  const [, , namespace = '', name = ''] = sub.split(':');
  return { namespace, name, issuedAtMs: iat * 1000, expiresAtMs: exp * 1000 };
}

export class RenewedCredentials {
  readonly #options: RenewedCredentialsOptions;
  readonly #lookAgainAtMs = new Map<string, number>();

  constructor(options: RenewedCredentialsOptions) {
    this.#options = options;
  }

  /** @returns whether there is a new one now. @throws TerminalError the old one is not good any more; whatever the cluster answers */
  async renew({ name: cluster, access: how }: Pick<ClusterRecord, 'name' | 'access'>): Promise<boolean> {
    const { client, prefix, clock, accessOf } = this.#options;
    if (how === 'relayed' || (this.#lookAgainAtMs.get(cluster) ?? 0) > clock.monotonicMs()) return false;
    const secrets = await client();
    const credential = await readCredential(secrets, { prefix, cluster });
    const claims = credential.kind === 'token' ? claimsOf(credential.token) : undefined;
    const renewed = claims !== undefined && clock.nowMs() > (claims.issuedAtMs + claims.expiresAtMs) / 2;
    if (renewed) {
      if (clock.nowMs() >= claims.expiresAtMs)
        throw new TerminalError(
          `the token of the cluster ${cluster} ended at ${new Date(claims.expiresAtMs).toISOString()}: give farloop cluster add again`,
        );
      const administration = new KubernetesAdministration({ ...accessOf(cluster), auth: credential });
      try {
        const life = Math.round((claims.expiresAtMs - claims.issuedAtMs) / 1000);
        const { token } = await administration.tokenOf(claims, life);
        await putCredential(secrets, { prefix, cluster, credential: { kind: 'token', token } });
      } finally {
        administration.close();
      }
    }
    this.#lookAgainAtMs.set(cluster, clock.monotonicMs() + LOOK_EVERY_MS);
    return renewed;
  }
}
