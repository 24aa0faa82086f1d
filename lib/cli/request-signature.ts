// AWS Signature Version 4 of a request to an HTTP API, as its IAM authorizer asks for it.
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
  const time = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  const date = time.slice(0, 8);
  const signed: Record<string, string> = {
    host: url.host,
    'x-amz-date': time,
    ...(key.sessionToken !== undefined && { 'x-amz-security-token': key.sessionToken }),
  };
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
  const scope = `${date}/${region}/${service}/aws4_request`;
  const derived = [date, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${key.secretAccessKey}`);
  const signature = hmac(derived, [ALGORITHM, time, scope, digest(canonical)].join('\n')).toString('hex');
  const { host: _itself, ...others } = signed;
  return {
    ...others,
    authorization: `${ALGORITHM} Credential=${key.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
/** RFC 3986: what encodeURIComponent leaves as it is but AWS does not. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
