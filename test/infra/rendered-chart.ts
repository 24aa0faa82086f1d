// What Helm and kustomize make of the relay's chart and base, which ask no more of them than is done here.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load, loadAll } from 'js-yaml';
import type { Manifest } from '../../lib/onboarding/relay-manifests.ts';

export const RELAY_FOLDER = join(import.meta.dirname, '..', '..', 'infra', 'relay');

/**
 * Helm puts texts in: values, and the release's namespace; and leaves out what is for another value than the one given, or for words that
 * --manage does not have.
 * @throws Error for what a template asks for beyond that, and for a value that is required and missing
 */
export function renderChart(values: Record<string, string | number | string[]>, namespace: string): Manifest[] {
  const templates = globSync('*', { cwd: join(RELAY_FOLDER, 'chart', 'templates') }).toSorted();
  return templates.flatMap((name) => {
    const template = readFileSync(join(RELAY_FOLDER, 'chart', 'templates', name), 'utf8');
    const words = String(values['manage'] ?? '').split(',');
    const nodes = Array.isArray(values['virtualNodes']) ? values['virtualNodes'] : [];
    const managed = template.replaceAll(/^\{\{ if or (.*) \}\}\n([^]*?)^\{\{ end \}\}\n/gm, (_whole, when: string, text: string) =>
      [...when.matchAll(/\(has "([\w-]+)" \(splitList "," \.Values\.manage\)\)/g)].some(([, word = '']) => words.includes(word))
        ? text
        : '',
    );
    const listed = managed
      .replaceAll(/^\{\{ range \.Values\.virtualNodes \}\}\n(.*\n)\{\{ end \}\}\n/gm, (_whole, line: string) =>
        nodes.map((node) => line.replace('{{ . }}', node).replace('{{ index (splitList "=" .) 0 }}', node.split('=')[0] ?? '')).join(''),
      )
      .replaceAll(/^\{\{ if \.Values\.virtualNodes \}\}\n([^]*?)^\{\{ end \}\}\n/gm, (_whole, text: string) =>
        nodes.length > 0 ? text : '',
      );
    const chosen = listed.replaceAll(
      /^\{\{ if eq \.Values\.(\w+) "(\w+)" \}\}\n([^]*?)^\{\{ end \}\}\n/gm,
      (_whole, value: string, wanted: string, text: string) => (values[value] === wanted ? text : ''),
    );
    const rendered = chosen.replaceAll(/\{\{ (.*?) \}\}/g, (whole, expression: string) => {
      if (expression === '.Release.Namespace') return namespace;
      const [, number, list = ''] = /^add (\d+) \(len \.Values\.(\w+)\)$/.exec(expression) ?? [];
      if (number !== undefined) return String(Number(number) + (values[list] as unknown[]).length);
      const [, message, key = ''] = /^(?:required "([^"]*)" )?\.Values\.(\w+)$/.exec(expression) ?? [];
      const value = values[key];
      if (value === undefined || (message !== undefined && value === '')) throw new Error(message ?? `what does ${whole} mean?`);
      return String(value);
    });
    return rendered.trim() === '' ? [] : (loadAll(rendered) as (Manifest | null)[]).filter((manifest) => manifest !== null);
  });
}

interface Kustomization {
  resources: string[];
  patches?: { target: { kind: string; name: string }; patch: string }[];
}

/** @param folder below infra/relay. @throws Error where a patch does not fit */
export function kustomized(folder: string): Manifest[] {
  const read = (name: string): string => readFileSync(join(RELAY_FOLDER, folder, name), 'utf8');
  const { resources, patches = [] } = load(read('kustomization.yaml')) as Kustomization;
  const manifests = resources.flatMap((name) =>
    name.endsWith('.yaml') ? (loadAll(read(name)) as Manifest[]) : kustomized(join(folder, name)),
  );
  for (const { target, patch } of patches)
    for (const manifest of manifests.filter(({ kind, metadata }) => kind === target.kind && metadata.name === target.name))
      for (const operation of load(patch) as { op: string; path: string; value: string }[]) patched(manifest, operation);
  return manifests;
}

function patched(manifest: Manifest, { op, path, value }: { op: string; path: string; value: string }): void {
  const steps = path.split('/').slice(1);
  const last = steps.pop() ?? '';
  const parent = steps.reduce<Record<string, unknown>>((at, step) => at[step] as Record<string, unknown>, manifest);
  if (op === 'test' && parent[last] !== value) throw new Error(`${path} is ${String(parent[last])}, not ${value}`);
  if (op === 'replace') parent[last] = value;
}
