// The key that signs the tokens of service accounts. Kept in the state folder, so that tokens outlive a restart.
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivately } from '../../files/private-files.ts';
import { refusalOf, SandboxError } from '../storage/storage-file.ts';

const fileName = 'service-accounts.key';

/**
 * The folder's key. An absent or unreadable one is made anew, and tokens signed before are refused. Without a folder always new.
 * @throws SandboxError when it cannot be kept
 */
export function signingKeyIn(folder: string | undefined): KeyObject {
  const file = folder === undefined ? undefined : join(folder, fileName);
  const kept = file === undefined ? undefined : read(file);
  if (kept) return kept;
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  if (file !== undefined) keep(file, privateKey);
  return privateKey;
}

function read(file: string): KeyObject | undefined {
  try {
    return createPrivateKey(readFileSync(file));
  } catch {
    return undefined; // missing or damaged
  }
}

function keep(file: string, key: KeyObject): void {
  try {
    writePrivately(file, key.export({ type: 'pkcs8', format: 'pem' }).toString());
  } catch (error) {
    throw new SandboxError(`the sandbox's key for service accounts cannot be written to ${file}: ${refusalOf(error)}`, { cause: error });
  }
}
