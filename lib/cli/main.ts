// The command line's entry: what bin/farloop.js starts, in a checkout and as the bundle.
import { printProblem } from './output.ts';
import { runProgram } from './program.ts';

// A reader that has seen enough (`| head`) is no failure of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  printProblem(`farloop: standard output cannot be written: ${error.message}`);
  process.exit(1);
});
// Who does not read what went wrong loses lines, no more; a full disk below a log is no reason to end either.
process.stderr.on('error', () => {});

/** Resolves once all that was written so far has been taken; a reader that is gone has ended the process by then. */
const taken = async (stream: NodeJS.WriteStream): Promise<void> => {
  await new Promise<void>((resolve) => stream.write('', () => resolve()));
};

process.exitCode = await runProgram(process.argv.slice(2));
// A pipe holds 64 KiB: the rest waits here for as long as its reader takes.
await Promise.all([taken(process.stdout), taken(process.stderr)]);
// A connection that is still open (a kept-alive one, say) must not hold the prompt back.
process.exit();
