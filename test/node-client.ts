// A client of an API server for the simulated node and for whatever a test asks by itself.
import type { JsonClient } from '../lib/adapters/kubernetes/json-client.ts';
import { openJsonClient } from '../lib/adapters/kubernetes/json-client.ts';

export interface ClientTarget {
  /** https://host:port */
  url: string;
  caPem: string;
  token: string;
}

export const openNodeClient = ({ url, caPem, token }: ClientTarget): JsonClient =>
  openJsonClient({ server: url, caPem, auth: { kind: 'token', token } });
