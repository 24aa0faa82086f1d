// The server's certificate and the token that its kubeconfig carries. Kept in the state folder, so both outlive a restart.
import { randomBytes, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivately } from '../../files/private-files.ts';
import { isFields } from '../objects/api-object.ts';
import { refusalOf, SandboxError } from '../storage/storage-file.ts';

export interface Credentials {
  /** The certificate that clients trust. */
  caPem: string;
  certPem: string;
  keyPem: string;
  token: string;
}

const fileName = 'credentials.json';
const tenYearsMs = 10 * 365 * 86_400_000;
const oneDayMs = 86_400_000;

/**
 * The folder's credentials, issued if absent or if the certificate is about to end. Without a folder always new.
 * @throws SandboxError when they cannot be kept
 */
export async function credentialsIn(folder: string | undefined, nowMs: number): Promise<Credentials> {
  const kept = folder === undefined ? undefined : read(join(folder, fileName));
  if (kept && Date.parse(new X509Certificate(kept.certPem).validTo) > nowMs + oneDayMs) return kept;
  const issued = await issue(kept?.token ?? randomBytes(24).toString('base64url'), nowMs);
  if (folder !== undefined) keep(join(folder, fileName), issued);
  return issued;
}

/** Whole or not at all: a crash in between leaves the file before. */
function keep(file: string, issued: Credentials): void {
  try {
    writePrivately(file, JSON.stringify(issued));
  } catch (error) {
    throw new SandboxError(`the sandbox's certificate cannot be written to ${file}: ${refusalOf(error)}`, { cause: error });
  }
}

function read(file: string): Credentials | undefined {
  try {
    const found: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (!isFields(found)) return undefined;
    const { caPem, certPem, keyPem, token } = found;
    if (typeof caPem !== 'string' || typeof certPem !== 'string' || typeof keyPem !== 'string' || typeof token !== 'string')
      return undefined;
    return { caPem, certPem, keyPem, token };
  } catch {
    return undefined; // missing or half-written: issued again
  }
}

async function issue(token: string, nowMs: number): Promise<Credentials> {
  // Imported here alone: it costs 70 ms, and most starts find a certificate.
  // The default is what a bundle, too, gives of a CommonJS module.
  const {
    default: { generate },
  } = await import('selfsigned');
  const issued = await generate([{ name: 'commonName', value: 'farloop-sandbox' }], {
    algorithm: 'sha256', // its default, SHA-1, is refused by Go clients
    keyType: 'ec',
    curve: 'P-256',
    notBeforeDate: new Date(Math.min(nowMs, Date.now()) - oneDayMs),
    notAfterDate: new Date(Math.max(nowMs, Date.now()) + tenYearsMs),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', digitalSignature: true, keyCertSign: true, keyEncipherment: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  });
  return { caPem: issued.cert, certPem: issued.cert, keyPem: issued.private, token };
}
