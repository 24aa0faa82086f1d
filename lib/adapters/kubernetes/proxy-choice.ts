// Which proxy leads to an API server, by the rules of kubectl: `proxy-url` of the kubeconfig, else HTTPS_PROXY except for NO_PROXY.
import { BlockList, isIP } from 'node:net';

export interface Proxy {
  /** http:// or https://, perhaps with name and password. */
  url: URL;
  /** Its source, as sentences name it: `proxy-url` or a variable of the environment. */
  source: string;
}

type Environment = Record<string, string | undefined>;

/** The first of these variables that is set and not empty. */
function firstSet(environment: Environment, names: readonly string[]): { name: string; value: string } | undefined {
  for (const name of names) {
    const value = environment[name]?.trim() ?? '';
    if (value !== '') return { name, value };
  }
  return undefined;
}

/**
 * The proxy that the environment names for an https server.
 * @returns undefined: dial the server itself
 * @throws Error one clause without a subject: what is wrong with the address
 * @see golang.org/x/net › http/httpproxy, which kubectl follows
 */
export function proxyOfEnvironment(server: string, environment: Environment): Proxy | undefined {
  const url = URL.parse(server);
  if (!url || url.protocol !== 'https:') return undefined;
  const given = firstSet(environment, ['HTTPS_PROXY', 'https_proxy']);
  if (!given) return undefined;
  const except = firstSet(environment, ['NO_PROXY', 'no_proxy'])?.value ?? '';
  if (isReachedDirectly(hostOf(url), url.port || '443', except)) return undefined;
  // Go reads `proxy:3128` as http://proxy:3128.
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(given.value) ? given.value : `http://${given.value}`;
  return proxyAt(address, given.name);
}

/** @throws Error one clause without a subject: what is wrong with the address */
export function proxyAt(address: string, source: string): Proxy {
  const url = URL.parse(address);
  if (!url || url.hostname === '') throw new Error('is not the address of a proxy: expected http://host:port or https://host:port');
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Error(`has the scheme ${url.protocol.slice(0, -1)}, which is not supported: expected http://host:port or https://host:port`);
  return { url, source };
}

/** Without the brackets of an IPv6 address. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

/** Whether NO_PROXY, or being this machine, keeps a host from the proxy. */
function isReachedDirectly(host: string, port: string, except: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, '');
  const family = isIP(name);
  if (name === 'localhost' || name === '::1' || (family === 4 && name.startsWith('127.'))) return true;
  return except.split(',').some((entry) => {
    const pattern = entry.trim().toLowerCase();
    if (pattern === '') return false;
    if (pattern === '*') return true;
    if (pattern.includes('/')) return family !== 0 && isInRange(name, pattern);
    const { host: wanted, port: wantedPort } = hostAndPort(pattern);
    if (wantedPort !== undefined && wantedPort !== port) return false;
    if (isIP(wanted) !== 0) return name === wanted;
    if (family !== 0) return false;
    // `.example.com` and `*.example.com` are the names below, `example.com` is that name too.
    const domain = wanted.replace(/^\*?\./, '');
    return name.endsWith(`.${domain}`) || (domain === wanted && name === domain);
  });
}

function isInRange(address: string, range: string): boolean {
  const [network = '', bits = ''] = range.split('/');
  const family = isIP(network);
  if (family === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family === 4 ? 'ipv4' : 'ipv6');
  return list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}

function hostAndPort(pattern: string): { host: string; port?: string } {
  const bracketed = /^\[([^\]]*)\](?::(\d+))?$/.exec(pattern);
  const plain = /^([^:]*):(\d+)$/.exec(pattern);
  const [, host = pattern, port] = bracketed ?? plain ?? [];
  return { host, ...(port !== undefined && { port }) };
}
