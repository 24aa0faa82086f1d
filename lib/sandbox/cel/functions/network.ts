// Addresses, networks and URLs.
import { isIPv4, isIPv6 } from 'node:net';
import { EvaluationError, Opaque, readable } from '../values/values.ts';
import type { CelMap } from '../values/values.ts';
import { countSteps } from '../values/work.ts';
import type { Line } from './line.ts';
import { isRequestUri } from './request-uri.ts';

class Address extends Opaque {
  /** 4 or 16. */
  readonly bytes: readonly number[];
  constructor(bytes: readonly number[]) {
    super(addressText(bytes));
    this.bytes = bytes;
  }
}

function addressText(bytes: readonly number[]): string {
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, index) => ((bytes[index * 2] ?? 0) * 256 + (bytes[index * 2 + 1] ?? 0)).toString(16));
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

class Network extends Opaque {
  readonly address: Address;
  readonly prefixLength: number;
  constructor(address: Address, prefixLength: number) {
    super(`${address.identity}/${prefixLength}`);
    this.address = address;
    this.prefixLength = prefixLength;
  }
  masked(): Network {
    return new Network(new Address(maskedBytes(this.address.bytes, this.prefixLength)), this.prefixLength);
  }
  contains(address: Address): boolean {
    if (address.bytes.length !== this.address.bytes.length) return false;
    return maskedBytes(address.bytes, this.prefixLength).join() === maskedBytes(this.address.bytes, this.prefixLength).join();
  }
}

const maskedBytes = (bytes: readonly number[], length: number): number[] =>
  bytes.map((byte, index) => byte & (0xff << (8 - Math.max(0, Math.min(8, length - index * 8)))) & 0xff);

/** The bytes of an address; undefined for any other text. */
function bytesOf(text: string): number[] | undefined {
  if (isIPv4(text)) return text.split('.').map(Number);
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const [head = '', tail] = new URL(`http://[${text}]`).hostname.slice(1, -1).split('::');
  const groupsIn = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const [first, last] = [groupsIn(head), groupsIn(tail ?? '')];
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => '0');
  return [...first, ...zeros, ...last].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

const isMapped = (bytes: readonly number[]): boolean =>
  bytes.length === 16 && bytes.slice(0, 12).join() === [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff].join();

function addressOf(text: string): Address {
  if (text.includes('%') && isIPv6(text)) throw new EvaluationError(`IP address ${JSON.stringify(text)} with zone value is not allowed`);
  const bytes = bytesOf(text);
  if (!bytes) throw new EvaluationError(`IP Address ${JSON.stringify(text)} parse error during conversion from string`);
  if (isMapped(bytes)) throw new EvaluationError(`IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`);
  return new Address(bytes);
}

function networkOf(text: string): Network {
  const [, address = '', length = ''] = /^(.+)\/(0|[1-9]\d*)$/.exec(text) ?? [];
  const bytes = bytesOf(address);
  if (!bytes || Number(length) > bytes.length * 8 || isMapped(bytes))
    throw new EvaluationError(`network address parse error during conversion from string: ${JSON.stringify(text)} is no network`);
  return new Network(new Address(bytes), Number(length));
}

const startsWith = ({ bytes }: Address, ...first: number[]): boolean => first.every((byte, index) => bytes[index] === byte);
const isUnspecified = ({ bytes }: Address): boolean => bytes.every((byte) => byte === 0);
const isLoopback = (address: Address): boolean => (address.bytes.length === 4 ? startsWith(address, 127) : address.identity === '::1');
const isMulticast = ({ bytes: [first = 0, ...rest] }: Address): boolean =>
  rest.length === 3 ? first >= 224 && first <= 239 : first === 0xff;
const isLinkLocalMulticast = (address: Address): boolean =>
  address.bytes.length === 4 ? startsWith(address, 224, 0, 0) : startsWith(address, 0xff) && ((address.bytes[1] ?? 0) & 0x0f) === 2;
const isLinkLocalUnicast = (address: Address): boolean =>
  address.bytes.length === 4 ? startsWith(address, 169, 254) : startsWith(address, 0xfe) && ((address.bytes[1] ?? 0) & 0xc0) === 0x80;
const isGlobalUnicast = (address: Address): boolean =>
  !isUnspecified(address) &&
  !isLoopback(address) &&
  !isMulticast(address) &&
  !isLinkLocalUnicast(address) &&
  address.identity !== '255.255.255.255';

/** A part of a query; most of them hold nothing that needs to be decoded. */
const decoded = (text: string): string => (/[%+]/.test(text) ? (new URLSearchParams(`_=${text}`).get('_') ?? '') : text);

class Locator extends Opaque {
  readonly scheme: string;
  /** With the port. */
  readonly host: string;
  readonly path: string;
  readonly query: string;
  constructor(source: string) {
    super(source);
    const [, scheme = '', , authority, path = '', , query = ''] =
      /^(?:([A-Za-z][-+.A-Za-z0-9]*):)?(\/\/([^/?#]*))?([^?#]*)(\?([^#]*))?/.exec(source) ?? [];
    this.scheme = scheme.toLowerCase();
    this.host = (authority ?? '').replace(/^.*@/, '');
    this.path = path;
    this.query = query;
  }
  get hostname(): string {
    return this.host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1');
  }
  get port(): string {
    return /:(\d*)$/.exec(this.host)?.[1] ?? '';
  }
  queryValues(): CelMap {
    const values = new Map<string, string[]>();
    for (const part of this.query.split('&')) {
      countSteps();
      if (part === '') continue;
      const [name = ''] = part.split('=', 1);
      const [key, value] = [decoded(name), decoded(part.slice(name.length + 1))];
      const texts = values.get(key);
      if (texts) texts.push(value);
      else values.set(key, [value]);
    }
    return values;
  }
}

/** An absolute URL or an absolute path, as in the first line of a request. */
function locatorOf(text: string): Locator {
  if (!isRequestUri(text))
    throw new EvaluationError(`URL parse error during conversion from string: parse ${JSON.stringify(text)}: invalid URI for request`);
  return new Locator(text);
}

const answers = (name: string, answer: (address: Address) => boolean): Line => [`net.IP.${name}(): bool`, answer];

const part = (name: string, read: (locator: Locator) => string): Line => [`kubernetes.URL.${name}(): string`, read];

export const networkTypes = { 'net.IP': Address, 'net.CIDR': Network, 'kubernetes.URL': Locator };

export const addressesAndLocators: readonly Line[] = [
  ['ip(string): net.IP', addressOf],
  ['isIP(string): bool', readable(addressOf)],
  ['ip.isCanonical(string): bool', (text: string) => addressOf(text).identity === text],
  ['net.IP.family(): int', ({ bytes }: Address) => (bytes.length === 4 ? 4n : 6n)],
  answers('isUnspecified', isUnspecified),
  answers('isLoopback', isLoopback),
  answers('isLinkLocalMulticast', isLinkLocalMulticast),
  answers('isLinkLocalUnicast', isLinkLocalUnicast),
  answers('isGlobalUnicast', isGlobalUnicast),
  ['cidr(string): net.CIDR', networkOf],
  ['isCIDR(string): bool', readable(networkOf)],
  ['net.CIDR.containsIP(string): bool', (network: Network, text: string) => network.contains(addressOf(text))],
  ['net.CIDR.containsIP(net.IP): bool', (network: Network, address: Address) => network.contains(address)],
  ['net.CIDR.containsCIDR(string): bool', (network: Network, text: string) => covers(network, networkOf(text))],
  ['net.CIDR.containsCIDR(net.CIDR): bool', covers],
  ['net.CIDR.ip(): net.IP', ({ address }: Network) => address],
  ['net.CIDR.prefixLength(): int', ({ prefixLength }: Network) => BigInt(prefixLength)],
  ['net.CIDR.masked(): net.CIDR', (network: Network) => network.masked()],

  ['url(string): kubernetes.URL', locatorOf],
  ['isURL(string): bool', readable(locatorOf)],
  part('getScheme', ({ scheme }) => scheme),
  part('getHost', ({ host }) => host),
  part('getHostname', ({ hostname }) => hostname),
  part('getPort', ({ port }) => port),
  part('getEscapedPath', ({ path }) => path.replaceAll(/[^\w\-.~!$&'()*+,;=:@/%[\]]/gu, encodeURIComponent)),
  ['kubernetes.URL.getQuery(): map<string, list<string>>', (locator: Locator) => locator.queryValues()],
];

function covers(outer: Network, inner: Network): boolean {
  return outer.prefixLength <= inner.prefixLength && outer.contains(inner.address);
}
