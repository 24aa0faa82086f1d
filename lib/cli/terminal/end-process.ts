// The end of a process whose heap was kept small.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Ends the process with `process.exitCode`. Node may hang for ever at its end: it waits for its compilers, and these wait, on threads of
 * their own, for a collection that only the main thread could make (nodejs/node#54918). The smaller a heap is kept, the more often. After a
 * collection, with room to grow, no compiler needs one. Takes some 10 ms for each 100 MB.
 */
export function endProcess(): never {
  setFlagsFromString('--heap-growing-percent=400');
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
  process.exit();
}
