// Which texts Kubernetes takes for names, labels and keys, and in which words it refuses the others.

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const olderLabel = '[a-z]([-a-z0-9]*[a-z0-9])?';
const subdomain = `${label}(\\.${label})*`;
const searchLabel = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const searchDomain = `${searchLabel}(\\.${searchLabel})*`;
const qualified = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const httpPath = String.raw`[A-Za-z0-9/\-._~%!$&'()*+,;=:]+`;

const whole = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`);
const labelPattern = whole(label);
const olderLabelPattern = whole(olderLabel);
const subdomainPattern = whole(subdomain);
const searchDomainPattern = whole(searchDomain);
const qualifiedPattern = whole(qualified);
const labelValuePattern = whole(`(${qualified})?`);
const httpPathPattern = whole(httpPath);

const bytesOf = (text: string): number => Buffer.byteLength(text);

/** A refusal by pattern, with examples of what would do. */
const notMatching = (words: string, pattern: string, ...examples: string[]): string =>
  `${words} (${examples.map((example, at) => `${at === 0 ? 'e.g.' : ' or'} '${example}', `).join('')}regex used for validation is '${pattern}')`;

// The API server says "characters" for DNS names and "bytes" for labels and their keys; it counts bytes for both.
const tooManyCharacters = (limit: number): string => `must be no more than ${limit} characters`;
const tooManyBytes = (limit: number): string => `must be no more than ${limit} bytes`;

/** Problems of a DNS-1035 label (63 bytes at most, a letter first); empty when nothing is. */
export function problemsOfOlderDnsLabel(text: string): string[] {
  const problems = bytesOf(text) > 63 ? [tooManyCharacters(63)] : [];
  const words =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
  if (!olderLabelPattern.test(text)) problems.push(notMatching(words, olderLabel, 'my-name', 'abc-123'));
  return problems;
}

/** Problems of a DNS-1123 label (63 bytes at most); empty when nothing is. */
export function problemsOfDnsLabel(text: string): string[] {
  const problems = bytesOf(text) > 63 ? [tooManyCharacters(63)] : [];
  if (labelPattern.test(text)) return problems;
  if (subdomainPattern.test(text)) return [...problems, 'must not contain dots'];
  const words =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
  return [...problems, notMatching(words, label, 'my-name', '123-abc')];
}

/** Problems of a DNS-1123 subdomain (253 bytes at most), the form of most names; empty when nothing is. */
export function problemsOfDnsSubdomain(text: string): string[] {
  const problems = bytesOf(text) > 253 ? [tooManyCharacters(253)] : [];
  if (subdomainPattern.test(text)) return problems;
  const words =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
  return [...problems, notMatching(words, subdomain, 'example.com')];
}

/** Problems of a domain that DNS is searched in: a subdomain that may have underscores. */
export function problemsOfSearchDomain(text: string): string[] {
  const problems = bytesOf(text) > 253 ? [tooManyCharacters(253)] : [];
  if (searchDomainPattern.test(text)) return problems;
  const words =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character";
  return [...problems, notMatching(words, searchDomain, 'example.com')];
}

/** Problems of an IP address of either version. */
export function problemsOfIpAddress(text: string): string[] {
  const groups = groupsOfAddress(text);
  if (groups === undefined) return ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'];
  // Some readers take such parts for octal.
  if (/[0-9a-f]{5}/i.test(text) || (text.includes('.') && /(^|[.:])0\d+(\.|$)/.test(text))) return ['must not have leading 0s'];
  const isMapped = text.includes(':') && groups.slice(0, 6).join() === [0, 0, 0, 0, 0, 0xffff].join();
  return isMapped ? ['must not be an IPv4-mapped IPv6 address'] : [];
}

/** The eight groups of an address, version 4 as mapped to version 6; undefined for an invalid address. */
function groupsOfAddress(text: string): number[] | undefined {
  const dotted = text.slice(text.lastIndexOf(':') + 1);
  if (!dotted.includes('.')) return groupsOfIpv6(text);
  const octets = dotted.split('.').map((octet) => (/^\d+$/.test(octet) ? Number(octet) : Number.NaN));
  const [first = 0, second = 0, third = 0, fourth = 0] = octets;
  if (octets.length !== 4 || !octets.every((octet) => octet <= 255)) return undefined;
  const before = dotted === text ? '::ffff:' : text.slice(0, -dotted.length);
  return groupsOfIpv6(`${before}${(first * 256 + second).toString(16)}:${(third * 256 + fourth).toString(16)}`);
}

function groupsOfIpv6(text: string): number[] | undefined {
  const [head = '', tail, ...more] = text.split('::');
  const groupsIn = (part = ''): string[] => (part === '' ? [] : part.split(':'));
  const [first, last] = [groupsIn(head), groupsIn(tail)];
  const missing = 8 - first.length - last.length;
  if (more.length > 0 || (tail === undefined ? missing !== 0 : missing < 1)) return undefined;
  const groups = [...first, ...Array.from({ length: missing }, () => '0'), ...last];
  const numbers = groups.map((group) => (/^[0-9a-f]+$/i.test(group) ? Number.parseInt(group, 16) : Number.NaN));
  return numbers.every((number) => number <= 0xffff) ? numbers : undefined;
}

/** Problems of a qualified name, `[prefix/]name`: the form of label keys, finalizers, condition types. */
export function problemsOfQualifiedName(text: string): string[] {
  const words = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
  const mismatch = notMatching(words, qualified, 'MyName', 'my.name', '123-abc');
  const [prefix, name, ...rest] = text.includes('/') ? text.split('/') : [undefined, text];
  if (rest.length > 0) return [`a valid label key ${mismatch} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  const problems: string[] = [];
  if (prefix === '') problems.push('prefix part must be non-empty');
  else if (prefix !== undefined) {
    problems.push(...problemsOfDnsSubdomain(prefix).map((problem) => `prefix part ${problem.replace(/ characters$/, ' bytes')}`));
  }
  if (name === undefined || name === '') problems.push('name part must be non-empty');
  else if (bytesOf(name) > 63) problems.push(`name part ${tooManyBytes(63)}`);
  if (!qualifiedPattern.test(name ?? '')) problems.push(`name part ${mismatch}`);
  return problems;
}

/** Problems of a name that is only asked to stand in the path of a URL. */
export function problemsOfPathSegment(text: string): string[] {
  if (text === '.' || text === '..') return [`may not be '${text}'`];
  return ['/', '%'].filter((character) => text.includes(character)).map((character) => `may not contain '${character}'`);
}

/** Problems of a label's value (63 bytes at most, empty allowed). */
export function problemsOfLabelValue(text: string): string[] {
  const problems = bytesOf(text) > 63 ? [tooManyBytes(63)] : [];
  if (labelValuePattern.test(text)) return problems;
  const words =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
  return [...problems, notMatching(words, `(${qualified})?`, 'MyValue', 'my_value', '12345')];
}

/** Problems of a path behind a domain, `example.com/my/path`: the form of `managedBy`. Names the part that is wrong. */
export function problemsOfDomainPrefixedPath(text: string): { part: string; problem: string }[] {
  const slash = text.indexOf('/');
  if (slash <= 0 || slash === text.length - 1) {
    return [{ part: text, problem: 'must be a domain-prefixed path (such as "acme.io/foo")' }];
  }
  const [domain, path] = [text.slice(0, slash), text.slice(slash + 1)];
  const problems = problemsOfDnsSubdomain(domain).map((problem) => ({ part: domain, problem }));
  if (!httpPathPattern.test(path)) problems.push({ part: path, problem: `Invalid path (regex used for validation is '${httpPath}')` });
  return problems;
}

/** Problems of the name of an environment variable: any printable ASCII except `=`, not empty. */
export function problemsOfEnvName(text: string): string[] {
  if (text === '') return ['environment variable name must be non-empty'];
  if (/^[ -<>-~]+$/.test(text)) return [];
  return ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

/** Problems of the name of an HTTP header. */
export function problemsOfHttpHeaderName(text: string): string[] {
  const pattern = '[-A-Za-z0-9]+';
  const words = "a valid HTTP header must consist of alphanumeric characters or '-'";
  return whole(pattern).test(text) ? [] : [notMatching(words, pattern, 'X-Header-Name')];
}

/** Problems of a port's name: an IANA service name of 15 bytes at most with a letter in it. */
export function problemsOfPortName(text: string): string[] {
  const problems: string[] = [];
  if (bytesOf(text) > 15) problems.push(tooManyCharacters(15));
  if (!/^[-a-z0-9]+$/.test(text)) problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(text)) problems.push('must contain at least one letter (a-z)');
  if (text.includes('--')) problems.push('must not contain consecutive hyphens');
  if (text.startsWith('-') || text.endsWith('-')) problems.push('must not begin or end with a hyphen');
  return problems;
}

/** Problems of a key of a ConfigMap or Secret (253 bytes at most). */
export function problemsOfConfigKey(text: string): string[] {
  const problems = bytesOf(text) > 253 ? [tooManyCharacters(253)] : [];
  const pattern = '[-._a-zA-Z0-9]+';
  if (!whole(pattern).test(text)) {
    const words = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
    return [...problems, notMatching(words, pattern, 'key.name', 'KEY_NAME', 'key-name')];
  }
  if (text === '.') problems.push("must not be '.'");
  else if (text === '..') problems.push("must not be '..'");
  else if (text.startsWith('..')) problems.push("must not start with '..'");
  return problems;
}
