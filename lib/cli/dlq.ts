// `farloop dlq`: messages that nobody could read, and the way back for them.
import { Command } from 'commander';
import type { DeadLetterSummary } from '../api/queues.ts';
import { connectToInstance } from './api-client.ts';
import { stateOption } from './instance-file.ts';
import type { OutputFormat } from './output.ts';
import { outputOption, print, tableText } from './output.ts';

interface DeadLetterOptions {
  queue?: string;
  output: OutputFormat;
  state?: string;
}

/** Characters of a body in a table. */
const SHOWN_CHARACTERS = 60;

export function deadLettersCommand(): Command {
  const command = new Command('dlq')
    .description('Show messages that could not be handled, or send them back.')
    .addHelpText('after', '\nExample:\n  farloop dlq list');
  command
    .command('list')
    .description('Show dead letters. Looking at them changes nothing.')
    .option('--queue <name>', 'only those of events, wakes, timers or relay-CLUSTER')
    .addOption(outputOption())
    .addOption(stateOption())
    .addHelpText('after', '\nExample:\n  farloop dlq list --queue events -o json')
    .action(async ({ queue, output, state }: DeadLetterOptions) => {
      const { items } = await connectToInstance(state).get<{ items: DeadLetterSummary[] }>(
        `/v1/dead-letters${queryOf(queue, { limit: '1000' })}`,
      );
      await print({ items }, output, () =>
        items.length === 0
          ? 'no dead letters'
          : tableText(
              ['QUEUE', 'MESSAGE ID', 'SENT', 'BYTES', 'BODY'],
              items.map(({ queue: name, messageId, sentTime, bytes, body }) => [name, messageId, sentTime, String(bytes), shortened(body)]),
            ),
      );
    });
  command
    .command('redrive')
    .description('Send dead letters back to their queues: all, or those named. Safe to repeat at any age.')
    .argument('[message-ids...]', 'as dlq list shows them')
    .option('--queue <name>', 'only those of events, wakes, timers or relay-CLUSTER')
    .addOption(outputOption())
    .addOption(stateOption())
    .addHelpText('after', '\nExample:\n  farloop dlq redrive')
    .action(async (messageIds: string[], { queue, output, state }: DeadLetterOptions) => {
      const path = `/v1/dead-letters/redrive${queryOf(queue)}`;
      const answer = await connectToInstance(state).post<{ redriven: number }>(path, messageIds.length > 0 ? { messageIds } : {});
      await print(answer, output, () => `${answer.redriven} sent back`);
    });
  return command;
}

function queryOf(queue: string | undefined, rest: Record<string, string> = {}): string {
  const query = new URLSearchParams({ ...rest, ...(queue !== undefined && { queue }) });
  return query.size === 0 ? '' : `?${query.toString()}`;
}

/** On one line, control characters left away. */
function shortened(body: string): string {
  const line = body.replaceAll(/[\p{Cc}\s]+/gu, ' ');
  return line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS)}…` : line;
}
