// The packaged templates before the linter of AWS.
import { expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lintTemplate } from '../peers/peer.ts';
import { packageInto } from './packaged.ts';

test('the linter of AWS has nothing to say of the templates', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'farloop-lint-'));
  try {
    await packageInto(folder, ['--stage', 'prod']);
    for (const name of ['create', 'update']) expect(lintTemplate(join(folder, `cloudformation-template-${name}-stack.json`))).toBe('');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 900_000);
