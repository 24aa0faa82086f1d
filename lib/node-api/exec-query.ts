// The query of a command in a container, as a kubelet takes it: of a stream only `1` says that it is wanted.
import { badRequest } from './refusal.ts';

export interface ExecQuery {
  command: readonly string[];
  stdin: boolean;
  stdout: boolean;
  stderr: boolean;
  tty: boolean;
}

/** @throws NodeRefusalError 400 */
export function execQueryOf(query: URLSearchParams): ExecQuery {
  const isWanted = (name: string): boolean => query.get(name) === '1';
  const wanted = {
    command: query.getAll('command'),
    stdin: isWanted('input'),
    stdout: isWanted('output'),
    stderr: isWanted('error'),
    tty: isWanted('tty'),
  };
  if (wanted.tty && wanted.stderr) throw badRequest('cannot exec with tty and stderr');
  if (!wanted.stdin && !wanted.stdout && !wanted.stderr) throw badRequest('you must specify at least one of stdin, stdout, stderr');
  if (wanted.command.length === 0) throw badRequest('you must specify a command');
  return wanted;
}
