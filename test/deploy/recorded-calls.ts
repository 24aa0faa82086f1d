// Between those who call AWS and the emulator: passes every call on and notes who made it, what it was and on what.
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request } from 'node:http';

/** What the emulator says of the sender of every message; on AWS it is the unique id of the relay's user or role, as IAM tells it. */
export const SENDER = '000000000000';
export const SENDER_STAND_IN = `stand-in: the emulator calls every sender of a message ${SENDER}, so IAM and the stack are made to tell that id of users and roles`;

export interface RecordedCall {
  accessKeyId: string;
  /** As IAM spells it: `dynamodb:GetItem`. */
  action: string;
  /** Name of the table, index, queue, log group or secret. */
  resource: string;
}

export interface CallRecorder {
  endpoint: string;
  calls: RecordedCall[];
  stop: () => Promise<void>;
}

const SERVICES: Record<string, string> = {
  DynamoDB_20120810: 'dynamodb',
  AmazonSQS: 'sqs',
  Logs_20140328: 'logs',
  secretsmanager: 'secretsmanager',
};

/** Calls on many messages at once need the right to the call on one. */
const ACTIONS: Record<string, string> = {
  SendMessageBatch: 'SendMessage',
  DeleteMessageBatch: 'DeleteMessage',
  ChangeMessageVisibilityBatch: 'ChangeMessageVisibility',
};

/** Listens where the emulator says it is: on 127.0.0.1, at the port at which it really listens on another address. */
export async function startCallRecorder(target: string): Promise<CallRecorder> {
  const calls: RecordedCall[] = [];
  const { port } = new URL(target);
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const body = await bodyOf(incoming);
    calls.push(...callsIn(incoming, body));
    // The host stays what was signed.
    const onward = request(`${target}${incoming.url ?? '/'}`, { method: incoming.method, headers: incoming.headers }, (response) => {
      const { statusCode = 502, headers } = response;
      if (!asksWhoSends(incoming, body)) {
        outgoing.writeHead(statusCode, headers);
        response.pipe(outgoing);
        return;
      }
      bodyOf(response).then(
        (told) => {
          const text = told
            .toString('utf8')
            .replaceAll(/<(UserId|RoleId)>[^<]*</g, `<$1>${SENDER}<`)
            .replaceAll(/<member>(?:(?!<\/member>)[^])*<OutputKey>ReconcileRoleId<[^]*?<\/member>/g, (output) =>
              output.replace(/<OutputValue>[^<]*</, `<OutputValue>${SENDER}<`),
            );
          outgoing.writeHead(statusCode, { ...headers, 'content-length': Buffer.byteLength(text) });
          outgoing.end(text);
        },
        () => outgoing.destroy(),
      );
    });
    onward.once('error', () => outgoing.destroy());
    onward.end(body);
  };
  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(Number(port), '127.0.0.1', resolve);
  });
  return {
    endpoint: `http://127.0.0.1:${port}`,
    calls,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Who is registered as the sender of a cluster, IAM tells in answer to these; whose commands its relay takes, the stack. */
const asksWhoSends = ({ headers }: IncomingMessage, body: Buffer): boolean =>
  String(headers['content-type']).startsWith('application/x-www-form-urlencoded') &&
  /(?:^|&)Action=(?:(?:Create|Get)(?:User|Role)|DescribeStacks)(?:&|$)/.test(body.toString('utf8'));

function callsIn({ headers }: IncomingMessage, body: Buffer): RecordedCall[] {
  const accessKeyId = /Credential=([^/]+)\//.exec(headers.authorization ?? '')?.[1] ?? '';
  const [prefix = '', operation = ''] = String(headers['x-amz-target'] ?? '').split('.');
  const service = SERVICES[prefix] ?? prefix;
  const action = `${service}:${ACTIONS[operation] ?? operation}`;
  let fields: Record<string, unknown> = {};
  try {
    fields = JSON.parse(body.toString('utf8')) as Record<string, unknown>;
  } catch {
    // Not JSON: no resource to tell.
  }
  return resourcesOf(fields).map((resource) => ({ accessKeyId, action, resource }));
}

function resourcesOf({
  TableName,
  IndexName,
  QueueUrl,
  SecretId,
  SourceArn,
  RequestItems,
  logGroupName,
}: Record<string, unknown>): string[] {
  if (typeof RequestItems === 'object' && RequestItems !== null) return Object.keys(RequestItems);
  if (typeof TableName === 'string') return [typeof IndexName === 'string' ? `${TableName}/index/${IndexName}` : TableName];
  if (typeof logGroupName === 'string') return [logGroupName];
  for (const named of [QueueUrl, SourceArn]) if (typeof named === 'string') return [named.split(/[/:]/).at(-1) ?? named];
  return [typeof SecretId === 'string' ? SecretId : ''];
}

/** Under which key a function calls: the emulator derives it from the function and its role. */
export const accessKeyOf = (functionArn: string, roleArn: string): string =>
  `ASIA${createHash('sha256').update(`${functionArn}:${roleArn}`).digest('hex').slice(0, 16).toUpperCase()}`;
