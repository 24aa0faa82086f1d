// Above what was asked for: from when it is, a way to ask again, and why the latest try has failed.
import type { Asked } from '../state/asked.ts';
import { Loading, Trouble } from './notices.tsx';
import { clockText } from './times.tsx';

interface AskedBarProps {
  asked: Pick<Asked<unknown>, 'data' | 'problem' | 'isAsking' | 'atMs' | 'again'>;
  /** Continues "… cannot be shown". */
  thing: string;
}

export function AskedBar({ asked: { data, problem, isAsking, atMs, again }, thing }: AskedBarProps) {
  return (
    <>
      {problem !== undefined && (
        <Trouble>
          {thing} cannot be shown{data !== undefined && ' anew; what stands here is from before'}: {problem}
        </Trouble>
      )}
      {data === undefined && isAsking && <Loading />}
      <p class="soft asked">
        {atMs !== undefined && `As of ${clockText(atMs)}. `}
        <button type="button" disabled={isAsking} onClick={again}>
          {isAsking ? 'Asked …' : 'Ask again'}
        </button>
      </p>
    </>
  );
}
