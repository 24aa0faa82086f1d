// Helm's part in the relay's chart, which asks no more of it than to put texts in: values, and the release's namespace.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import type { Manifest } from '../../lib/onboarding/relay-manifests.ts';

export const RELAY_FOLDER = join(import.meta.dirname, '..', '..', 'infra', 'relay');

/** @throws Error for what a template asks for beyond that, and for a value that is required and missing */
export function renderChart(values: Record<string, string | number>, namespace: string): Manifest[] {
  const template = readFileSync(join(RELAY_FOLDER, 'chart', 'templates', 'relay.yaml'), 'utf8');
  const rendered = template.replaceAll(/\{\{ (.*?) \}\}/g, (whole, expression: string) => {
    if (expression === '.Release.Namespace') return namespace;
    const [, message, name = ''] = /^(?:required "([^"]*)" )?\.Values\.(\w+)$/.exec(expression) ?? [];
    const value = values[name];
    if (value === undefined || (message !== undefined && value === '')) throw new Error(message ?? `what does ${whole} mean?`);
    return String(value);
  });
  return loadAll(rendered) as Manifest[];
}
