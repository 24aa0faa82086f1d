// Explains a broken connection in a sentence for people: Node's codes say it to programmers only.
import { ownEntry } from '../../objects/values/untyped-fields.ts';

const SENTENCES: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there: check the address, and that the API server runs',
  ENOTFOUND: 'its host name is not known: check the address',
  EAI_AGAIN: 'its host name cannot be looked up at the moment',
  EHOSTUNREACH: 'there is no way to its host from here: check network and firewall',
  ENETUNREACH: 'there is no way to its network from here: check network and firewall',
  ETIMEDOUT: 'no connection could be made in time: check network and firewall',
  ECONNRESET: 'the connection was cut before a whole answer had come',
  EPIPE: 'the connection was cut before a whole answer had come',
  EPROTO: 'it does not speak TLS: check that the address is that of the API server',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS: check that the address is that of the API server',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS: check that the address is that of the API server',
  CERT_HAS_EXPIRED: 'its certificate has expired: renew it on the server',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not from the authority given for the cluster: check the certificate authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not from the authority given for the cluster: check the certificate authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not from the authority given for the cluster: check the certificate authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is not from the authority given for the cluster: check the certificate authority',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name than the one in the address',
  ERR_OSSL_PEM_NO_START_LINE: 'the certificate or key to be let in with is not PEM: check them where the access is configured',
  ERR_OSSL_X509_KEY_VALUES_MISMATCH: 'the certificate and the key to be let in with do not belong together',
  HPE_INVALID_CONSTANT: 'it does not speak HTTP: check that the address is that of the API server',
};

/** One sentence for whatever a socket failed with. @param peer what is to answer there */
export function explainConnectionFault(error: unknown, peer = 'API server'): string {
  const { code, message } = faultOf(error);
  const known = code === '' && message === 'aborted' ? 'ECONNRESET' : code;
  const sentence = ownEntry(SENTENCES, known);
  if (sentence !== undefined) return `${sentence.replace('API server', peer)} (${known})`;
  const words = message.split('\n')[0] ?? '';
  return code === '' ? words : `${words} (${code})`;
}

/** The code of a failed call to the system, else its words. */
export function faultCodeOf(error: unknown): string {
  const { code, message } = faultOf(error);
  return code === '' ? message : code;
}

/** By shape, not by class: what comes from the system may be made in another realm. */
function faultOf(error: unknown): { code: string; message: string } {
  if (typeof error !== 'object' || error === null) return { code: '', message: String(error) };
  return {
    code: 'code' in error && typeof error.code === 'string' ? error.code : '',
    message: 'message' in error && typeof error.message === 'string' ? error.message : 'unknown fault',
  };
}
