// An index whose pods are gone from the cluster: what is still known of the last one, and the passes that counted it.
import { namePrefixOf } from '../../../../objects/child-names.ts';
import { Trouble } from '../../../parts/notices.tsx';
import { clockText, Moment } from '../../../parts/times.tsx';
import { apiPathOf, linkTo, type Named } from '../../../state/address.ts';
import type { IndexMap, Items, ToldPass } from '../../../state/answers.ts';
import { useAsked } from '../../../state/asked.ts';

type AtIndex = NonNullable<IndexMap['at']>;

/** On AWS each look searches the log, where what has just happened stands a little later. */
const EVERY_MS = 60_000;

const ENDED: ReadonlySet<AtIndex['state']> = new Set(['Succeeded', 'Failed']);

export function GoneIndex({ named, found: { index, state, gone } }: { named: Named; found: AtIndex }) {
  if (!ENDED.has(state)) return <p class="soft">It has no pod that is still on the cluster.</p>;
  const { pod, container, exitCode, reason, time } = gone ?? {};
  return (
    <>
      <p>
        {pod === undefined ? (
          'Its pods are gone from the cluster'
        ) : (
          <>
            Its pod <bdi>{pod}</bdi> is gone from the cluster
          </>
        )}
        , and with it the log.{' '}
        {exitCode === undefined ? (
          `How it ended is not kept: what is left is that it ${state === 'Failed' ? 'failed' : 'succeeded'}.`
        ) : (
          <>
            {container !== undefined && `Container ${container} ended with `}exit code {exitCode}
            {reason !== undefined && ` (${reason})`}
            {time !== undefined && (
              <>
                , <Moment time={time} />
              </>
            )}
            .
          </>
        )}
      </p>
      <CountedBy named={named} index={index} />
    </>
  );
}

/** Leads to the timeline of the index; with the time where the record says which pass it was. */
function CountedBy({ named, index }: { named: Named; index: number }) {
  const { data, problem } = useAsked<Items<ToldPass>>(`${apiPathOf(named)}/passes?limit=1000&index=${index}`, { everyMs: EVERY_MS });
  if (problem !== undefined) return <Trouble>The passes that counted it cannot be asked for: {problem}</Trouble>;
  if (!data) return null;
  const prefix = namePrefixOf(named.name, index);
  const strips = data.items.filter(({ actions }) => actions.some(({ verb }) => verb === 'strip'));
  const byName = strips.find(({ actions }) => actions.some(({ verb, target }) => verb === 'strip' && target.startsWith(prefix)));
  const exact = byName ?? (strips.length === 1 ? strips[0] : undefined);
  if (data.items.length === 0) return <p class="soft">No pass that is still recorded names it: they are kept for 7 days.</p>;
  return (
    <p>
      <a href={linkTo(named, ['timeline'], { index: String(index) })}>
        {exact ? `The pass that counted it, at ${clockText(Date.parse(exact.startTime))}` : 'Its passes on the timeline'}
      </a>
      {!exact && strips.length > 1 && `: one of ${strips.length} counted it, which count several pods at once`}
    </p>
  );
}
