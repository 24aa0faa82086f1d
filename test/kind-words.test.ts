// Whoever is no kind's own folder asks a kind's row, and never names the kind: neither the kind nor its resource, a field of its spec or
// status, a reason or a metric of it. Pods, nodes and Events as such are the loop's own words.
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { ALL_FACTS } from '../lib/kinds/facts.ts';
import type { KindFacts } from '../lib/kinds/rows/kind.ts';
import { UPSTREAM_METRICS } from '../lib/objects/upstream-metrics.ts';
import { schemaNames, schemaOf } from '../lib/sandbox/schema/notation.ts';

const root = resolve(import.meta.dirname, '..');

/** Where a kind, or an API server's rules about it, is at home. */
const AT_HOME =
  /^lib\/(?:objects|admission|sandbox|kinds\/(?!rows\/|planning\/)[^/]+)\/|^lib\/kinds\/(?:facts|planners|shown|manifests|definitions|settings)\.ts$/;

/** Fields that many objects have, or that are everyday words: naming them names no kind. */
const EVERYDAY = new Set([
  'active',
  'completions',
  'failed',
  'managedBy',
  'parallelism',
  'ready',
  'selector',
  'succeeded',
  'suspend',
  'template',
  'terminating',
]);

const fieldsOf = (type: string): string[] => (schemaNames().includes(type) ? [...schemaOf(type).fields.keys()] : []);

/** Fields of the owner's spec and status that no type of the API has but its own. */
function ownFields({ resource: { kind } }: KindFacts): string[] {
  const own = [`${kind}Spec`, `${kind}Status`];
  const elsewhere = new Set(
    schemaNames()
      .filter((name) => !own.includes(name))
      .flatMap(fieldsOf),
  );
  return own.flatMap(fieldsOf).filter((field) => !elsewhere.has(field) && !EVERYDAY.has(field));
}

/** What stands for a kind in a source, as patterns of whole words. */
function wordsOf(facts: KindFacts): string[] {
  const { plural, kind, apiVersion } = facts.resource;
  const isOfTheLoop = facts.isOwnerless || apiVersion === 'v1';
  const resource = isOfTheLoop ? [] : [kind, `'${plural}'`, plural.toUpperCase(), `'${apiVersion}'`, ...ownFields(facts)];
  return [facts.kind, ...resource, ...facts.repeatedReasons];
}

const METRICS = UPSTREAM_METRICS.map(({ name }) => name);
const PATTERN = new RegExp(
  [...new Set([...ALL_FACTS.flatMap(wordsOf), ...METRICS])]
    .map((word) => word.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
    .map((word) => (word.startsWith("'") ? word : `(?<![\\w-])${word}(?![\\w-])`))
    .join('|'),
  'g',
);

const withoutComments = (text: string): string => text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(?<![:'"`])\/\/.*$/gm, '');

const sources = globSync(['lib/**/*.ts', 'functions/**/*.ts'], { cwd: root }).filter((file) => !AT_HOME.test(file));

/** `file: the words it names`. */
const named = sources.toSorted().flatMap((file) => {
  const found = new Set(withoutComments(readFileSync(join(root, file), 'utf8')).match(PATTERN) ?? []);
  return found.size === 0 ? [] : [`${file}: ${[...found].toSorted().join(' ')}`];
});

test('a kind is a folder and a line in each table: nobody else names it', () => {
  expect(sources.length).toBeGreaterThan(200);
  expect(named).toEqual([]);
});
