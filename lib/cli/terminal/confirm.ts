// Asks a person at the terminal before something is done. Where nobody sits at it, nothing is done without --yes.
import { createInterface } from 'node:readline/promises';
import { shownText } from '../../objects/values/shown-text.ts';
import { FailedError, UsageError } from './exit.ts';

/**
 * @param verb as a button would say it, as in `Delete 3 pods`
 * @param options.name to be typed, where so much goes; else yes will do
 * @throws UsageError nobody can be asked; FailedError nothing is done
 */
export async function confirmAtTerminal(
  verb: string,
  { isSure, name }: { isSure: boolean; name?: string | undefined },
  { input, output }: { input: NodeJS.ReadStream; output: NodeJS.WriteStream } = { input: process.stdin, output: process.stderr },
): Promise<void> {
  if (isSure) return;
  if (!input.isTTY) throw new UsageError('nothing was done: nobody can be asked here, so say --yes, or --dry-run to see what would happen');
  const question = name === undefined ? `${verb}? [y/N] ` : `${verb}? Type ${name} to go on: `;
  const lines = createInterface({ input, output });
  try {
    const answer = (await lines.question(shownText(question))).trim();
    if (name === undefined ? /^y(es)?$/i.test(answer) : answer === name) return;
  } finally {
    lines.close();
  }
  throw new FailedError('nothing was done');
}
