// AWS Signature Version 4: of a request to an HTTP API, as its IAM authorizer asks for it, and of a URL that shows who its holder is.
import { createHash, createHmac } from 'node:crypto';

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

const ALGORITHM = 'AWS4-HMAC-SHA256';

/** @returns the headers to send beside `host` */
export function signatureHeaders(key: SigningKey, { method, url, body, region, service, nowMs }: SignableRequest): Record<string, string> {
  const time = timeText(nowMs);
  const signed: Record<string, string> = {
    host: url.host,
    'x-amz-date': time,
    ...(key.sessionToken !== undefined && { 'x-amz-security-token': key.sessionToken }),
  };
  const { names, scope, signature } = signatureOf(key, { method, url, body, region, service, time, signed });
  const { host: _itself, ...others } = signed;
  return {
    ...others,
    authorization: `${ALGORITHM} Credential=${key.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

/**
 * A GET that whoever is given the URL may make in the key's name.
 * @param request.headers beside `host`, in lower case and in their order: signed, so that it is good with them only
 * @param request.expiresSeconds for how long AWS answers it
 */
export function presignedUrl(
  key: SigningKey,
  {
    url,
    headers,
    region,
    service,
    nowMs,
    expiresSeconds,
  }: Omit<SignableRequest, 'method' | 'body'> & { headers: Record<string, string>; expiresSeconds: number },
): URL {
  const time = timeText(nowMs);
  const signed = { host: url.host, ...headers };
  const whole = new URL(url);
  const query = {
    'X-Amz-Algorithm': ALGORITHM,
    'X-Amz-Credential': `${key.accessKeyId}/${scopeOf({ time, region, service })}`,
    'X-Amz-Date': time,
    'X-Amz-Expires': String(expiresSeconds),
    ...(key.sessionToken !== undefined && { 'X-Amz-Security-Token': key.sessionToken }),
    'X-Amz-SignedHeaders': Object.keys(signed).join(';'),
  };
  for (const [name, value] of Object.entries(query)) whole.searchParams.set(name, value);
  const { signature } = signatureOf(key, { method: 'GET', url: whole, body: '', region, service, time, signed });
  whole.searchParams.set('X-Amz-Signature', signature);
  return whole;
}

const timeText = (nowMs: number): string => new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
const scopeOf = ({ time, region, service }: { time: string; region: string; service: string }): string =>
  `${time.slice(0, 8)}/${region}/${service}/aws4_request`;

function signatureOf(
  { secretAccessKey }: SigningKey,
  { method, url, body, region, service, time, signed }: Omit<SignableRequest, 'nowMs'> & { time: string; signed: Record<string, string> },
): { names: string; scope: string; signature: string } {
  const names = Object.keys(signed).join(';');
  const canonical = [
    method,
    // Encoded once more: of all services S3 alone takes the path as it is.
    url.pathname.split('/').map(encoded).join('/'),
    [...url.searchParams]
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      .toSorted()
      .join('&'),
    ...Object.entries(signed).map(([name, value]) => `${name}:${value}`),
    '',
    names,
    digest(body),
  ].join('\n');
  const scope = scopeOf({ time, region, service });
  const derived = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  return { names, scope, signature: hmac(derived, [ALGORITHM, time, scope, digest(canonical)].join('\n')).toString('hex') };
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
/** RFC 3986: what encodeURIComponent leaves as it is but AWS does not. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
