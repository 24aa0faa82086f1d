// Names from outside that every object inherits (`constructor`, `toString`) are names like any other: no table finds anything under them.
import { expect, test } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { explainConnectionFault } from '../../lib/adapters/kubernetes/connection-faults.ts';
import { withPodDefaults } from '../../lib/admission/pod/pod-defaults.ts';
import { ownEntry } from '../../lib/objects/values/untyped-fields.ts';
import { KIND_FACTS } from '../../lib/kinds/facts.ts';
import { aJob } from '../kinds/job/builders.ts';

const INHERITED = ['constructor', 'toString', 'hasOwnProperty', '__proto__', 'valueOf'];

test('a table says nothing of them', () => {
  for (const name of INHERITED) expect(ownEntry({ known: 1 }, name)).toBeUndefined();
  expect(ownEntry({ constructor: 1 }, 'constructor')).toBe(1);
});

test('a priority class of such a name has no priority of its own', () => {
  for (const priorityClassName of INHERITED) {
    const pod = withPodDefaults({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a' },
      spec: { containers: [{ name: 'main', image: 'a' }], priorityClassName },
    });
    expect(pod.spec).toMatchObject({ priority: 0 });
  }
});

test('a selector by such a label leads to no selection beside it', () => {
  for (const label of INHERITED) {
    const job = aJob({ manualSelector: true, selector: { matchLabels: Object.fromEntries([[label, 'x']]) } });
    expect(KIND_FACTS.Job.pods.strayedSelection?.({ cluster: 'c', kind: 'Job', namespace: 'n', name: 'a', uid: 'u' }, job)).toBeUndefined();
  }
});

test('a fault of such a name is told in its own words', () => {
  for (const code of INHERITED) expect(explainConnectionFault(Object.assign(new Error('broken'), { code }))).toBe(`broken (${code})`);
});

test('no table of plain texts is asked for a name that it may inherit', () => {
  const lib = join(import.meta.dirname, '../../lib');
  const found: string[] = [];
  for (const file of globSync('**/*.{ts,tsx}', { cwd: lib })) {
    const text = readFileSync(join(lib, file), 'utf8');
    // A constant in capitals, or one typed as a record by text, that is indexed by something that is no literal.
    const tables = [...text.matchAll(/^(?:export )?const (\w+): (?:Readonly<)?(?:Partial<)?Record<string, [^=]*= \{$/gm)].map(
      ([, name]) => name ?? '',
    );
    for (const table of tables)
      for (const [use] of text.matchAll(new RegExp(`(?<![\\w.])${table}\\[[a-z][^\\]]*\\]`, 'g'))) found.push(`${file}: ${use}`);
  }
  expect(found.toSorted()).toEqual(KNOWN_NAMES);
});

/** Looked up by names of our own tables, by codes of the system, or by what a pattern has let through. */
const KNOWN_NAMES = [
  "adapters/embedded/state-folder.ts: WHY[systemCodeOf(error) ?? '']",
  'admission/volume/storage-volume-validation.ts: iscsiNames[name.slice(0, 3)]',
  'cli/manifests/manifest-files.ts: WHY[textOf(code)]',
  "node-api/unread-request.ts: ANSWERS[error.code ?? '']",
  'sandbox/cel/functions/format.ts: clauses[letter]',
  'sandbox/cel/functions/format.ts: superscripts[digit]',
  'sandbox/cel/functions/strings.ts: escapes[character]',
  'sandbox/cel/functions/time.ts: unitNanos[unit]',
  'sandbox/discovery/openapi-schemas.ts: wellKnown[name]',
  'sandbox/nodes/node-dialer.ts: refusals[code]',
  'sandbox/schema/notation.ts: scalars[text]',
  'sandbox/schema/notation.ts: sources[name]',
];
