// A client of SQS without a wire: what SQS would answer, the test says.
import { SQSClient } from '@aws-sdk/client-sqs';

/** @param answer to a command by its name, `GetQueueUrlCommand`; whatever it throws, SQS refuses with */
export function wirelessSqs(answer: (commandName: string, input: object) => object): SQSClient {
  const client = new SQSClient({ region: 'eu-central-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } });
  client.middlewareStack.add(
    (_next, { commandName = '' }) =>
      async ({ input }) => ({ response: {}, output: { $metadata: {}, ...answer(commandName, input) } }),
    { step: 'initialize', priority: 'high' },
  );
  return client;
}
