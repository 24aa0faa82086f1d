// The sandbox's rows of the training kinds, from their definitions.
import { trainingDefinitions } from '../../../../infra/crds/training-definitions.ts';
import type { ApiObject } from '../../../../lib/sandbox/objects/api-object.ts';
import { definitionIn, namesIn } from '../../../../lib/sandbox/definitions/definition.ts';
import { rowsOf } from '../../../../lib/sandbox/definitions/rows.ts';
import type { ResourceRow } from '../../../../lib/sandbox/rows/resource-row.ts';

const rows = new Map<string, readonly ResourceRow[]>();

/** Made once: a schema is large. @param change of the definition's spec, for one of its own. @throws Error for another kind */
export function rowsOfKind(kind: string, change?: (spec: Record<string, unknown>) => void): readonly ResourceRow[] {
  const known = rows.get(kind);
  if (known && !change) return known;
  const definition = (trainingDefinitions() as unknown as ApiObject[]).find(
    ({ spec = {} }) => namesIn(fieldsIn(spec['names'])).kind === kind,
  );
  if (!definition) throw new Error(`there is no definition of ${kind}`);
  change?.(fieldsIn(definition.spec));
  const made = rowsOf(definitionIn(definition, namesIn(fieldsIn(definition.spec?.['names'])), () => false));
  if (!change) rows.set(kind, made);
  return made;
}

const fieldsIn = (names: unknown): Record<string, unknown> => names as Record<string, unknown>;
