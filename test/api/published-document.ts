// The description of the API as it is published with the docs. `node test/api/published-document.ts` writes it anew.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument } from '../../lib/api/routes/route-table.ts';

export const PUBLISHED = 'docs/openapi.json';

export const documentText = (document: object): string => `${JSON.stringify(document, null, 2)}\n`;

if (process.argv[1] === import.meta.filename)
  writeFileSync(join(import.meta.dirname, '../..', PUBLISHED), documentText(await openApiDocument()));
