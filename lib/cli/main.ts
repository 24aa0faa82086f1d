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

process.exitCode = await runProgram(process.argv.slice(2));
// Whatever is still open now (a kept-alive connection, say) must not hold the prompt back.
setTimeout(() => process.exit(), 200).unref();
