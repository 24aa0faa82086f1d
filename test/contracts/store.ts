// What every Store promises.
import { describe, expect, test } from '@jest/globals';
import { costsContract } from './store/costs.ts';
import { damageContract } from './store/damage.ts';
import { headsContract } from './store/heads.ts';
import { indexesContract } from './store/indexes.ts';
import { notesContract } from './store/notes.ts';
import { summariesContract } from './store/summaries.ts';
import { viewItemsContract } from './store/view-items.ts';
import type { StoreDifferences, StoreUnderTest } from './store/workloads.ts';

export function storeContract(name: string, open: () => Promise<StoreUnderTest>, differences: StoreDifferences = {}): void {
  describe(`store contract: ${name}`, () => {
    for (const [difference, why] of Object.entries(differences)) test(`differs: ${difference}: ${why}`, () => expect(why).not.toBe(''));
    headsContract(open);
    viewItemsContract(open);
    indexesContract(open);
    notesContract(open);
    summariesContract(open);
    damageContract(open);
    costsContract(open);
  });
}
