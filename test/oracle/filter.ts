// A process that answers each line of JSON with one of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

interface Filtered<Answer> {
  /** By the text of their ids. */
  answers: Map<string, Answer>;
  code: number | null;
  /** Lines that are no JSON. */
  unreadable: string[];
}

/** @param shell whether the command is a line for the shell */
export async function filter<Answer extends { id?: unknown }>(
  command: string,
  args: readonly string[],
  shell: boolean,
  lines: readonly string[],
): Promise<Filtered<Answer>> {
  const child = spawn(command, args, { shell, stdio: ['pipe', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  // A process that ended early is told of by its exit code, not by what it did not read.
  child.stdin.on('error', () => undefined);
  const feed = async (): Promise<void> => {
    for (const line of lines) if (!child.stdin.write(`${line}\n`)) await Promise.race([once(child.stdin, 'drain'), closed]);
    child.stdin.end();
  };
  const feeding = feed().catch(() => undefined);
  const answers = new Map<string, Answer>();
  const unreadable: string[] = [];
  for await (const line of createInterface({ input: child.stdout, crlfDelay: Infinity })) {
    if (line.trim() === '') continue;
    try {
      const answer = JSON.parse(line) as Answer;
      answers.set(String(answer.id), answer);
    } catch {
      unreadable.push(line);
    }
  }
  await feeding;
  const [code] = (await closed) as [number | null];
  return { answers, code, unreadable };
}
