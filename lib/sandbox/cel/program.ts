// A text of CEL, compiled once: what is wrong with it, its type, and its value for given variables. The library parses, checks and evaluates;
// what it does otherwise than Kubernetes is put right in its tree.
import { ParseError } from '@marcbachmann/cel-js';
import type { Environment } from '@marcbachmann/cel-js';
import { ownEntry } from '../../objects/values/untyped-fields.ts';
import { ownFunctions, ownNameOf, withoutPrefix } from './environment.ts';
import { isEqual } from './values/equality.ts';
import { clausesOf } from './functions/format.ts';
import { compiledPattern } from './functions/patterns.ts';
import { macroOf } from './macros.ts';
import { SyntaxProblem, problemText } from './problem.ts';
import type { Check, Evaluate, Node, StaticType } from './syntax-tree.ts';
import { treeOf } from './syntax-tree.ts';
import { BudgetError, EvaluationError, identities, isList, isMap } from './values/values.ts';
import type { List, Value } from './values/values.ts';
import { beginWork, countSteps, isOverBudget, stepsTaken } from './values/work.ts';

/** The cost is the number of steps. */
export type Outcome = { cost: number } & ({ value: Value } | { error: EvaluationError | BudgetError });

export interface Program {
  /** As the library writes it: `bool`, `list<string>` */
  type: string;
  /** The variables that it looks at. */
  uses: ReadonlySet<string>;
  run: (variables: ReadonlyMap<string, Value>) => Outcome;
}

/** @param environment has the variables that the text may use. @returns the program, or what is wrong with the text */
export function compiled(source: string, environment: Environment): Program | { problem: string } {
  beginWork();
  try {
    const program = checked(source, environment);
    refuseConstants(source, program.tree, environment);
    return program;
  } catch (error) {
    if (error instanceof SyntaxProblem) return { problem: problemText(source, error) };
    if (error instanceof BudgetError) return { problem: error.message };
    // A chain of operators has no depth for the parser, and one for those who walk its tree.
    if (error instanceof RangeError) return { problem: problemText(source, { at: 0, message: 'Syntax error: nested too deep' }) };
    throw error;
  }
}

function checked(source: string, environment: Environment): Program & { tree: Node } {
  let parsed: ReturnType<Environment['parse']>;
  try {
    parsed = environment.parse(source);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new SyntaxProblem(error.range?.start ?? 0, `Syntax error: ${error.summary}`);
  }
  const tree = treeOf(parsed);
  const uses = new Set<string>();
  putRight(tree, uses);
  const { valid, type, error } = parsed.check();
  if (!valid) throw new SyntaxProblem(error?.range?.start ?? 0, withoutPrefix(error?.summary ?? ''));
  return { type: type ?? 'dyn', uses, tree, run: (variables) => outcomeOf(() => parsed(variables) as Value) };
}

function outcomeOf(evaluate: () => Value): Outcome {
  beginWork();
  try {
    const value = evaluate();
    return isOverBudget() ? { error: new BudgetError(), cost: stepsTaken() } : { value, cost: stepsTaken() };
  } catch (cause) {
    if (isOverBudget() || cause instanceof BudgetError) return { error: new BudgetError(), cost: stepsTaken() };
    const text = cause instanceof Error ? ('summary' in cause ? String(cause.summary) : cause.message) : String(cause);
    return { error: new EvaluationError(withoutPrefix(text), { cause }), cost: stepsTaken() };
  }
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'op' in value;

function childrenOf({ op, args }: Node): Node[] {
  if (op === 'value') return [];
  return (Array.isArray(args) ? args.flat(2) : [args]).filter(isNode);
}

/** Macros and functions of Kubernetes in the place of the library's, checks and operators as Kubernetes has them; every step is counted. */
function putRight(node: Node, uses: Set<string>, isFormatted = false): void {
  const isFormat = node.op === 'rcall' && (node.args as [string])[0] === 'format';
  for (const child of childrenOf(node)) putRight(child, uses, isFormat || (isFormatted && node.op in ofMixture));
  if (node.op === 'id') {
    if (node.args === 'cel') throw new SyntaxProblem(node.start, "undeclared reference to 'cel' (in container '')");
    uses.add(node.args as string);
  }
  if (node.op === 'call' || node.op === 'rcall') putCallRight(node);
  const evaluate = ownEntry(operators, node.op)?.(node.meta.evaluate) ?? node.meta.evaluate;
  if (node.op === 'value') return;
  node.setMeta('evaluate', (evaluator, at, context) => {
    countSteps();
    return evaluate(evaluator, at, context);
  });
  const check = isFormatted ? (ownEntry(ofMixture, node.op) ?? ownEntry(checks, node.op)) : ownEntry(checks, node.op);
  if (check) node.setMeta('check', check(node.meta.check));
}

/** Methods that the library has and Kubernetes has not. */
const ofLibraryAlone = ['at', 'base64', 'hex', 'json', 'string'];

function putCallRight(node: Node): void {
  const parts = node.args as [string, ...unknown[]];
  const name = parts[0];
  const [target, args] = node.op === 'rcall' ? [parts[1] as Node, parts[2] as Node[]] : [undefined, parts[1] as Node[]];
  if (target && ofLibraryAlone.includes(name)) throw new SyntaxProblem(node.start, `undeclared reference to '${name}' (in container '')`);
  const macro = macroOf(name, target, args);
  if (macro) node.setMeta('alternate', undefined).setMeta('macro', macro).setMeta('async', false);
  else if (ownFunctions.has(name)) parts[0] = ownNameOf(name);
}

type OwnCheck = (check: Check) => Check;

/** The library compares no two values of a type with fields, and none with null. */
const checkEquality: OwnCheck = (check) => (checker, node, context) => {
  const types = (node.args as [Node, Node]).map((operand) => checker.check(operand, context)) as [StaticType, StaticType];
  const areAlike = types.every(({ kind }) => kind === 'message' || kind === 'optional') && types[0].matches(types[1]);
  const isWithNull = types.some(({ kind }) => kind === 'message') && types.some(({ name }) => name === 'null');
  return areAlike || isWithNull ? checker.getType('bool') : check(checker, node, context);
};

/** The library takes any name for an optional field, and any key for a map. */
const checkAccess: OwnCheck = (check) => (checker, node, context) => {
  const [owner, key] = node.args as [Node, Node];
  const type = check(checker, node, context);
  const given = checker.check(owner, context);
  const container = given.kind === 'optional' ? given.valueType : given;
  if (container.kind === 'message') checker.checkAccessOnType(node, context, container);
  if (container.kind === 'map' && isNode(key) && !container.keyType.matches(checker.check(key, context)))
    throw checker.createError('type', `found no matching overload for '_[_]' applied to '${container.name}'`, node);
  return type;
};

const checks: Readonly<Record<string, OwnCheck>> = {
  '==': checkEquality,
  '!=': checkEquality,
  '.': checkAccess,
  '.?': checkAccess,
  '[]': checkAccess,
  '[?]': checkAccess,
  // The library would take an empty map for another kind of value than one with entries.
  map: (check) => (checker, node, context) =>
    childrenOf(node).length === 0 ? checker.getType('map<K, V>') : check(checker, node, context),
};

const ofAnything =
  (type: string): OwnCheck =>
  () =>
  (checker, node, context) => {
    for (const child of childrenOf(node)) checker.check(child, context);
    return checker.getType(type);
  };

/** A list that is formatted may hold values of several types. */
const ofMixture: Readonly<Record<string, OwnCheck>> = { list: ofAnything('list'), map: ofAnything('map') };

type Operator = (evaluate: Evaluate) => Evaluate;

/** @param run gives undefined where the library's own operator is right */
const ofTwo =
  (run: (left: Value, right: Value) => Value | undefined): Operator =>
  () =>
  (evaluator, node, context) => {
    const [left, right] = (node.args as [Node, Node]).map((operand) => evaluator.run(operand, context)) as [Value, Value];
    return run(left, right) ?? node.handle(left, right, node, evaluator);
  };

const operators: Readonly<Record<string, Operator>> = {
  // A variable of any type may be null, such as the namespace of what is in none.
  id: (evaluate) => (evaluator, node, context) =>
    context.getValue(node.args as string) === null ? null : evaluate(evaluator, node, context),
  '==': ofTwo(isEqual),
  '!=': ofTwo((left, right) => !isEqual(left, right)),
  in: ofTwo((item, container) => {
    if (isMap(container)) return container.get(item) !== undefined;
    return isList(container) ? container.some((each) => isEqual(each, item)) : undefined;
  }),
  '+': ofTwo((left, right) => {
    if (isList(left) && isList(right)) return concatenated(left, right);
    if (lengthOf(left) + lengthOf(right) > longestText) throw new BudgetError();
    return undefined;
  }),
  '-_': (evaluate) => (evaluator, node, context) => {
    const value = evaluate(evaluator, node, context);
    if (value === 2n ** 63n) throw new EvaluationError('integer overflow');
    return value;
  },
  map: () => (evaluator, node, context) =>
    new Map((node.args as [Node, Node][]).map(([key, value]) => [evaluator.run(key, context), evaluator.run(value, context)])),
};

/** Characters of a text, or bytes, that an expression makes; ten times what a request may hold. */
const longestText = 30_000_000;

const lengthOf = (value: Value): number => (typeof value === 'string' || value instanceof Uint8Array ? value.length : 0);

/** A set takes only what it lacks; a list with keys takes the other's elements in place of its own of the same key. */
function concatenated(left: List, right: List): List {
  countSteps(left.length + right.length);
  const identity = identities.get(left);
  if (!identity) return [...left, ...right];
  const merged = new Map(left.map((item) => [identity.keyOf(item), item]));
  for (const item of right) if (identity.kind === 'map' || !merged.has(identity.keyOf(item))) merged.set(identity.keyOf(item), item);
  const list = [...merged.values()];
  identities.set(list, identity);
  return list;
}

const conversions = ['bool', 'double', 'duration', 'int', 'string', 'timestamp', 'uint'];
const searches = ['matches', 'find', 'findAll'];

/**
 * Refuses a literal that cannot be converted, a pattern that is none, and a text that cannot be formatted: all can be known before there are
 * values.
 * @throws SyntaxProblem
 */
function refuseConstants(source: string, node: Node, environment: Environment): void {
  const parts = childrenOf(node);
  for (const part of parts) refuseConstants(source, part, environment);
  if (node.op !== 'call' && node.op !== 'rcall') return;
  const name = withoutPrefix((node.args as [string])[0]);
  const [first, second] = parts;
  if (name === 'format' && first && second) refuseFormat(first, second);
  const pattern = literalText(second);
  if (searches.includes(name) && pattern !== undefined) tried(node, () => compiledPattern(pattern));
  const isKnown = conversions.includes(name) ? parts.every(isConstant) : name === 'format' && parts.every(isLiteral);
  if (isKnown)
    tried(node, () => {
      const outcome = checked(source.slice(node.start, node.end), environment).run(new Map());
      if ('error' in outcome) throw outcome.error;
    });
}

const literalText = (node: Node | undefined): string | undefined =>
  node?.op === 'value' && typeof node.args === 'string' ? node.args : undefined;

const isLiteral = (node: Node): boolean =>
  node.op === 'value' ? !(node.args instanceof Uint8Array) : node.op === 'list' && childrenOf(node).every(isLiteral);

const isConstant = (node: Node): boolean =>
  node.op === 'value' ||
  node.op === '-_' ||
  (node.op === 'call' && ['dyn', ...conversions].includes(withoutPrefix((node.args as [string])[0])) && childrenOf(node).every(isConstant));

function refuseFormat(text: Node, list: Node): void {
  const literal = literalText(text);
  if (literal === undefined || list.op !== 'list') return;
  const given = childrenOf(list).length;
  tried(text, () => {
    const wanted = clausesOf(literal).length;
    if (given < wanted) throw new EvaluationError(`index ${given} out of range`);
    if (given > wanted) throw new EvaluationError(`too many arguments supplied to string.format (expected ${wanted}, got ${given})`);
  });
}

function tried(node: Node, evaluate: () => unknown): void {
  try {
    evaluate();
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    throw new SyntaxProblem(node.start, error.message);
  }
}
