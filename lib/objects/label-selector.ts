// Label selectors: the structured form of a spec and the text of a query (`a=b,c!=d,e in (x,y),!f`) become one matcher.
import type { LabelSelector } from './kubernetes.ts';
import { problemsOfLabelValue, problemsOfQualifiedName } from './names.ts';

/** Labels of an object; undefined: it has none. */
export type Labels = Readonly<Record<string, string>> | undefined;

/** Whether an object with these labels is selected. */
export type LabelMatcher = (labels: Labels) => boolean;

/** One condition on one key. `Gt` and `Lt` compare whole numbers and come from texts only. */
export interface LabelRequirement {
  key: string;
  operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';
  values: readonly string[];
}

const OPERATORS: readonly LabelRequirement['operator'][] = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'];

/** A selector that cannot be read; the message is for people. */
export class LabelSelectorError extends Error {
  override readonly name = 'LabelSelectorError';
}

/**
 * The matcher of a structured selector. No selector selects nothing; an empty one selects everything.
 * @throws LabelSelectorError for an unknown operator, a bad key or value, or values where none belong or are missing
 */
export function matcherOf(selector: LabelSelector | undefined): LabelMatcher {
  if (selector === undefined) return () => false;
  return matcherOfRequirements(requirementsOf(selector));
}

/**
 * The matcher of a node selector's expressions, which must all hold. They know `Gt` and `Lt`.
 * @throws LabelSelectorError as `matcherOf`
 */
export const matcherOfExpressions = (expressions: readonly { key: string; operator: string; values?: string[] }[]): LabelMatcher =>
  matcherOfRequirements(
    expressions.map(({ key, operator, values = [] }) => {
      if (!OPERATORS.some((known) => known === operator))
        throw new LabelSelectorError(`${JSON.stringify(operator)} is not a valid node selector operator`);
      return checked({ key, operator: operator as LabelRequirement['operator'], values });
    }),
  );

/** The conditions of a structured selector, all of which must hold. @throws LabelSelectorError as `matcherOf` */
function requirementsOf(selector: LabelSelector): LabelRequirement[] {
  const equals = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => checked({ key, operator: 'In', values: [value] }));
  const others = (selector.matchExpressions ?? []).map(({ key, operator, values }) => {
    if (operator !== 'In' && operator !== 'NotIn' && operator !== 'Exists' && operator !== 'DoesNotExist') {
      throw new LabelSelectorError(`${JSON.stringify(operator)} is not a valid label selector operator`);
    }
    return checked({ key, operator, values: values ?? [] });
  });
  return [...equals, ...others];
}

/** The matcher of a query's text; an empty text selects everything. @throws LabelSelectorError when it does not parse */
export const parseLabelSelector = (text: string): LabelMatcher => matcherOfRequirements(parseRequirements(text));

/**
 * A structured selector as the text of a query that selects the same.
 * @returns an empty text where everything is selected; undefined where there is no selector
 * @throws LabelSelectorError as `matcherOf`
 */
export const selectorTextOf = (selector: LabelSelector | undefined): string | undefined =>
  selector && requirementsOf(selector).map(textOf).join(',');

function textOf({ key, operator, values }: LabelRequirement): string {
  if (operator === 'Exists') return key;
  if (operator === 'DoesNotExist') return `!${key}`;
  const [first = '', ...others] = values.toSorted();
  // An empty value can stand alone after a sign, and in a list as its first: an empty list holds none.
  if (others.length === 0) return `${key}${operator === 'In' ? '=' : '!='}${first}`;
  return `${key} ${operator === 'In' ? 'in' : 'notin'} (${[first, ...others].join(',')})`;
}

/** The matcher of conditions that must all hold. */
function matcherOfRequirements(requirements: readonly LabelRequirement[]): LabelMatcher {
  return (labels) => requirements.every((requirement) => holds(requirement, labels));
}

function holds({ key, operator, values }: LabelRequirement, labels: Labels): boolean {
  const value = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
    case 'Lt':
    default: {
      if (value === undefined || !/^[+-]?[0-9]+$/.test(value)) return false;
      const [left, right] = [BigInt(value.replace(/^\+/, '')), BigInt((values[0] ?? '0').replace(/^\+/, ''))];
      return operator === 'Gt' ? left > right : left < right;
    }
  }
}

function checked(requirement: LabelRequirement): LabelRequirement {
  const { key, operator, values } = requirement;
  const problems = problemsOfQualifiedName(key).map((problem) => `key: Invalid value: ${JSON.stringify(key)}: ${problem}`);
  if ((operator === 'In' || operator === 'NotIn') && values.length === 0) {
    problems.push(`values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty`);
  }
  if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0) {
    problems.push(`values: Invalid value: ${JSON.stringify(values)}: values set must be empty for exists and does not exist`);
  }
  if ((operator === 'Gt' || operator === 'Lt') && !/^[+-]?[0-9]+$/.test(values[0] ?? '')) {
    problems.push(`values[0]: Invalid value: ${JSON.stringify(values[0] ?? '')}: for 'Gt', 'Lt' operators, the value must be an integer`);
  }
  for (const [at, value] of values.entries()) {
    for (const problem of problemsOfLabelValue(value)) {
      problems.push(`values[${at}][${key}]: Invalid value: ${JSON.stringify(value)}: ${problem}`);
    }
  }
  if (problems.length > 0) throw new LabelSelectorError(problems.join('; '));
  return requirement;
}

// The grammar of texts: words (keys, values, `in`, `notin`) between the signs below, blanks anywhere.
type Token = { sign: string } | { word: string };

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(/\s+|(==|!=|=|!|,|\(|\)|<|>)|([^\s=!,()<>]+)/g)) {
    if (match[1] !== undefined) tokens.push({ sign: match[1] });
    else if (match[2] !== undefined) tokens.push({ word: match[2] });
  }
  return tokens;
}

/** Checks a condition of a text. @throws LabelSelectorError in the words for texts */
function parsed(requirement: LabelRequirement): LabelRequirement {
  try {
    return checked(requirement);
  } catch (error) {
    if (!(error instanceof LabelSelectorError)) throw error;
    throw new LabelSelectorError(`unable to parse requirement: ${error.message.replace(/^key: /, '<nil>: ')}`);
  }
}

/** The conditions of a query's text. @throws LabelSelectorError when it does not parse */
function parseRequirements(text: string): LabelRequirement[] {
  const tokens = tokensOf(text);
  const requirements: LabelRequirement[] = [];
  let at = 0;
  const sign = (offset = 0): string | undefined => {
    const token = tokens[at + offset];
    return token !== undefined && 'sign' in token ? token.sign : undefined;
  };
  const word = (): string | undefined => {
    const token = tokens[at];
    if (token === undefined || !('word' in token)) return undefined;
    at += 1;
    return token.word;
  };
  const found = (): string => {
    const token = tokens[at];
    return token === undefined ? '' : 'sign' in token ? token.sign : token.word;
  };
  const refuseText = (expected: string): never => {
    throw new LabelSelectorError(`found '${found()}', expected: ${expected}`);
  };
  const refuse = (expected: string, comma = ','): never => {
    throw new LabelSelectorError(`unable to parse requirement: found '${found()}'${comma} expected: ${expected}`);
  };
  const list = (): string[] => {
    if (sign() !== '(') refuse("'('", '');
    at += 1;
    if (at >= tokens.length) refuse("',', ')' or identifier");
    const values: string[] = [];
    for (;;) {
      values.push(word() ?? '');
      if (sign() !== ',') break;
      at += 1;
    }
    if (sign() !== ')') refuse("',' or ')'");
    at += 1;
    return values;
  };
  const requirement = (): LabelRequirement => {
    if (sign() === '!') {
      at += 1;
      return { key: word() ?? refuse('identifier'), operator: 'DoesNotExist', values: [] };
    }
    const key = word() ?? refuseText("!, identifier, or 'end of string'");
    const next = sign();
    if (at >= tokens.length || next === ',') return { key, operator: 'Exists', values: [] };
    if (next === '=' || next === '==' || next === '!=') {
      at += 1;
      return { key, operator: next === '!=' ? 'NotIn' : 'In', values: [word() ?? ''] };
    }
    if (next === '<' || next === '>') {
      at += 1;
      return { key, operator: next === '>' ? 'Gt' : 'Lt', values: [word() ?? refuse('identifier')] };
    }
    const operator = word();
    if (operator === 'in') return { key, operator: 'In', values: list() };
    if (operator === 'notin') return { key, operator: 'NotIn', values: list() };
    if (operator !== undefined) at -= 1;
    return refuse('in, notin, =, ==, !=, gt, lt');
  };
  while (at < tokens.length) {
    requirements.push(parsed(requirement()));
    if (at >= tokens.length) break;
    if (sign() !== ',') refuseText("',' or 'end of string'");
    at += 1;
    if (at >= tokens.length) refuseText("identifier after ','");
  }
  return requirements;
}
