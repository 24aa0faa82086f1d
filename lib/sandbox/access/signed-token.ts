// JSON Web Tokens signed by ES256. Only what this server signs itself is ever read.
import { createPublicKey, sign, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { isFields } from '../objects/api-object.ts';
import type { Fields } from '../objects/api-object.ts';

const header = { alg: 'ES256', typ: 'JWT' };
/** Signatures of JSON Web Tokens are two numbers side by side. */
const dsaEncoding = 'ieee-p1363';

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

export function signedToken(claims: Fields, key: KeyObject): string {
  const content = `${encoded(header)}.${encoded(claims)}`;
  return `${content}.${sign('sha256', Buffer.from(content), { key, dsaEncoding }).toString('base64url')}`;
}

/** The claims of a token that the key signed, whatever they say; undefined for any other text. */
export function claimsOf(token: string, key: KeyObject): Fields | undefined {
  const [head = '', body = '', signature = '', ...more] = token.split('.');
  // The signature says nothing of another algorithm.
  if (more.length > 0 || head !== encoded(header)) return undefined;
  const publicKey = createPublicKey(key);
  const given = Buffer.from(signature, 'base64url');
  // One spelling alone is taken: base64 lets the last bits of a text vary.
  if (given.toString('base64url') !== signature) return undefined;
  if (!verify('sha256', Buffer.from(`${head}.${body}`), { key: publicKey, dsaEncoding }, given)) return undefined;
  const claims: unknown = JSON.parse(Buffer.from(body, 'base64url').toString());
  return isFields(claims) ? claims : undefined;
}
