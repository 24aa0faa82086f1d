// AWS Signature Version 4, as the SDK makes it: of a request to an HTTP API, as its IAM authorizer asks for it, and of a URL that shows
// who its holder is.
import { createHash, createHmac } from 'node:crypto';
import type { Hash, Hmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';

export interface SigningKey {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
}

export interface SignableRequest {
  method: string;
  url: URL;
  body: string;
  region: string;
  /** `execute-api` for API Gateway. */
  service: string;
  /** Unix milliseconds; a clock more than 5 minutes off is refused by AWS. */
  nowMs: number;
}

/** @returns the headers to send beside `host` */
export async function signatureHeaders(
  key: SigningKey,
  { method, url, body, region, service, nowMs }: SignableRequest,
): Promise<Record<string, string>> {
  const request = { ...requestTo(url), method, body, headers: { host: url.host } };
  const signed = await signerOf(key, { region, service }).sign(request, { signingDate: new Date(nowMs) });
  const { host: _itself, ...headers } = signed.headers;
  return headers;
}

/**
 * A GET that any holder of the URL may make in the key's name.
 * @param request.headers beside `host`, in lower case: signed, so that it is good with them only
 * @param request.expiresSeconds for how long AWS answers it
 */
export async function presignedUrl(
  key: SigningKey,
  {
    url,
    headers,
    region,
    service,
    nowMs,
    expiresSeconds,
  }: Omit<SignableRequest, 'method' | 'body'> & { headers: Record<string, string>; expiresSeconds: number },
): Promise<URL> {
  const names = new Set(Object.keys(headers));
  const { query = {} } = await signerOf(key, { region, service }).presign(
    { ...requestTo(url), method: 'GET', headers: { host: url.host, ...headers } },
    { signingDate: new Date(nowMs), expiresIn: expiresSeconds, signableHeaders: names, unhoistableHeaders: names },
  );
  const whole = new URL(url);
  whole.search = '';
  for (const [name, value] of Object.entries(query)) for (const each of [value ?? ''].flat()) whole.searchParams.append(name, each);
  return whole;
}

/** @param where of which region and service the signature is good */
const signerOf = ({ sessionToken, ...key }: SigningKey, where: { region: string; service: string }): SignatureV4 =>
  new SignatureV4({
    ...where,
    credentials: { ...key, ...(sessionToken !== undefined && { sessionToken }) },
    sha256: Sha256,
    applyChecksum: false, // of all services S3 alone wants the body's digest as a header
  });

function requestTo(url: URL) {
  const names = new Set(url.searchParams.keys());
  return {
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    query: Object.fromEntries([...names].map((name) => [name, url.searchParams.getAll(name)])),
  };
}

/** As the signer asks for it: with a secret it is a keyed hash. */
class Sha256 {
  readonly #hash: Hash | Hmac;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret));
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(bytesOf(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  /** Never asked for: the signer makes another one for each text. */
  reset(): void {
    throw new Error('a hash of Node cannot be begun again');
  }
}

function bytesOf(data: string | ArrayBuffer | ArrayBufferView): Buffer {
  if (typeof data === 'string') return Buffer.from(data);
  return data instanceof ArrayBuffer ? Buffer.from(data) : Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}
