// Credentials of clusters from AWS Secrets Manager: one secret per cluster, read when first needed and kept for minutes, in memory only.
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as v from 'valibot';
import type { Clock } from '../../ports/clock.ts';
import { TerminalError } from '../../ports/errors.ts';
import { nameOf, translated } from '../aws/aws-errors.ts';
import type { Credentials } from '../kubernetes/access.ts';
import { credentialsOf } from '../kubernetes/access.ts';
import { Credential } from '../cluster-record/registered-access.ts';
import type { Credential as GivenCredential } from '../cluster-record/registered-access.ts';

/** A person who changes a credential leaves the old one valid for longer than this. */
const KEPT_MS = 5 * 60_000;
/** Many may ask at once for one that was refused to be read anew: once in so long it is. */
const ANEW_EVERY_MS = 5_000;

export interface SecretCredentialsOptions {
  /** Loaded with the first secret: a function that needs none starts without it. */
  client: () => Promise<SecretsManagerClient>;
  /** Before the cluster's name in the name of its secret, as `farloop/prod/clusters/`. */
  prefix: string;
  clock: Clock;
}

export class SecretCredentials {
  readonly #options: SecretCredentialsOptions;
  readonly #kept = new Map<string, { credentials: Promise<Credentials>; untilMs: number }>();

  constructor(options: SecretCredentialsOptions) {
    this.#options = options;
  }

  /**
   * @param cluster its registered name
   * @throws TerminalError there is no such secret, or it holds no credential; the errors of aws-errors.ts
   */
  async of(cluster: string): Promise<Credentials> {
    const nowMs = this.#options.clock.monotonicMs();
    const kept = this.#kept.get(cluster);
    if (kept && kept.untilMs > nowMs) return await kept.credentials;
    // One reads for all. What failed is asked for again by the next one.
    const credentials = this.#read(cluster).catch((error: unknown) => {
      if (this.#kept.get(cluster)?.credentials === credentials) this.#kept.delete(cluster);
      throw error;
    });
    this.#kept.set(cluster, { credentials, untilMs: nowMs + KEPT_MS });
    return await credentials;
  }

  /** The next caller reads it anew, unless it has just been read. */
  forget(cluster: string): void {
    const kept = this.#kept.get(cluster);
    if (kept && kept.untilMs - KEPT_MS + ANEW_EVERY_MS <= this.#options.clock.monotonicMs()) this.#kept.delete(cluster);
  }

  async #read(cluster: string): Promise<Credentials> {
    const { client, prefix } = this.#options;
    return await credentialsOf(await readCredential(await client(), { prefix, cluster }));
  }
}

/** @throws TerminalError there is no such secret, or it holds no credential; the errors of aws-errors.ts */
export async function readCredential(
  client: SecretsManagerClient,
  { prefix, cluster }: { prefix: string; cluster: string },
): Promise<GivenCredential> {
  const name = `${prefix}${cluster}`;
  const { GetSecretValueCommand } = await import('../aws/secrets-manager-client.ts');
  const { SecretString: secret } = await client.send(new GetSecretValueCommand({ SecretId: name })).catch((error: unknown) => {
    if (nameOf(error) === 'ResourceNotFoundException')
      throw new TerminalError(`there is no secret ${name}: register the cluster ${cluster} again`, { cause: error });
    throw translated(error, `reading the secret ${name}`, false);
  });
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), Credential), secret);
  // Its text goes into no message.
  if (!parsed.success)
    throw new TerminalError(
      `the secret ${name} holds no credential: expected {"kind":"token","token"} or {"kind":"clientCertificate","certPem","keyPem"}`,
    );
  return parsed.output;
}

/** Writes a cluster's credential, for the first time or anew. Functions go on with what they have read for five minutes at most. */
export async function putCredential(
  client: SecretsManagerClient,
  { prefix, cluster, credential }: { prefix: string; cluster: string; credential: GivenCredential },
): Promise<void> {
  const { CreateSecretCommand, PutSecretValueCommand, RestoreSecretCommand } = await import('../aws/secrets-manager-client.ts');
  const SecretId = `${prefix}${cluster}`;
  const SecretString = JSON.stringify(credential);
  const put = async (): Promise<unknown> => await client.send(new PutSecretValueCommand({ SecretId, SecretString }));
  const failed = (error: unknown): never => {
    throw translated(error, `writing the secret ${SecretId}`, true);
  };
  await put().catch(async (error: unknown) => {
    if (nameOf(error) === 'ResourceNotFoundException')
      return await client.send(new CreateSecretCommand({ Name: SecretId, SecretString })).catch(failed);
    // One that is to be deleted, of a cluster that was removed a while ago.
    if (nameOf(error) !== 'InvalidRequestException') return failed(error);
    await client.send(new RestoreSecretCommand({ SecretId })).catch(failed);
    return await put().catch(failed);
  });
}

/** Reads nothing of it. @returns whether the cluster has a secret */
export async function hasCredential(
  client: SecretsManagerClient,
  { prefix, cluster }: { prefix: string; cluster: string },
): Promise<boolean> {
  const { DescribeSecretCommand } = await import('../aws/secrets-manager-client.ts');
  const SecretId = `${prefix}${cluster}`;
  try {
    await client.send(new DescribeSecretCommand({ SecretId }));
    return true;
  } catch (error) {
    if (nameOf(error) === 'ResourceNotFoundException') return false;
    throw translated(error, `looking for the secret ${SecretId}`, false);
  }
}

/** At once: the credential is of no use to anybody. @returns false when there was none */
export async function removeCredential(
  client: SecretsManagerClient,
  { prefix, cluster }: { prefix: string; cluster: string },
): Promise<boolean> {
  const { DeleteSecretCommand } = await import('../aws/secrets-manager-client.ts');
  const SecretId = `${prefix}${cluster}`;
  try {
    await client.send(new DeleteSecretCommand({ SecretId, ForceDeleteWithoutRecovery: true }));
    return true;
  } catch (error) {
    if (nameOf(error) === 'ResourceNotFoundException') return false;
    throw translated(error, `removing the secret ${SecretId}`, true);
  }
}
