// Secrets in AWS Secrets Manager by their names: read when first needed and kept for minutes, in memory only.
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Clock } from '../../ports/clock.ts';
import { nameOf, translated } from '../aws/aws-errors.ts';

/** A person who changes a secret leaves the old value valid for longer than this. */
const KEPT_MS = 5 * 60_000;
/** Many may ask at once for one that was refused to be read anew: once in so long it is. */
const ANEW_EVERY_MS = 5_000;

/** Values by the names that they are asked for. */
export class KeptSecrets<Value> {
  readonly #read: (name: string) => Promise<Value>;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #kept = new Map<string, { value: Promise<Value>; untilMs: number }>();

  constructor(read: (name: string) => Promise<Value>, clock: Pick<Clock, 'monotonicMs'>) {
    this.#read = read;
    this.#clock = clock;
  }

  /** @throws the errors of reading it */
  async of(name: string): Promise<Value> {
    const nowMs = this.#clock.monotonicMs();
    const kept = this.#kept.get(name);
    if (kept && kept.untilMs > nowMs) return await kept.value;
    // One reads for all. What failed is asked for again by the next one.
    const value = this.#read(name).catch((error: unknown) => {
      if (this.#kept.get(name)?.value === value) this.#kept.delete(name);
      throw error;
    });
    this.#kept.set(name, { value, untilMs: nowMs + KEPT_MS });
    return await value;
  }

  /** The next caller reads it anew, unless it has just been read. */
  forget(name: string): void {
    const kept = this.#kept.get(name);
    if (kept && kept.untilMs - KEPT_MS + ANEW_EVERY_MS <= this.#clock.monotonicMs()) this.#kept.delete(name);
  }
}

/** @returns undefined where no secret has that name. @throws the errors of aws-errors.ts */
export async function readSecret(client: SecretsManagerClient, name: string): Promise<string | undefined> {
  const { GetSecretValueCommand } = await import('../aws/secrets-manager-client.ts');
  try {
    return (await client.send(new GetSecretValueCommand({ SecretId: name }))).SecretString ?? '';
  } catch (error) {
    if (nameOf(error) === 'ResourceNotFoundException') return undefined;
    throw translated(error, `reading the secret ${name}`, false);
  }
}

/** For the first time or anew. Functions go on with what they have read for five minutes at most. */
export async function putSecret(client: SecretsManagerClient, name: string, value: object): Promise<void> {
  const { CreateSecretCommand, PutSecretValueCommand, RestoreSecretCommand } = await import('../aws/secrets-manager-client.ts');
  const SecretString = JSON.stringify(value);
  const put = async (): Promise<unknown> => await client.send(new PutSecretValueCommand({ SecretId: name, SecretString }));
  const failed = (error: unknown): never => {
    throw translated(error, `writing the secret ${name}`, true);
  };
  await put().catch(async (error: unknown) => {
    if (nameOf(error) === 'ResourceNotFoundException')
      return await client.send(new CreateSecretCommand({ Name: name, SecretString })).catch(failed);
    // One that is to be deleted, of a cluster that was removed a while ago.
    if (nameOf(error) !== 'InvalidRequestException') return failed(error);
    await client.send(new RestoreSecretCommand({ SecretId: name })).catch(failed);
    return await put().catch(failed);
  });
}

/** Reads nothing of it. */
export async function hasSecret(client: SecretsManagerClient, name: string): Promise<boolean> {
  const { DescribeSecretCommand } = await import('../aws/secrets-manager-client.ts');
  try {
    await client.send(new DescribeSecretCommand({ SecretId: name }));
    return true;
  } catch (error) {
    if (nameOf(error) === 'ResourceNotFoundException') return false;
    throw translated(error, `looking for the secret ${name}`, false);
  }
}

/** At once: it is of no use to anybody. @returns false when there was none */
export async function removeSecret(client: SecretsManagerClient, name: string): Promise<boolean> {
  const { DeleteSecretCommand } = await import('../aws/secrets-manager-client.ts');
  try {
    await client.send(new DeleteSecretCommand({ SecretId: name, ForceDeleteWithoutRecovery: true }));
    return true;
  } catch (error) {
    if (nameOf(error) === 'ResourceNotFoundException') return false;
    throw translated(error, `removing the secret ${name}`, true);
  }
}
