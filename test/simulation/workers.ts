// Shares of a long run in processes of their own, so that two cores are used.
import { spawn } from 'node:child_process';

/** Runs the file once per part, at the same time. @returns what each printed last, as JSON @throws Error when one of them fails */
export async function inParallelProcesses<Answer>(file: string, parts: readonly object[], args: readonly string[] = []): Promise<Answer[]> {
  return await Promise.all(parts.map((part) => runPart<Answer>(file, JSON.stringify(part), args)));
}

/** Runs are short and leave nothing behind: a wide nursery, and no threads that would take the other process's core. */
export const COLLECTION = ['--max-semi-space-size=64', '--single-threaded-gc'];

async function runPart<Answer>(file: string, part: string, args: readonly string[]): Promise<Answer> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...COLLECTION, file, ...args], {
    env: { ...process.env, SIMULATION_PART: part },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (text: string) => (output += text));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  if (code !== 0) throw new Error(`${file} ended with ${code}: ${output.slice(-2_000)}`);
  return JSON.parse(output.trim().split('\n').at(-1) ?? '') as Answer;
}
