// What every Queue promises: SQS semantics, as far as Farloop leans on them.
import { describe, expect, test } from '@jest/globals';
import { deadLettersContract } from './queue/dead-letters.ts';
import { groupsContract } from './queue/groups.ts';
import { messagesContract } from './queue/messages.ts';
import type { QueueDifferences, QueueUnderTest } from './queue/receiving.ts';

export function queueContract(name: string, open: () => Promise<QueueUnderTest>, differences: QueueDifferences = {}): void {
  describe(`queue contract: ${name}`, () => {
    for (const [difference, why] of Object.entries(differences)) test(`differs: ${difference}: ${why}`, () => expect(why).not.toBe(''));
    messagesContract(open, differences);
    groupsContract(open, differences);
    deadLettersContract(open);
  });
}
