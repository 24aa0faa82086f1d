// Where a cluster's API server is and how to be let in: data, so that a function needs neither kubeconfig nor plugins.
import type { Proxy } from './proxy-choice.ts';

/** Credentials that a request presents. */
export interface Credentials {
  /** Whole value of the Authorization header. */
  authorization?: string;
  certPem?: string;
  keyPem?: string;
}

export type Authentication =
  | { kind: 'token'; token: string }
  | { kind: 'clientCertificate'; certPem: string; keyPem: string }
  /** Called before every request; the provider caches credentials that are still valid. Local mode and service accounts, whose tokens change. */
  | {
      kind: 'dynamic';
      credentials: () => Promise<Credentials>;
      /** The API server answered 401 to these: they are not to be given again if others can be had. */
      refused?: (credentials: Credentials) => void;
    }
  | { kind: 'none' };

export interface ClusterAccess {
  /** `https://host:port`, perhaps with a path; plain http is for the loopback alone. */
  server: string;
  /** PEM of the authorities that may have issued the server's certificate; the system's own when absent. */
  caPem?: string;
  /** Name in the server's certificate, where it is not the host's. */
  tlsServerName?: string;
  /** Whether an address to which the server's name resolves must not be dialled; asked of every one before each connection. */
  refuses?: (address: string) => boolean;
  /** From a kubeconfig only: functions dial clusters themselves. */
  proxy?: Proxy;
  /** Local mode only: takes any certificate. */
  insecureSkipTls?: boolean;
  auth: Authentication;
}

/** Credentials of the next request; dynamic ones are fetched anew each time. */
export async function credentialsOf(auth: Authentication): Promise<Credentials> {
  switch (auth.kind) {
    case 'token':
      return { authorization: `Bearer ${auth.token}` };
    case 'clientCertificate':
      return { certPem: auth.certPem, keyPem: auth.keyPem };
    case 'dynamic':
      return await auth.credentials();
    case 'none':
      break;
  }
  return {};
}
