// Text → expression. A library parses the language; this gives the places that messages show, and replaces macros by what they stand for.
import { Environment, ParseError } from '@marcbachmann/cel-js';
import type { ASTNode } from '@marcbachmann/cel-js';
import type { Expression } from './expression.ts';
import { macroOf } from './macros.ts';
import { SyntaxProblem } from './problem.ts';
import { Uint } from './values.ts';
import type { Value } from './values.ts';

/** Enough for every rule that people write; a deeper one would end the process instead of being refused. */
const limits = { maxAstNodes: 50_000, maxDepth: 150, maxListElements: 10_000, maxMapEntries: 10_000, maxCallArguments: 64 };

const environment = new Environment({
  unlistedVariablesAreDyn: true,
  enableOptionalTypes: true,
  homogeneousAggregateLiterals: false,
  limits,
});

/** @throws SyntaxProblem for a text that is no expression */
export function parse(source: string): Expression {
  let root: ASTNode;
  try {
    root = environment.parse(source).ast;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw problemOf(error, source);
  }
  return expressionOf(root, source);
}

/** The library looks at the arguments of macros by itself; this says it as the API server does. */
function problemOf({ code, range, summary }: ParseError, source: string): SyntaxProblem {
  const start = range?.start ?? 0;
  if (code !== 'invalid_macro_argument') return new SyntaxProblem(start, `Syntax error: ${summary}`);
  const at = source[start - 1] === '.' ? start - 1 : start;
  if (/^has\b/.test(summary)) return new SyntaxProblem(at, 'invalid argument to has() macro');
  return new SyntaxProblem(at, /^(map|filter)\b/.test(summary) ? 'argument is not an identifier' : 'argument must be a simple name');
}

const names: Readonly<Record<string, string>> = { '||': '_||_', '&&': '_&&_', '?:': '_?_:_', '!_': '!_', '-_': '-_', in: '@in' };

function expressionOf(node: ASTNode, source: string): Expression {
  const read = (child: ASTNode): Expression => expressionOf(child, source);
  const at = node.start;
  switch (node.op) {
    case 'value':
      return { is: 'literal', at, value: literalOf(node.args) };
    case 'id':
      return { is: 'identifier', at, name: node.args };
    case '.':
    case '.?': {
      const [operand, field] = node.args;
      return {
        is: 'select',
        at: placeOf('.', source, operand.end),
        operand: read(operand),
        field,
        isTest: false,
        isOptional: node.op === '.?',
      };
    }
    case '[]':
    case '[?]': {
      const [operand, index] = node.args;
      const name = node.op === '[]' ? '_[_]' : '_[?_]';
      return { is: 'call', at: placeOf('[', source, operand.end), function: name, target: undefined, args: [read(operand), read(index)] };
    }
    case 'call': {
      const [name, args] = node.args;
      const place = placeOf('(', source, at + name.length);
      return (
        macroOf({ at: place, name, target: undefined, args: args.map(read) }) ?? {
          is: 'call',
          at: place,
          function: name,
          target: undefined,
          args: args.map(read),
        }
      );
    }
    case 'rcall': {
      const [name, receiver, args] = node.args;
      const place = placeOf('(', source, receiver.end);
      const [target, given] = [read(receiver), args.map(read)];
      return macroOf({ at: place, name, target, args: given }) ?? { is: 'call', at: place, function: name, target, args: given };
    }
    case 'list':
      return { is: 'list', at, elements: node.args.map(read) };
    case 'map':
      return { is: 'map', at, entries: node.args.map(([key, value]) => [read(key), read(value)] as const) };
    case '!_':
    case '-_': {
      const operand = read(node.args);
      // A number's sign belongs to it: the smallest integer has no positive counterpart.
      if (node.op === '-_' && operand.is === 'literal' && (typeof operand.value === 'bigint' || typeof operand.value === 'number'))
        return { is: 'literal', at, value: -operand.value };
      return { is: 'call', at, function: node.op, target: undefined, args: [operand] };
    }
    case '?:': {
      const [condition, yes, no] = node.args;
      return {
        is: 'call',
        at: placeOf('?', source, condition.end),
        function: '_?_:_',
        target: undefined,
        args: [condition, yes, no].map(read),
      };
    }
    default: {
      const [left, right] = node.args;
      return {
        is: 'call',
        at: placeOf(node.op, source, left.end),
        function: names[node.op] ?? `_${node.op}_`,
        target: undefined,
        args: [read(left), read(right)],
      };
    }
  }
}

function literalOf(value: (ASTNode & { op: 'value' })['args']): Value {
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return value;
  return new Uint(value.valueOf());
}

/** Where an operator stands that follows an operand; brackets around the operand may come first. */
function placeOf(operator: string, source: string, from: number): number {
  const found = source.indexOf(operator, from);
  return found < 0 ? from : found;
}
