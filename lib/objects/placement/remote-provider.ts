// Where the provider of a virtual node is: in the process that asks, or beyond it.

/** Those in the process of `farloop up`. */
export type LocalProviderWord = 'simulated' | 'local-process' | 'podman' | 'docker';

export interface RemoteProvider {
  /** The protocol that it speaks. */
  protocol: 'http' | 'interlink';
  /** Of its root. */
  address: string;
}
