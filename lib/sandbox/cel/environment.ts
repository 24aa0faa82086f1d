// The functions and types of expressions: the library's, and those of Kubernetes. The latter take the place of the library's where the two differ:
// positions count characters, patterns are RE2's, texts of numbers are Go's.
import { Environment } from '@marcbachmann/cel-js';
import { conversions } from './functions/conversions.ts';
import { kubernetes, kubernetesTypes } from './functions/kubernetes.ts';
import type { Line } from './functions/line.ts';
import { lists } from './functions/lists.ts';
import { addressesAndLocators, networkTypes } from './functions/network.ts';
import { strings } from './functions/strings.ts';
import { timeParts } from './functions/time.ts';
import { Duration, Timestamp, TypeValue } from './values/values.ts';
import type { Value } from './values/values.ts';
import { countSteps, lookAtClock } from './values/work.ts';

/** Enough for every rule that people write; a deeper one would end the process instead of being refused. */
const limits = { maxAstNodes: 50_000, maxDepth: 150, maxListElements: 10_000, maxMapEntries: 10_000, maxCallArguments: 64 };

const lines: readonly Line[] = [...conversions, ...timeParts, ...strings, ...lists, ...addressesAndLocators, ...kubernetes];

const namePattern = /\b(\w+)\(/;

/** The names of the functions below, which expressions are made to call instead of the library's. */
export const ownFunctions: ReadonlySet<string> = new Set(lines.map(([signature]) => namePattern.exec(signature)?.[1] ?? ''));

const prefix = 'kubernetes_';
export const ownNameOf = (name: string): string => `${prefix}${name}`;
export const withoutPrefix = (text: string): string => text.replaceAll(prefix, '');

export const environment: Environment = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: true, limits });

const counted =
  (run: Line[1], skipped: number) =>
  (...args: never[]): Value => {
    countSteps();
    lookAtClock();
    return run(...args.slice(skipped));
  };

const namespaces = ['format', 'ip', 'lists', 'sets', 'strings'];

for (const name of namespaces) {
  const Namespace = class {
    readonly name = name;
  };
  environment.registerType(name, Namespace);
  environment.registerConstant(name, name, new Namespace());
}
for (const [name, type] of Object.entries({ Timestamp, Duration, ...networkTypes, ...kubernetesTypes }))
  environment.registerType(name, type);

for (const [signature, run] of lines) {
  const isQualified = [...namespaces, 'optional'].some((name) => signature.startsWith(`${name}.`));
  const known = signature.replace(/^optional\./, 'OptionalNamespace.').replace(namePattern, (_, name: string) => `${ownNameOf(name)}(`);
  environment.registerFunction(known, counted(run, Number(isQualified)), { async: false });
}

environment.registerFunction('type(optional<T>): type', () => new TypeValue('optional'), { async: false });

type Moment = Timestamp | Duration;

const operators: readonly (readonly [operator: string, run: (left: Moment, right: Moment) => Value])[] = [
  ['Timestamp + Duration: Timestamp', (left, right) => new Timestamp(left.nanos + right.nanos, (left as Timestamp).offsetMinutes)],
  ['Duration + Timestamp: Timestamp', (left, right) => new Timestamp(left.nanos + right.nanos, (right as Timestamp).offsetMinutes)],
  ['Timestamp - Duration: Timestamp', (left, right) => new Timestamp(left.nanos - right.nanos, (left as Timestamp).offsetMinutes)],
  ['Timestamp - Timestamp: Duration', (left, right) => new Duration(left.nanos - right.nanos)],
  ['Duration + Duration: Duration', (left, right) => new Duration(left.nanos + right.nanos)],
  ['Duration - Duration: Duration', (left, right) => new Duration(left.nanos - right.nanos)],
  ...['Timestamp', 'Duration'].flatMap((type) => [
    [`${type} < ${type}: bool`, (left: Moment, right: Moment) => left.nanos < right.nanos] as const,
    [`${type} <= ${type}: bool`, (left: Moment, right: Moment) => left.nanos <= right.nanos] as const,
    [`${type} > ${type}: bool`, (left: Moment, right: Moment) => left.nanos > right.nanos] as const,
    [`${type} >= ${type}: bool`, (left: Moment, right: Moment) => left.nanos >= right.nanos] as const,
  ]),
];
for (const [operator, run] of operators) environment.registerOperator(operator, run);
for (const [sign, holds] of Object.entries<(order: number) => boolean>({
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
}))
  environment.registerOperator(`bytes ${sign} bytes: bool`, (left: Uint8Array, right: Uint8Array) => holds(Buffer.compare(left, right)));
