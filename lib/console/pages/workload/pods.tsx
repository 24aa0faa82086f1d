// Its pods, page by page: by state, index and type, all of it in the address.
import { useMemo } from 'preact/hooks';
import { Loading, Trouble } from '../../parts/notices.tsx';
import { StateWord } from '../../parts/state-word.tsx';
import { TypedText } from '../../parts/typed-text.tsx';
import { address, apiPathOf, go, withQuery } from '../../state/address.ts';
import type { PodPage, PodSummary } from '../../state/answers.ts';
import { useAnswer } from '../../state/resource.ts';
import { Pod } from './pods/pod.tsx';
import { PodTable } from './pods/pod-table.tsx';
import type { TabProps } from './tab.ts';

const PER_PAGE = 100;
const PASSED_ON = ['state', 'index', 'type', 'continue'] as const;
/** What needs a look first, where all pods are on one page. */
const RANKS: readonly string[] = ['Failed', 'BackingOff', 'Waiting', 'Unknown', 'Terminating', 'Pending', 'Running', 'Succeeded'];
const rankOf = ({ state, reasons = [] }: PodSummary): number => (reasons.length > 0 && state !== 'Succeeded' ? -1 : RANKS.indexOf(state));

export function Pods(tab: TabProps) {
  const { path } = address.value;
  return path[6] === undefined ? <PodList {...tab} /> : <Pod {...tab} name={path[6]} />;
}

function PodList({ named }: TabProps) {
  const { query } = address.value;
  const asked = new URLSearchParams({ limit: String(PER_PAGE) });
  for (const name of PASSED_ON) {
    const value = query.get(name);
    if (value !== null && value !== '') asked.set(name, value);
  }
  const { data, problem } = useAnswer<PodPage>(`${apiPathOf(named)}/pods?${asked.toString()}`);
  const isAll = data !== undefined && data.next === undefined && !query.has('continue');
  const shown = useMemo(
    () => (isAll ? data.items.toSorted((one, other) => rankOf(one) - rankOf(other)) : (data?.items ?? [])),
    [data?.items, isAll],
  );
  const state = query.get('state') ?? '';
  const isNarrowed = ['state', 'index', 'type'].some((name) => query.has(name));
  const narrow = (name: string, value: string): void => go(withQuery({ [name]: value, continue: undefined }), { isReplaced: true });
  return (
    <section>
      <div class="filters">
        <p class="counts">
          {Object.entries(data?.counts ?? {}).map(([word, count]) => (
            <a
              key={word}
              href={withQuery({ state: state === word ? undefined : word, continue: undefined })}
              aria-current={state === word ? 'true' : undefined}
            >
              <StateWord word={word} /> {count.toLocaleString('en')}
            </a>
          ))}
        </p>
        <label>
          <span>Index</span>
          <TypedText value={query.get('index') ?? ''} hint="4711" take={(value) => narrow('index', value)} />
        </label>
        {(query.has('type') || shown.some(({ type }) => type !== undefined)) && (
          <label>
            <span>Type</span>
            <TypedText value={query.get('type') ?? ''} hint="Worker" take={(value) => narrow('type', value)} />
          </label>
        )}
        {isNarrowed && <a href={withQuery({ state: undefined, index: undefined, type: undefined, continue: undefined })}>All pods</a>}
      </div>
      {problem !== undefined && <Trouble>{problem}</Trouble>}
      {!data && problem === undefined && <Loading />}
      {data && (
        <>
          <PodTable named={named} pods={shown} label="Pods" empty={isNarrowed ? 'No pod matches.' : 'None.'} />
          <p class="soft">
            {shown.length < data.total && `${shown.length.toLocaleString('en')} of ${data.total.toLocaleString('en')} that match. `}
            {query.has('continue') && <a href={withQuery({ continue: undefined })}>First page</a>}{' '}
            {data.next !== undefined && <a href={withQuery({ continue: data.next })}>Next page</a>}
          </p>
        </>
      )}
    </section>
  );
}
