// The IAM user of a relay: which of its keys is good.
import { IAMClient } from '@aws-sdk/client-iam';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { SenderIdentities } from '../../../lib/adapters/sqs/sender-identities.ts';

let client: IAMClient;
/** What IAM was asked to delete. */
let deleted: unknown[];

beforeEach(() => {
  deleted = [];
  client = new IAMClient({ region: 'eu-central-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } });
  client.middlewareStack.add(
    (_next, { commandName = '' }) =>
      async ({ input }) => {
        if (commandName === 'DeleteAccessKeyCommand') deleted.push(Reflect.get(input, 'AccessKeyId'));
        const listed = ['Active', 'Inactive'].map((Status) => ({ AccessKeyId: `AKIA${Status.toUpperCase()}`, Status }));
        const made = { AccessKeyId: 'AKIANEW', SecretAccessKey: 'secret' };
        const answer = commandName === 'ListAccessKeysCommand' ? { AccessKeyMetadata: listed } : { AccessKey: made };
        return { response: {}, output: { $metadata: {}, ...answer } };
      },
    { step: 'initialize', priority: 'high' },
  );
});
afterEach(() => client.destroy());

test('a key that was made inactive is none that AWS takes, though it is there', async () => {
  const senders = new SenderIdentities(client);
  expect(await senders.takesKey('relay', 'AKIAACTIVE')).toBe(true);
  expect(await senders.takesKey('relay', 'AKIAINACTIVE')).toBe(false);
  expect(await senders.takesKey('relay', 'AKIAOTHER')).toBe(false);
});

test('replaced, keys of both kinds go: IAM gives a user no third one', async () => {
  expect(await new SenderIdentities(client).replaceKeys('relay')).toEqual({ accessKeyId: 'AKIANEW', secretAccessKey: 'secret' });
  expect(deleted).toEqual(['AKIAACTIVE', 'AKIAINACTIVE']);
});
