// The certificate with which a node answers. API servers do not check it unless they are told to, as with kubelets that issue their own.
import { isIP } from 'node:net';

const TEN_YEARS_MS = 10 * 365 * 86_400_000;
const ONE_DAY_MS = 86_400_000;

export interface ServingCertificate {
  certPem: string;
  keyPem: string;
}

/** @param address the one that the Node names */
export async function issueServingCertificate(node: string, address: string, nowMs: number): Promise<ServingCertificate> {
  // It costs 70 ms, and only a node that is served needs it.
  const {
    default: { generate },
  } = await import('selfsigned');
  const issued = await generate([{ name: 'commonName', value: node }], {
    algorithm: 'sha256', // its default, SHA-1, is refused by Go clients
    keyType: 'ec',
    curve: 'P-256',
    notBeforeDate: new Date(nowMs - ONE_DAY_MS),
    notAfterDate: new Date(nowMs + TEN_YEARS_MS),
    extensions: [
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames: isIP(address) ? [{ type: 7, ip: address }] : [{ type: 2, value: address }] },
    ],
  });
  return { certPem: issued.cert, keyPem: issued.private };
}
