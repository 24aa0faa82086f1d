// Every pattern of lib takes time in proportion to its text: anybody who may write an object chooses that text.
import { expect, test } from '@jest/globals';
import { parseSync } from '@swc/core';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, Script } from 'node:vm';

const root = join(import.meta.dirname, '..');

interface Pattern {
  where: string;
  source: string;
  flags: string;
}

function patternsIn(file: string): Pattern[] {
  const text = readFileSync(join(root, file), 'utf8');
  const found: Pattern[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, pattern, flags } = node as { type?: unknown; pattern?: unknown; flags?: unknown };
    if (type === 'RegExpLiteral' && typeof pattern === 'string') {
      const line = text.slice(0, text.indexOf(`/${pattern}/`)).split('\n').length;
      found.push({ where: `${file}:${line}`, source: pattern, flags: String(flags).replaceAll(/[gy]/g, '') });
    }
    for (const part of Object.values(node)) visit(part);
  };
  visit(parseSync(text, { syntax: 'typescript', target: 'es2024' }));
  return found;
}

const REPRESENTATIVES: Readonly<Record<string, string>> = { d: '0', w: 'a', s: ' ', S: 'a', D: 'a', W: ' ', n: '\n', t: '\t', r: '\r' };

/** Characters that the pattern names, by itself or by a class. */
function charactersOf(source: string): string[] {
  const escaped = [...source.matchAll(/\\(.)/g)].map(([, character = '']) => REPRESENTATIVES[character] ?? character);
  const plain = source.replaceAll(/\\.|\(\?[:=!<]+|[()[\]{}*+?^$|]/gs, '').split('');
  return [...new Set([...escaped, ...plain, 'a', '0', ' ', '-', '"'])].slice(0, 9);
}

const LENGTH = 50_000;
/** What does not end a match: the end of the text, what no class but a negated one takes, a line. */
const TAILS = ['', '\u0001', '\n\u0001'];

/** Characters of negated classes: behind all that such a class takes they end it. */
const tailsOf = (source: string): string[] => [
  ...TAILS,
  ...new Set(
    [...source.matchAll(/\[\^((?:\\.|[^\]\\])+)\]/gs)].flatMap(([, inside = '']) =>
      charactersOf(inside).filter((one) => inside.includes(one)),
    ),
  ),
];

/** Repetitions of one or two of its characters, behind nothing or one of them. */
function* attacksOn({ source }: Pattern): Generator<string> {
  const characters = charactersOf(source);
  const tails = tailsOf(source);
  for (const one of characters)
    for (const other of ['', ...characters]) {
      const unit = one + other;
      const repeated = unit.repeat(LENGTH / unit.length);
      for (const tail of tails) yield repeated + tail;
    }
}

/** A linear pattern needs a thousandth of it; a quadratic one a hundred times as much. */
const PATIENCE_MS = 400;

test('no text takes a pattern more than linear time', () => {
  const patterns = globSync(['lib/**/*.ts', 'functions/**/*.ts'], { cwd: root })
    .toSorted()
    .flatMap(patternsIn)
    // Without a repetition nothing is tried twice.
    .filter(({ source }) => /[*+]|,\}/.test(source));
  expect(patterns.length).toBeGreaterThan(150);
  const context = createContext({ pattern: /x/, text: '' });
  const script = new Script('pattern.exec(text); undefined');
  const slow: string[] = [];
  for (const pattern of patterns) {
    context['pattern'] = new RegExp(pattern.source, pattern.flags);
    for (const text of attacksOn(pattern)) {
      context['text'] = text;
      const isInTime = (): boolean => {
        try {
          script.runInContext(context, { timeout: PATIENCE_MS });
          return true;
        } catch {
          return false;
        }
      };
      // A busy machine may let a process stand still for longer: a slow pattern is slow each time.
      if (!isInTime() && !isInTime() && !isInTime()) {
        slow.push(`${pattern.where}: /${pattern.source}/ on ${JSON.stringify(text.slice(0, 6))}… ${JSON.stringify(text.slice(-3))}`);
        break;
      }
    }
  }
  expect(slow).toEqual([]);
}, 300_000);
