// Credentials of clusters from AWS Secrets Manager: one secret per cluster.
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as v from 'valibot';
import type { Clock } from '../../ports/clock.ts';
import { TerminalError } from '../../ports/errors.ts';
import type { Credentials } from '../kubernetes/access.ts';
import { credentialsOf } from '../kubernetes/access.ts';
import { Credential } from '../cluster-record/registered-access.ts';
import type { Credential as GivenCredential } from '../cluster-record/registered-access.ts';
import { hasSecret, KeptSecrets, putSecret, readSecret, removeSecret } from './secrets.ts';

export interface SecretCredentialsOptions {
  /** Loaded with the first secret: a function that needs none starts without it. */
  client: () => Promise<SecretsManagerClient>;
  /** Before the cluster's name in the name of its secret, as `farloop/prod/clusters/`. */
  prefix: string;
  clock: Clock;
}

interface Named {
  prefix: string;
  cluster: string;
}

const nameOf = ({ prefix, cluster }: Named): string => `${prefix}${cluster}`;

export class SecretCredentials {
  readonly #kept: KeptSecrets<Credentials>;

  constructor({ client, prefix, clock }: SecretCredentialsOptions) {
    this.#kept = new KeptSecrets(async (cluster) => await credentialsOf(await readCredential(await client(), { prefix, cluster })), clock);
  }

  /**
   * @param cluster its registered name
   * @throws TerminalError there is no such secret, or it holds no credential; the errors of aws-errors.ts
   */
  async of(cluster: string): Promise<Credentials> {
    return await this.#kept.of(cluster);
  }

  /** The next caller reads it anew, unless it has just been read. */
  forget(cluster: string): void {
    this.#kept.forget(cluster);
  }
}

/** @throws TerminalError there is no such secret, or it holds no credential; the errors of aws-errors.ts */
export async function readCredential(client: SecretsManagerClient, named: Named): Promise<GivenCredential> {
  const name = nameOf(named);
  const secret = await readSecret(client, name);
  if (secret === undefined) throw new TerminalError(`there is no secret ${name}: register the cluster ${named.cluster} again`);
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), Credential), secret);
  // Its text goes into no message.
  if (!parsed.success)
    throw new TerminalError(
      `the secret ${name} holds no credential: expected {"kind":"token","token"} or {"kind":"clientCertificate","certPem","keyPem"}`,
    );
  return parsed.output;
}

/** Writes a cluster's credential, for the first time or anew. */
export const putCredential = async (
  client: SecretsManagerClient,
  { credential, ...named }: Named & { credential: GivenCredential },
): Promise<void> => await putSecret(client, nameOf(named), credential);

/** @returns whether the cluster has a secret */
export const hasCredential = async (client: SecretsManagerClient, named: Named): Promise<boolean> => await hasSecret(client, nameOf(named));

/** @returns false when there was none */
export const removeCredential = async (client: SecretsManagerClient, named: Named): Promise<boolean> =>
  await removeSecret(client, nameOf(named));
