// Quantities, versions and the named formats of Kubernetes.
import { Optional } from '@marcbachmann/cel-js';
import {
  problemsOfDnsLabel,
  problemsOfDnsSubdomain,
  problemsOfLabelValue,
  problemsOfOlderDnsLabel,
  problemsOfQualifiedName,
} from '../../../objects/names.ts';
import { QuantityError, isQuantity, parseQuantity } from '../../../objects/values/quantity.ts';
import { isTime } from '../../../objects/values/time.ts';
import { ownEntry } from '../../../objects/values/untyped-fields.ts';
import { EvaluationError, Opaque, readable } from '../values/values.ts';
import type { Line } from './line.ts';
import { isRequestUri } from './request-uri.ts';
import { dateOf } from './time.ts';

const one = 1_000_000_000n;

class Amount extends Opaque {
  /** Billionths. */
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    super(String(nanos));
    this.nanos = nanos;
  }
  get isInteger(): boolean {
    const whole = this.nanos / one;
    return this.nanos % one === 0n && whole >= -(2n ** 63n) && whole < 2n ** 63n;
  }
}

function amountOf(text: string): Amount {
  try {
    return new Amount(parseQuantity(text).nanos);
  } catch (cause) {
    if (!(cause instanceof QuantityError)) throw cause;
    throw new EvaluationError(cause.message, { cause });
  }
}

function integerOf(amount: Amount): bigint {
  if (!amount.isInteger) throw new EvaluationError('cannot convert value to integer');
  return amount.nanos / one;
}

const order = (left: bigint, right: bigint): number => (left < right ? -1 : left > right ? 1 : 0);
const orderOfAmounts = (left: Amount, right: Amount): number => order(left.nanos, right.nanos);

class SemanticVersion extends Opaque {
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint];
  readonly prerelease: readonly string[];
  constructor(numbers: readonly [bigint, bigint, bigint], prerelease: readonly string[]) {
    super(`${numbers.join('.')}-${prerelease.join('.')}`);
    this.numbers = numbers;
    this.prerelease = prerelease;
  }
}

/** @param isLenient takes a `v` before, leading zeros, and a missing minor or patch number */
function versionOf(text: string, isLenient = false): SemanticVersion {
  const normal = isLenient ? normalized(text) : text;
  const number = String.raw`(0|[1-9]\d*)`;
  const pattern = new RegExp(`^${number}\\.${number}\\.${number}(?:-([0-9A-Za-z.-]+))?(?:\\+[0-9A-Za-z.-]+)?$`);
  const [whole, major = '', minor = '', patch = '', prerelease] = pattern.exec(normal) ?? [];
  if (normal.split('.').length < 3) throw new EvaluationError('No Major.Minor.Patch elements found');
  if (whole === undefined) throw new EvaluationError(`Invalid Semantic Version ${JSON.stringify(text)}`);
  const identifiers = prerelease?.split('.') ?? [];
  if (identifiers.some((part) => part === '' || /^0\d+$/.test(part))) throw new EvaluationError('Invalid prerelease version');
  return new SemanticVersion([BigInt(major), BigInt(minor), BigInt(patch)], identifiers);
}

function normalized(text: string): string {
  const [, numbers = '', rest = ''] = /^v?([\d.]*)(.*)$/s.exec(text) ?? [];
  const parts = numbers.split('.').map((part) => part.replace(/^0+(?=\d)/, ''));
  if (rest === '') parts.push(...['0', '0'].slice(0, Math.max(0, 3 - parts.length)));
  return parts.join('.') + rest;
}

function orderOfVersions(left: SemanticVersion, right: SemanticVersion): number {
  for (const [index, number] of left.numbers.entries()) {
    const difference = order(number, right.numbers[index] ?? 0n);
    if (difference !== 0) return difference;
  }
  // A version with a prerelease comes before the same one without.
  if (left.prerelease.length === 0 || right.prerelease.length === 0)
    return Number(left.prerelease.length === 0) - Number(right.prerelease.length === 0);
  for (const [index, identifier] of left.prerelease.entries()) {
    const other = right.prerelease[index];
    if (other === undefined) return 1;
    const difference = orderOfIdentifiers(identifier, other);
    if (difference !== 0) return difference;
  }
  return left.prerelease.length < right.prerelease.length ? -1 : 0;
}

/** Numbers by their value, and before words. */
function orderOfIdentifiers(left: string, right: string): number {
  const [isNumber, isOtherNumber] = [left, right].map((part) => /^\d+$/.test(part));
  if (isNumber && isOtherNumber) return order(BigInt(left), BigInt(right));
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return left < right ? -1 : left > right ? 1 : 0;
}

class NamedFormat extends Opaque {
  readonly problemsOf: (text: string) => readonly string[];
  constructor(name: string, problemsOf: (text: string) => readonly string[]) {
    super(name);
    this.problemsOf = problemsOf;
  }
}

/** A prefix may end in a dash, because something follows it. */
const ofPrefix =
  (problemsOf: (text: string) => string[]) =>
  (text: string): string[] =>
    problemsOf(text.replace(/.-$/, (end) => `${end[0]}a`));

/** One problem where something cannot be read. */
const unless =
  (isGood: (text: string) => boolean, problem: string) =>
  (text: string): string[] =>
    isGood(text) ? [] : [problem];

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Their names in expressions, and their own. */
const formats: Readonly<Record<string, NamedFormat>> = {
  dns1123Label: new NamedFormat('DNS1123Label', problemsOfDnsLabel),
  dns1123Subdomain: new NamedFormat('DNS1123Subdomain', problemsOfDnsSubdomain),
  dns1035Label: new NamedFormat('DNS1035Label', problemsOfOlderDnsLabel),
  qualifiedName: new NamedFormat('QualifiedName', problemsOfQualifiedName),
  dns1123LabelPrefix: new NamedFormat('DNS1123LabelPrefix', ofPrefix(problemsOfDnsLabel)),
  dns1123SubdomainPrefix: new NamedFormat('DNS1123SubdomainPrefix', ofPrefix(problemsOfDnsSubdomain)),
  dns1035LabelPrefix: new NamedFormat('DNS1035LabelPrefix', ofPrefix(problemsOfOlderDnsLabel)),
  labelValue: new NamedFormat('LabelValue', problemsOfLabelValue),
  uri: new NamedFormat('URI', (text) => (isRequestUri(text) ? [] : [`parse ${JSON.stringify(text)}: invalid URI for request`])),
  uuid: new NamedFormat(
    'uuid',
    unless((text) => uuid.test(text), 'does not match the UUID format'),
  ),
  byte: new NamedFormat(
    'byte',
    unless((text) => text !== '' && base64.test(text), 'invalid base64'),
  ),
  date: new NamedFormat('date', unless(readable(dateOf), 'invalid date')),
  datetime: new NamedFormat('datetime', unless(isTime, 'invalid datetime')),
};

function validated(format: NamedFormat, text: string): Optional {
  const problems = format.problemsOf(text);
  return Optional.of(problems.length === 0 ? undefined : problems);
}

const quantity = 'kubernetes.Quantity';
const semver = 'kubernetes.Semver';
const format = 'kubernetes.NamedFormat';

export const kubernetesTypes = { [quantity]: Amount, [semver]: SemanticVersion, [format]: NamedFormat };

export const kubernetes: readonly Line[] = [
  [`quantity(string): ${quantity}`, amountOf],
  ['isQuantity(string): bool', isQuantity],
  [`sign(${quantity}): int`, ({ nanos }: Amount) => BigInt(order(nanos, 0n))],
  [`${quantity}.isGreaterThan(${quantity}): bool`, (left: Amount, right: Amount) => orderOfAmounts(left, right) > 0],
  [`${quantity}.isLessThan(${quantity}): bool`, (left: Amount, right: Amount) => orderOfAmounts(left, right) < 0],
  [`${quantity}.compareTo(${quantity}): int`, (left: Amount, right: Amount) => BigInt(orderOfAmounts(left, right))],
  [`${quantity}.asApproximateFloat(): double`, ({ nanos }: Amount) => Number(nanos) / Number(one)],
  [`${quantity}.asInteger(): int`, integerOf],
  [`${quantity}.isInteger(): bool`, ({ isInteger }: Amount) => isInteger],
  [`${quantity}.add(${quantity}): ${quantity}`, (left: Amount, right: Amount) => new Amount(left.nanos + right.nanos)],
  [`${quantity}.add(int): ${quantity}`, (left: Amount, right: bigint) => new Amount(left.nanos + right * one)],
  [`${quantity}.sub(${quantity}): ${quantity}`, (left: Amount, right: Amount) => new Amount(left.nanos - right.nanos)],
  [`${quantity}.sub(int): ${quantity}`, (left: Amount, right: bigint) => new Amount(left.nanos - right * one)],

  [`semver(string): ${semver}`, (text: string) => versionOf(text)],
  [`semver(string, bool): ${semver}`, versionOf],
  ['isSemver(string): bool', readable((text: string) => versionOf(text))],
  ['isSemver(string, bool): bool', readable(versionOf)],
  [`${semver}.major(): int`, ({ numbers }: SemanticVersion) => numbers[0]],
  [`${semver}.minor(): int`, ({ numbers }: SemanticVersion) => numbers[1]],
  [`${semver}.patch(): int`, ({ numbers }: SemanticVersion) => numbers[2]],
  [`${semver}.isGreaterThan(${semver}): bool`, (left: SemanticVersion, right: SemanticVersion) => orderOfVersions(left, right) > 0],
  [`${semver}.isLessThan(${semver}): bool`, (left: SemanticVersion, right: SemanticVersion) => orderOfVersions(left, right) < 0],
  [`${semver}.compareTo(${semver}): int`, (left: SemanticVersion, right: SemanticVersion) => BigInt(orderOfVersions(left, right))],

  ...Object.entries(formats).map(([name, value]): Line => [`format.${name}(): ${format}`, () => value]),
  [`format.named(string): optional<${format}>`, (name: string) => Optional.of(ownEntry(formats, name))],
  [`${format}.validate(string): optional<list<string>>`, validated],
];
