// Passes, newest first: what each saw, decided and did. Neighbours that decided the same nothing fold into one line.
import { Loading, Trouble } from '../../parts/notices.tsx';
import { countText } from '../../parts/progress.tsx';
import { Tag } from '../../parts/state-word.tsx';
import { Clock } from '../../parts/times.tsx';
import { Command } from '../../parts/command.tsx';
import { address, apiPathOf, withQuery } from '../../state/address.ts';
import type { Items, ToldPass } from '../../state/answers.ts';
import { useAnswer } from '../../state/resource.ts';
import type { TabProps } from './tab.ts';

/** Nothing that failed, was refused or acted is ever inside a fold. */
const isQuiet = ({ actions, error, outcome }: ToldPass): boolean =>
  actions.length === 0 && error === undefined && ['converged', 'waiting', 'acted'].includes(outcome);

/** Neighbours, newest first; several only where all are quiet for the same reason. */
export function foldsOf(passes: readonly ToldPass[]): (readonly [ToldPass, ...ToldPass[]])[] {
  const folds: [ToldPass, ...ToldPass[]][] = [];
  for (const pass of passes) {
    const last = folds.at(-1);
    const [first] = last ?? [];
    const isAlike =
      first !== undefined &&
      isQuiet(first) &&
      isQuiet(pass) &&
      first.why.join('; ') === pass.why.join('; ') &&
      first.key.uid === pass.key.uid;
    if (last && isAlike) last.push(pass);
    else folds.push([pass]);
  }
  return folds;
}

export function Timeline({ named, workload }: TabProps) {
  const { query } = address.value;
  const index = /^\d{1,9}$/.exec(query.get('index') ?? '')?.[0];
  const asked = index === undefined ? 'limit=200' : `limit=1000&index=${index}`;
  const { data, problem } = useAnswer<Items<ToldPass>>(`${apiPathOf(named)}/passes?${asked}`);
  const isActionsOnly = query.get('show') === 'actions';
  const all = data?.items ?? [];
  const passes = isActionsOnly ? all.filter((pass) => !isQuiet(pass)) : all;
  return (
    <>
      {index !== undefined && (
        <p>
          Only passes that made, counted or removed pods of index {Number(index).toLocaleString('en')}, with those actions alone. Where
          several pods were counted in a row, the first stands for all. <a href={withQuery({ index: undefined })}>All passes</a>
        </p>
      )}
      <p class="counts">
        <a href={withQuery({ show: isActionsOnly ? undefined : 'actions' })}>
          {isActionsOnly ? 'Show every pass' : 'Show only passes that did something or failed'}
        </a>
      </p>
      {problem !== undefined && <Trouble>Passes cannot be shown: {problem}</Trouble>}
      {!data && problem === undefined && <Loading />}
      {data && passes.length === 0 && <p class="soft">{all.length === 0 ? 'No pass is recorded.' : 'None did anything.'}</p>}
      <ol class="timeline">
        {foldsOf(passes).map((fold) => {
          const oldest = fold.at(-1) ?? fold[0];
          // By its oldest: new passes enter the newest fold, which stays as it is.
          return fold.length === 1 ? (
            <Pass key={oldest.passId} pass={oldest} uid={workload.uid} />
          ) : (
            <li key={oldest.passId} class="fold">
              <details>
                <summary>
                  <Clock time={oldest.startTime} />–<Clock time={fold[0].startTime} />{' '}
                  {countText(fold.length, 'pass').replace(/passs$/, 'passes')} decided nothing
                  {oldest.why.length > 0 && `: ${oldest.why.join('; ')}`}
                </summary>
                <ol class="timeline">
                  {fold.map((pass) => (
                    <Pass key={pass.passId} pass={pass} uid={workload.uid} />
                  ))}
                </ol>
              </details>
            </li>
          );
        })}
      </ol>
    </>
  );
}

function Pass({ pass, uid }: { pass: ToldPass; uid: string }) {
  const { key, startTime, durationMs, outcome, why, actions, saw, nextWakeTime, error, passId } = pass;
  return (
    <li>
      <p>
        <Clock time={startTime} /> <Tag word={outcome} />{' '}
        <span class="soft">
          {durationMs} ms
          {typeof saw['pods'] === 'number' && `, ${countText(saw['pods'], 'pod')} seen`}
          {key.uid !== uid && `, uid ${key.uid}`}
        </span>
      </p>
      {why.map((reason) => (
        <p key={reason}>{reason}</p>
      ))}
      {error !== undefined && <p class="tag bad">{error}</p>}
      {actions.length > 0 && (
        <ul>
          {actions.map(({ verb, target, why: reason, result, detail, count = 1 }, at) => (
            <li key={at}>
              {verb === target ? 'write' : verb} {target}
              {count > 1 && ` and ${count - 1} more`}
              <span class="soft"> {reason}</span>
              {result !== 'done' && (
                <span class="tag bad">
                  {' '}
                  {result}
                  {detail !== undefined && detail !== '' && `: ${detail}`}
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      {nextWakeTime !== undefined && (
        <p class="soft">
          looks again at <Clock time={nextWakeTime} />
        </p>
      )}
      <details class="replay">
        <summary>replay</summary>
        <Command text={`farloop replay ${passId}`} />
      </details>
    </li>
  );
}
