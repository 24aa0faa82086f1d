// Answers that somebody asks for: what a cluster is asked on the way is asked once, and again when wanted or now and then, not each second.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { readOnce, readRaw } from './call.ts';
import { pausedAtMs } from './freshness.ts';
import { patched } from './patched.ts';

export interface Asked<Data> {
  /** The latest answer, also while it is asked again and when that fails. */
  data?: Data;
  /** Why the latest try has failed. */
  problem?: string;
  isAsking: boolean;
  /** When the answer came. */
  atMs?: number;
  again: () => void;
}

interface AskedOptions {
  /** How often it is asked by itself, while somebody looks. Absent: once. */
  everyMs?: number;
  /** Texts as they are, for parts that show them safely themselves. */
  isRaw?: true;
}

type Held<Data> = Omit<Asked<Data>, 'again'>;

export function useAsked<Data extends object>(path: string, { everyMs, isRaw }: AskedOptions = {}): Asked<Data> {
  const [held, setHeld] = useState<Held<Data>>({ isAsking: true });
  const [round, setRound] = useState(0);
  const before = useRef<string>(undefined);
  useEffect(() => {
    const stopping = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const isNew = before.current !== path;
    before.current = path;
    setHeld((last) => (isNew ? { isAsking: true } : { ...last, isAsking: true }));
    const note = (change: (last: Held<Data>) => Held<Data>): void => {
      if (stopping.signal.aborted) return;
      setHeld(change);
      if (everyMs !== undefined) timer = setTimeout(next, everyMs);
    };
    const next = (): void => {
      if (document.hidden || pausedAtMs.value !== undefined) timer = setTimeout(next, everyMs);
      else setRound((last) => last + 1);
    };
    const look = isRaw ? readRaw<Data> : readOnce<Data>;
    look(path, stopping.signal).then(
      (data) => note((last) => ({ isAsking: false, atMs: Date.now(), data: patched(last.data, data) })),
      (error: unknown) =>
        note(({ problem: _problem, ...last }) => ({
          ...last,
          isAsking: false,
          problem: error instanceof Error ? error.message : String(error),
        })),
    );
    return () => {
      stopping.abort();
      clearTimeout(timer);
    };
  }, [path, round]);
  return { ...held, again: useCallback(() => setRound((last) => last + 1), []) };
}
