// The way to a registered cluster as its record holds it: data that was checked before a function dials. A writer of records
// must not be able to lead a function to the machine it runs on, or to that machine's metadata service (R15).
import { BlockList, isIP } from 'node:net';
import * as v from 'valibot';
import { REGISTERED } from '../../ports/clusters.ts';

const text = v.pipe(v.string(), v.minLength(1));

/** In keys, queue names, secrets and metrics. */
export const ClusterName = v.pipe(
  v.string(),
  v.regex(REGISTERED.name, 'lower case letters, digits and dashes, at most 40, no -dead at the end'),
);

/** The credentials of a request; the only part of a registration that is secret. */
export const Credential = v.variant('kind', [
  v.object({ kind: v.literal('token'), token: text }),
  v.object({ kind: v.literal('clientCertificate'), certPem: text, keyPem: text }),
]);
export type Credential = v.InferOutput<typeof Credential>;

const linkLocal = new BlockList();
linkLocal.addSubnet('169.254.0.0', 16, 'ipv4');
linkLocal.addSubnet('fe80::', 10, 'ipv6');
/** Where the metadata services of AWS answer over IPv6. */
linkLocal.addSubnet('fd00:ec2::', 32, 'ipv6');
/** The same as a NAT64 gateway would be asked for it. */
linkLocal.addSubnet('64:ff9b::a9fe:0', 112, 'ipv6');

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addSubnet('0.0.0.0', 8, 'ipv4');
/** Among them `::` and `::1`; the rest is IPv4 in clothes that are no longer worn. */
loopback.addSubnet('::', 96, 'ipv6');
loopback.addSubnet('64:ff9b::7f00:0', 104, 'ipv6');
loopback.addSubnet('64:ff9b::', 104, 'ipv6');

/** @param address IPv4 or IPv6, without brackets; IPv4 in IPv6 clothes counts as what it is */
export function isForbiddenAddress(address: string, { allowLoopback }: { allowLoopback: boolean }): boolean {
  const version = isIP(address);
  if (version === 0) return true;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  return linkLocal.check(address, family) || (!allowLoopback && loopback.check(address, family));
}

const networksOfOthers = new BlockList();
networksOfOthers.addSubnet('10.0.0.0', 8, 'ipv4');
networksOfOthers.addSubnet('172.16.0.0', 12, 'ipv4');
networksOfOthers.addSubnet('192.168.0.0', 16, 'ipv4');
networksOfOthers.addSubnet('100.64.0.0', 10, 'ipv4');
networksOfOthers.addSubnet('fc00::', 7, 'ipv6');
/** The private networks as NAT64 would be asked for them. */
networksOfOthers.addSubnet('64:ff9b::a00:0', 104, 'ipv6');
networksOfOthers.addSubnet('64:ff9b::ac10:0', 108, 'ipv6');
networksOfOthers.addSubnet('64:ff9b::c0a8:0', 112, 'ipv6');

/** A provider of a virtual node is in nobody's own network: an address within one would be a service that trusts its neighbours. */
export const isForbiddenProvider = (address: string, given: { allowLoopback: boolean }): boolean =>
  isForbiddenAddress(address, given) || networksOfOthers.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');

/** @param hostname of a URL; a name is judged by what it resolves to when it is dialled */
function isForbiddenHost(hostname: string, given: { allowLoopback: boolean }, isForbidden: typeof isForbiddenAddress): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return isForbidden(host, given);
  return !given.allowLoopback && /(^|\.)localhost\.?$/i.test(host);
}

/** @returns why functions do not send to this address of a provider, for people */
export function problemOfDistantProvider(address: string, given: { allowLoopback: boolean }): string | undefined {
  const url = URL.parse(address);
  if (url?.protocol !== 'https:' && !given.allowLoopback)
    return `${JSON.stringify(address)}: functions send pods, with the values of their secrets, by https alone`;
  return isForbiddenHost(url?.hostname ?? '', given, isForbiddenProvider)
    ? `${JSON.stringify(address)} is in a private network, or the functions' own machine: expected a public address`
    : undefined;
}

const serverOf = (allowLoopback: boolean): v.GenericSchema<string, string> =>
  v.pipe(
    v.string(),
    v.check((server) => {
      const url = URL.parse(server);
      if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') return false;
      return !isForbiddenHost(url.hostname, { allowLoopback }, isForbiddenAddress);
    }, 'https://host:port of an API server, neither loopback nor link-local'),
  );

/**
 * Server, its certificate authority (no other is believed) and name. Names that resolve to what is forbidden here are refused when they are dialled.
 * @param allowLoopback only for a stage that tests remove again
 */
export const serverFields = (
  allowLoopback: boolean,
): {
  server: v.GenericSchema<string, string>;
  caPem: typeof text;
  tlsServerName: v.ExactOptionalSchema<typeof text, undefined>;
} => ({ server: serverOf(allowLoopback), caPem: text, tlsServerName: v.exactOptional(text) });

/** A cluster as EKS knows it: in a signed header and in the name of a host, so letters, digits and dashes it is. */
export const EksClusterName = v.object({
  name: v.pipe(v.string(), v.regex(REGISTERED.eksName, 'the name of a cluster in EKS')),
  region: v.pipe(v.string(), v.regex(REGISTERED.region, 'the name of an AWS region')),
});
