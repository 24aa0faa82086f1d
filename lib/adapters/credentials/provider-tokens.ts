// Bearer tokens that providers of virtual nodes ask for, from AWS Secrets Manager: one secret per cluster, with a token by node.
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as v from 'valibot';
import type { Clock } from '../../ports/clock.ts';
import { TerminalError } from '../../ports/errors.ts';
import type { Credentials } from '../kubernetes/access.ts';
import { KeptSecrets, putSecret, readSecret } from './secrets.ts';

/** By the node that each is for; under an empty name the one for all others. */
export type TokensByNode = Readonly<Record<string, string>>;

const Tokens = v.record(v.string(), v.pipe(v.string(), v.regex(/^[\x21-\x7e]+$/)));

/** No registered name has a slash. @param prefix as `farloop/prod/clusters/` */
export const providerTokensName = (prefix: string, cluster: string): string => `${prefix}${cluster}/providers`;

/** @returns undefined where the secret holds something else, whose text goes into no message. @throws the errors of aws-errors.ts */
async function readTokens(client: SecretsManagerClient, name: string): Promise<TokensByNode | undefined> {
  const secret = await readSecret(client, name);
  if (secret === undefined) return {};
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), Tokens), secret);
  return parsed.success ? parsed.output : undefined;
}

/** Tokens that are not given anew stay, as long as their nodes do. @param nodes the names of all. @throws the errors of aws-errors.ts */
export async function putProviderTokens(
  client: SecretsManagerClient,
  { name, nodes, tokens }: { name: string; nodes: readonly string[]; tokens: TokensByNode },
): Promise<void> {
  const before = Object.entries((await readTokens(client, name)) ?? {}).filter(([node]) => node === '' || nodes.includes(node));
  await putSecret(client, name, { ...Object.fromEntries(before), ...tokens });
}

export class ProviderTokens {
  readonly #kept: KeptSecrets<TokensByNode>;

  /** @param given.mend what a person is to do where a secret holds something else */
  constructor({
    client,
    prefix,
    clock,
    mend = 'give farloop cluster add again',
  }: {
    client: () => Promise<SecretsManagerClient>;
    prefix: string;
    clock: Clock;
    mend?: string;
  }) {
    this.#kept = new KeptSecrets(async (cluster) => {
      const name = providerTokensName(prefix, cluster);
      const tokens = await readTokens(await client(), name);
      if (!tokens) throw new TerminalError(`the secret ${name} holds no tokens: expected {"NODE":"token"}; ${mend}`);
      return tokens;
    }, clock);
  }

  /** None where the registration gave none. @throws TerminalError the secret is not usable; the errors of aws-errors.ts */
  async of(cluster: string, node: string): Promise<Credentials> {
    const tokens = await this.#kept.of(cluster);
    const token = tokens[node] ?? tokens[''];
    return token === undefined ? {} : { authorization: `Bearer ${token}` };
  }

  /** A provider refused what it was shown. */
  forget(cluster: string): void {
    this.#kept.forget(cluster);
  }
}
