// A sandbox of its own process, for figures of it alone. It tells where it is on its first line, and ends with its input.
import { startSandbox } from '../../../lib/sandbox/sandbox.ts';

const { url, caPem, token, stop } = await startSandbox();
console.log(JSON.stringify({ url, caPem, token }));
process.stdin.resume().on('end', () => {
  stop().catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
});
