// The server's certificates and the token that its kubeconfig carries. Kept in the state folder, so all outlive a restart.
import { randomBytes, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as selfsigned from 'selfsigned';
import { writePrivately } from '../../files/private-files.ts';
import { isFields } from '../objects/api-object.ts';
import type { Fields } from '../objects/api-object.ts';
import { refusalOf, SandboxError } from '../storage/storage-file.ts';

export interface Credentials {
  /** The certificate that clients trust. */
  caPem: string;
  certPem: string;
  keyPem: string;
  token: string;
  client: ClientCredentials;
}

/**
 * With these the server shows nodes who it is. Their authority is not the one that clients trust: that one may vouch for servers alone, and
 * kubeconfigs of earlier starts hold it.
 */
export interface ClientCredentials {
  caPem: string;
  certPem: string;
  keyPem: string;
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
  const lasts = (certPem: string): boolean => Date.parse(new X509Certificate(certPem).validTo) > nowMs + oneDayMs;
  const server = kept && lasts(kept.certPem) ? kept : undefined;
  const client = kept?.client && lasts(kept.client.certPem) ? kept.client : undefined;
  if (server && client) return { ...server, client };
  const issued = {
    ...(server ?? (await issueForServer(kept?.token ?? randomBytes(24).toString('base64url'), nowMs))),
    client: client ?? (await issueForClient(nowMs)),
  };
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

type Kept = Omit<Credentials, 'client'> & { client?: ClientCredentials };

function read(file: string): Kept | undefined {
  try {
    const found: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (!isFields(found)) return undefined;
    const server = pemsIn(found);
    const { token } = found;
    if (!server || typeof token !== 'string') return undefined;
    // Folders of earlier versions hold no client's.
    const client = isFields(found['client']) ? pemsIn(found['client']) : undefined;
    return { ...server, token, ...(client && { client }) };
  } catch {
    return undefined; // missing or half-written: issued again
  }
}

function pemsIn({ caPem, certPem, keyPem }: Fields): ClientCredentials | undefined {
  if (typeof caPem !== 'string' || typeof certPem !== 'string' || typeof keyPem !== 'string') return undefined;
  return { caPem, certPem, keyPem };
}

type Options = NonNullable<Parameters<typeof selfsigned.generate>[1]>;

/** @param names of the subject, as X.509 calls them */
async function issue(names: Readonly<Record<string, string>>, nowMs: number, options: Options): Promise<{ cert: string; private: string }> {
  // Imported here alone: it costs 70 ms, and most starts find a certificate.
  // The default is what a bundle, too, gives of a CommonJS module.
  const {
    default: { generate },
  } = await import('selfsigned');
  const subject = Object.entries(names).map(([name, value]) => ({ name, value }));
  return await generate(subject, {
    algorithm: 'sha256', // its default, SHA-1, is refused by Go clients
    keyType: 'ec',
    curve: 'P-256',
    notBeforeDate: new Date(Math.min(nowMs, Date.now()) - oneDayMs),
    notAfterDate: new Date(Math.max(nowMs, Date.now()) + tenYearsMs),
    ...options,
  });
}

/** In the names of a real server, which roles on real clusters may be bound to. */
async function issueForClient(nowMs: number): Promise<ClientCredentials> {
  const authority = await issue({ commonName: 'farloop-sandbox-clients' }, nowMs, {
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', digitalSignature: true, keyCertSign: true, critical: true },
    ],
  });
  // The authority's key is forgotten with this: nobody else gets a certificate of it.
  const issued = await issue({ organizationName: 'system:masters', commonName: 'kube-apiserver-kubelet-client' }, nowMs, {
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', clientAuth: true },
    ],
  });
  return { caPem: authority.cert, certPem: issued.cert, keyPem: issued.private };
}

async function issueForServer(token: string, nowMs: number): Promise<Omit<Credentials, 'client'>> {
  const issued = await issue({ commonName: 'farloop-sandbox' }, nowMs, {
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
