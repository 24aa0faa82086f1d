// Where a node's own HTTP API listens, as its Node says. A node that names no address or no port has none: nobody dials the simulated one.
import { isIP, isIPv6 } from 'node:net';
import { fieldsAt, listAt, numberAt, textAt } from '../objects/api-object.ts';
import type { ApiObject } from '../objects/api-object.ts';
import type { Storage } from '../storage/storage.ts';
import { keyOf } from '../storage/version.ts';

export interface NodeEndpoint {
  host: string;
  port: number;
}

const largestPort = 65_535;

/**
 * Its InternalIP, else any of its addresses that is one of IP. Loopback addresses count as well: a real server refuses to proxy to them, but
 * here nodes mostly run on the same machine.
 */
export function endpointOf({ status }: ApiObject): NodeEndpoint | undefined {
  const port = numberAt(fieldsAt(fieldsAt(status, 'daemonEndpoints'), 'kubeletEndpoint'), 'Port');
  const addresses = listAt(status, 'addresses').filter((each) => isIP(textAt(each, 'address')) !== 0);
  const host = textAt(addresses.find(({ type }) => type === 'InternalIP') ?? addresses[0], 'address');
  return host === '' || port < 1 || port > largestPort ? undefined : { host, port };
}

/** Of the node with that name; undefined as well where there is no such Node. */
export function endpointIn(storage: Storage, nodeName: string): NodeEndpoint | undefined {
  const node = storage.get('nodes', keyOf(undefined, nodeName));
  return node && endpointOf(node.object);
}

/** A path of a node with a query, if there is one. */
export const withQuery = (path: string, query: URLSearchParams): string => (query.size > 0 ? `${path}?${query.toString()}` : path);

/** `127.0.0.1:10250`, `[::1]:10250` */
export const authorityOf = ({ host, port }: NodeEndpoint): string => `${isIPv6(host) ? `[${host}]` : host}:${port}`;
