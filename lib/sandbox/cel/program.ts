// A text of CEL, compiled once: what is wrong with it, its type, what it costs at worst, and its value for given variables.
import { check } from './check.ts';
import { Layout, compile } from './evaluate.ts';
import type { Evaluate } from './evaluate.ts';
import type { Expression } from './expression.ts';
import { library } from './functions/library.ts';
import { problemOfPattern, problemsOfLiterals } from './literals.ts';
import { SyntaxProblem, problemText } from './problem.ts';
import type { ExpressionProblem } from './problem.ts';
import { parse } from './syntax.ts';
import { dyn } from './types.ts';
import type { Type } from './types.ts';
import { BudgetError, EvaluationError } from './values.ts';
import type { Value } from './values.ts';
import { beginWork } from './work.ts';

export type Outcome = { cost: number } & ({ value: Value } | { error: EvaluationError | BudgetError });

export interface ProgramProblem {
  problem: string;
  /** Found after the compilation, when the API server makes its program. */
  isLate?: true;
}

export interface Program {
  root: Expression;
  type: Type;
  /** The variables that it looks at. */
  uses: ReadonlySet<string>;
  /** @param limit of the cost; beyond it the outcome is a BudgetError */
  run: (variables: ReadonlyMap<string, Value>, limit: number) => Outcome;
}

/** @param variables the names that the text may use. @returns the program, or what is wrong with the text */
export function compiled(source: string, variables: ReadonlyMap<string, Type>): Program | ProgramProblem {
  let root: Expression;
  let problems: ExpressionProblem[];
  beginWork();
  try {
    root = parse(source);
    problems = check(root, variables, library);
  } catch (error) {
    if (error instanceof BudgetError) return { problem: error.message };
    if (!(error instanceof SyntaxProblem)) throw error;
    return { problem: problemText(source, error) };
  }
  if (problems.length > 0) return { problem: problemsText(source, problems) };
  const literals = problemsOfLiterals(root, childrenOf);
  if (literals.length > 0) return { problem: problemsText(source, literals) };
  const late = problemOfInstantiation(root);
  if (late !== undefined) return { problem: late, isLate: true };
  const layout = new Layout(variables.keys());
  const evaluate = compile(root, layout);
  const uses = new Set<string>();
  collectUses(root, variables, uses);
  return { root, type: root.type ?? dyn, uses, run: runner(evaluate, layout) };
}

const problemsText = (source: string, problems: readonly ExpressionProblem[]): string =>
  problems.map((problem) => problemText(source, problem)).join('\n');

const conversions = new Set(['bool', 'bytes', 'double', 'duration', 'dyn', 'int', 'string', 'timestamp', 'type', 'uint']);

/** Only conversions of literals are worked out beforehand. */
const isConstant = (node: Expression): boolean => node.is === 'literal' || (isConversion(node) && childrenOf(node).every(isConstant));

const isConversion = (node: Expression): boolean =>
  node.is === 'call' && !node.target && node.args.length === 1 && conversions.has(node.function);

/** Problems that the API server finds when it makes its program: invalid patterns, and literals that cannot be converted. */
function problemOfInstantiation(node: Expression): string | undefined {
  const pattern = problemOfPattern(node);
  if (pattern !== undefined) return pattern;
  if (isConversion(node) && isConstant(node)) {
    const layout = new Layout([]);
    const outcome = runner(compile(node, layout), layout)(new Map(), Infinity);
    return 'error' in outcome ? outcome.error.message : undefined;
  }
  for (const child of childrenOf(node)) {
    const problem = problemOfInstantiation(child);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function runner(evaluate: Evaluate, layout: Layout): Program['run'] {
  return (variables, limit) => {
    const slots = Array.from<Value | EvaluationError | undefined>({ length: layout.size });
    for (const [name, value] of variables) {
      const slot = layout.slotOf(name);
      if (slot !== undefined) slots[slot] = value;
    }
    const frame = { slots, cost: 0, limit };
    beginWork();
    try {
      return { value: evaluate(frame), cost: frame.cost };
    } catch (error) {
      if (error instanceof EvaluationError || error instanceof BudgetError) return { error, cost: frame.cost };
      throw error;
    }
  };
}

/** A loop's own variable may hide one of them; a rule that does so counts as using it, which does no harm. */
function collectUses(node: Expression, variables: ReadonlyMap<string, unknown>, uses: Set<string>): void {
  if (node.is === 'identifier' && !node.isType && variables.has(node.name)) uses.add(node.name);
  for (const child of childrenOf(node)) collectUses(child, variables, uses);
}

export function childrenOf(node: Expression): readonly Expression[] {
  switch (node.is) {
    case 'select':
      return [node.operand];
    case 'call':
      return node.target ? [node.target, ...node.args] : node.args;
    case 'list':
      return node.elements;
    case 'map':
      return node.entries.flat();
    case 'fold':
      return [node.range, node.initial, node.condition, node.step, node.result];
    case 'bind':
      return [node.value, node.result];
    default:
      return [];
  }
}
