// A function's identity, as EKS asks for it: a URL at which STS answers who signed it, signed for this very cluster. EKS asks there itself, and looks for
// the answer among the cluster's access entries. Nothing is kept anywhere, and the function's own role is all that it takes.
import type { SigningKey } from '../aws/request-signature.ts';
import { presignedUrl } from '../aws/request-signature.ts';

export interface EksCluster {
  /** Its name in EKS. */
  name: string;
  region: string;
}

/** The longest that STS need stand by its answer; EKS takes the token for a quarter of an hour from when it was signed. */
const EXPIRES_SECONDS = 60;
/** After so long another token is signed: well before EKS takes the old one for too old, whatever the clocks say. */
export const EKS_TOKEN_KEPT_MS = 10 * 60_000;

/** @param nowMs Unix milliseconds; a clock that is minutes off is refused */
export async function eksToken(key: SigningKey, { name, region }: EksCluster, nowMs: number): Promise<string> {
  const url = new URL(`https://sts.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}/`);
  url.searchParams.set('Action', 'GetCallerIdentity');
  url.searchParams.set('Version', '2011-06-15');
  const signed = await presignedUrl(key, {
    url,
    headers: { 'x-k8s-aws-id': name },
    region,
    service: 'sts',
    nowMs,
    expiresSeconds: EXPIRES_SECONDS,
  });
  return `k8s-aws-v1.${Buffer.from(signed.href).toString('base64url')}`;
}

export interface EksTokensOptions {
  /** Called for each token; the caller's side caches a key that is still valid. */
  key: () => Promise<SigningKey>;
  nowMs: () => number;
}

/** One token per cluster for some minutes: EKS remembers those that it has asked about. */
export class EksTokens {
  readonly #options: EksTokensOptions;
  readonly #kept = new Map<string, { token: string; signedAtMs: number }>();

  constructor(options: EksTokensOptions) {
    this.#options = options;
  }

  async of(cluster: EksCluster): Promise<string> {
    const id = `${cluster.region}/${cluster.name}`;
    const nowMs = this.#options.nowMs();
    const kept = this.#kept.get(id);
    // A clock that was set back makes a token look as if it came from later.
    if (kept && nowMs >= kept.signedAtMs && nowMs - kept.signedAtMs < EKS_TOKEN_KEPT_MS) return kept.token;
    const token = await eksToken(await this.#options.key(), cluster, nowMs);
    this.#kept.set(id, { token, signedAtMs: nowMs });
    return token;
  }
}
