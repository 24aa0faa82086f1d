// `farloop dlq`: messages that nobody could read, the way back for them, and the way out.
import { Command, Option } from 'commander';
import type { PlannedLetters } from '../../api/dead-letter-plan.ts';
import type { DeadLetterSummary, QueueFailure } from '../../api/queues.ts';
import type { ApiClient } from '../instance/api-client.ts';
import { connectToInstance, endpointOption } from '../instance/api-client.ts';
import { confirmAtTerminal } from '../terminal/confirm.ts';
import { withWords } from '../terminal/completion-hints.ts';
import { FailedError } from '../terminal/exit.ts';
import { stateOption } from '../instance/instance-file.ts';
import type { OutputFormat } from '../terminal/output.ts';
import { outputOption, print, printLine, tableText } from '../terminal/output.ts';

/** Queues that did not answer, or are not done, are reported after the others. */
interface OfQueues {
  failed?: QueueFailure[];
}

interface DeadLetterOptions {
  queue?: string;
  dryRun?: true;
  yes?: boolean;
  output: OutputFormat;
  state?: string;
  endpoint?: string;
}

/** Characters of a body in a table. */
const SHOWN_CHARACTERS = 40;
/** Ids of dead letters in a sentence. */
const NAMED_LETTERS = 5;

const queueOption = (): Option =>
  withWords(new Option('--queue <name>', 'only those of events, wakes, timers or relay-CLUSTER'), ['events', 'wakes', 'timers']);

export function deadLettersCommand(): Command {
  const command = new Command('dlq')
    .description('Show messages that could not be handled, send them back, or drop them.')
    .addHelpText('after', '\nExample:\n  farloop dlq list');
  command
    .command('list')
    .description('Show dead letters. Looking at them changes nothing.')
    .addOption(queueOption())
    .addOption(outputOption())
    .addOption(endpointOption())
    .addOption(stateOption())
    .addHelpText('after', '\nExample:\n  farloop dlq list --queue events -o json')
    .action(async ({ queue, output, state, endpoint }: DeadLetterOptions) => {
      const answer = await connectToInstance({ state, endpoint }).get<OfQueues & { items: DeadLetterSummary[] }>(
        `/v1/dead-letters${queryOf(queue, { limit: '1000' })}`,
      );
      await print(answer, output, ({ items }) =>
        items.length === 0
          ? 'no dead letters'
          : `${tableText(
              ['QUEUE', 'MESSAGE ID', 'SENT', 'BYTES', 'WHAT IS WRONG', 'BODY'],
              items.map(({ queue: name, messageId, sentTime, bytes, problem, body }) => [
                name,
                messageId,
                sentTime,
                String(bytes),
                problem,
                shortened(body),
              ]),
            )}\n\nfarloop dlq redrive MESSAGE-ID... sends them back; without an id, all of them\nfarloop dlq drop MESSAGE-ID... deletes them, and says before what is lost`,
      );
      failWith(answer, 'looked at', queue);
    });
  command
    .command('redrive')
    .description('Send dead letters back to their queues: all, or those named. Safe to repeat at any age.')
    .argument('[message-ids...]', 'as dlq list shows them')
    .addOption(queueOption())
    .option('--dry-run', 'print what would go back, and do nothing')
    .addOption(outputOption())
    .addOption(endpointOption())
    .addOption(stateOption())
    .addHelpText('after', '\nExample:\n  farloop dlq redrive')
    .action(async (messageIds: string[], { queue, dryRun, output, state, endpoint }: DeadLetterOptions) => {
      const api = connectToInstance({ state, endpoint });
      const path = `/v1/dead-letters/redrive${queryOf(queue)}`;
      if (dryRun) {
        const answer = await api.post<Planned>(path, { ...(messageIds.length > 0 && { messageIds }), dryRun: true });
        await print(answer, output, ({ planned }) => planned.text.join('\n'));
        return failWith(answer, 'looked at', queue);
      }
      if (messageIds.length === 0) {
        const answer = await api.post<OfQueues & { redriven: number }>(path, {});
        await print(answer, output, () => `${answer.redriven} sent back`);
        return failWith(answer, 'redriven', queue);
      }
      const known = await idsOf(api, queue);
      const answer = await api.post<OfQueues & { redriven: number }>(path, { messageIds });
      const missing = [...new Set(messageIds)].filter((id) => !known.includes(id));
      const isAllThere = answer.redriven >= new Set(messageIds).size;
      if (answer.redriven > 0 || isAllThere) await print(answer, output, () => `${answer.redriven} sent back`);
      if (!isAllThere) failWith(answer, 'redriven', queue);
      if (!isAllThere && missing.length > 0)
        throw new FailedError(
          absenceOf(
            missing,
            queue,
            known.filter((id) => !messageIds.includes(id)),
          ),
        );
      return undefined;
    });
  command
    .command('drop')
    .description('Delete dead letters: all that there are now, or those named. It says before what is lost, and asks.')
    .argument('[message-ids...]', 'as dlq list shows them')
    .addOption(queueOption())
    .option('-y, --yes', 'do it without asking')
    .option('--dry-run', 'print what would be lost, and do nothing')
    .addOption(outputOption())
    .addOption(endpointOption())
    .addOption(stateOption())
    .addHelpText('after', '\nExamples:\n  farloop dlq drop --queue events --dry-run\n  farloop dlq drop --queue events --yes')
    .action(async (messageIds: string[], options: DeadLetterOptions) => {
      await drop(connectToInstance(options), messageIds, options);
    });
  return command;
}

interface Planned extends OfQueues {
  planned: PlannedLetters;
}

/** The API takes so many ids at once. */
const IDS_AT_ONCE = 1_000;

/** The letters that were told before go, and no others: those that come in the meantime stay. */
async function drop(api: ApiClient, named: readonly string[], { queue, dryRun, yes = false, output }: DeadLetterOptions): Promise<void> {
  const path = `/v1/dead-letters/drop${queryOf(queue)}`;
  const answer = await api.post<Planned>(path, { ...(named.length > 0 && { messageIds: named }), dryRun: true });
  const { text, button, messageIds } = answer.planned;
  const missing = [...new Set(named)].filter((id) => !messageIds.includes(id));
  if (missing.length > 0 && answer.failed === undefined) {
    const known = await idsOf(api, queue);
    throw new FailedError(
      absenceOf(
        missing,
        queue,
        known.filter((id) => !named.includes(id)),
      ),
    );
  }
  if (dryRun || messageIds.length === 0) {
    await print(answer, output, () => text.join('\n'));
    return failWith(answer, 'looked at', queue);
  }
  if (output === 'text') for (const line of text) printLine(line);
  await confirmAtTerminal(button, { isSure: yes });
  const failed: QueueFailure[] = [];
  let dropped = 0;
  for (let first = 0; first < messageIds.length; first += IDS_AT_ONCE) {
    const ids = messageIds.slice(first, first + IDS_AT_ONCE);
    const part = await api.post<OfQueues & { dropped: number }>(path, { messageIds: ids });
    dropped += part.dropped;
    failed.push(...(part.failed ?? []));
  }
  const done = { dropped, ...(failed.length > 0 && { failed }) };
  await print(done, output, () => `${dropped} dropped`);
  failWith(done, 'dropped', queue);
}

/**
 * @param only the queue that alone was asked
 * @throws FailedError where a queue did not answer, or not all of it was done in time
 */
function failWith({ failed = [] }: OfQueues, done: string, only: string | undefined): void {
  if (failed.length === 0) return;
  const told = failed.map(({ queue, reason }) => `${queue} (${reason})`).join(', ');
  throw new FailedError(`not all ${done}: ${told}${only === undefined ? '; the other queues were' : ''}`);
}

async function idsOf(api: ApiClient, queue: string | undefined): Promise<string[]> {
  const { items } = await api.get<{ items: DeadLetterSummary[] }>(`/v1/dead-letters${queryOf(queue, { limit: '1000' })}`);
  return items.map(({ messageId }) => messageId);
}

/** @param left ids of the dead letters that there are */
function absenceOf(missing: readonly string[], queue: string | undefined, left: readonly string[]): string {
  const where = queue === undefined ? '' : ` in the queue ${queue}`;
  const named = left.slice(0, NAMED_LETTERS).join(', ');
  const there =
    left.length === 0
      ? 'there are none now'
      : `there ${left.length === 1 ? 'is' : 'are'} ${named}${left.length > NAMED_LETTERS ? ` and ${left.length - NAMED_LETTERS} more` : ''}; see farloop dlq list`;
  return `no dead letter has the id ${missing.join(', ')}${where}: ${there}`;
}

function queryOf(queue: string | undefined, rest: Record<string, string> = {}): string {
  const query = new URLSearchParams({ ...rest, ...(queue !== undefined && { queue }) });
  return query.size === 0 ? '' : `?${query.toString()}`;
}

/** As much as a table has room for. */
const shortened = (body: string): string => (body.length > SHOWN_CHARACTERS ? `${body.slice(0, SHOWN_CHARACTERS)}…` : body);
