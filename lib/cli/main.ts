// The command line's entry: what bin/farloop.js starts, in a checkout and as the bundle.
import { endProcess } from './terminal/end-process.ts';
import { printProblem } from './terminal/output.ts';
import { runProgram } from './program.ts';

// A reader that has seen enough (`| head`) is no failure of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  printProblem(`farloop: standard output cannot be written: ${error.message}`);
  process.exit(1);
});
// Who does not read what went wrong loses lines, no more; a full disk below a log is no reason to end either.
process.stderr.on('error', () => {});

/** Commands that run until they are told to end: then a reader that reads no more must not keep them. */
const RUNS_UNTIL_TOLD = new Set(['up', 'sandbox', 'node', 'relay']);
const PATIENCE_MS = 500;

/** Resolves once all that was written so far has been taken; a reader that is gone has ended the process by then. */
const taken = async (stream: NodeJS.WriteStream): Promise<void> => {
  await new Promise<void>((resolve) => stream.write('', () => resolve()));
};

const args = process.argv.slice(2);
process.exitCode = await runProgram(args);
const ranUntilTold = RUNS_UNTIL_TOLD.has(args[0] ?? '');
if (ranUntilTold) setTimeout(endProcess, PATIENCE_MS).unref();
// A pipe holds 64 KiB: the rest waits here for as long as its reader takes.
await Promise.all([taken(process.stdout), taken(process.stderr)]);
// A connection that is still open (a kept-alive one, say) must not hold the prompt back.
if (ranUntilTold) endProcess();
process.exit();
