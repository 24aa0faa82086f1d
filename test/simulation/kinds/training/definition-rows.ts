// The sandbox's rows of the training kinds, from their definitions.
import { trainingDefinitions } from '../../../../infra/crds/training-definitions.ts';
import type { ApiObject } from '../../../../lib/sandbox/api-object.ts';
import { definitionIn, namesIn } from '../../../../lib/sandbox/definitions/definition.ts';
import { rowsOf } from '../../../../lib/sandbox/definitions/rows.ts';
import type { ResourceRow } from '../../../../lib/sandbox/rows/resource-row.ts';

const rows = new Map<string, readonly ResourceRow[]>();

/** Made once: a schema is large. @throws Error for another kind */
export function rowsOfKind(kind: string): readonly ResourceRow[] {
  const known = rows.get(kind);
  if (known) return known;
  const definition = (trainingDefinitions() as unknown as ApiObject[]).find(
    ({ spec = {} }) => namesIn(fieldsIn(spec['names'])).kind === kind,
  );
  if (!definition) throw new Error(`there is no definition of ${kind}`);
  const made = rowsOf(definitionIn(definition, namesIn(fieldsIn(definition.spec?.['names'])), () => false));
  rows.set(kind, made);
  return made;
}

const fieldsIn = (names: unknown): Record<string, unknown> => names as Record<string, unknown>;
