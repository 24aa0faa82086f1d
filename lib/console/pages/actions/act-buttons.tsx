// Buttons for what can be done with one workload, or with several that are chosen. Where a right is missing they say which, and how to give it.
import { useState } from 'preact/hooks';
import { titled } from '../../parts/progress.tsx';
import { openAction, type Target } from '../../state/acting.ts';
import { isSilent } from '../../state/freshness.ts';
import { actionsFor, missingFor, useMe } from '../../state/me.ts';
import { MissingRight } from './missing-right.tsx';

/** More than a confirmation. */
const ASKS_FURTHER: ReadonlySet<string> = new Set(['delete', 'scale', 'drain']);

interface ActButtonsProps {
  workloads: readonly (Target & { state: string })[];
}

export function ActButtons({ workloads }: ActButtonsProps) {
  const { data: me, problem } = useMe();
  const [isExplained, setExplained] = useState(false);
  // An API of the version before says neither who asks nor what they may: it refuses what they may not.
  if (!me && problem === undefined) return null;
  const missing = missingFor(
    me,
    workloads.map(({ cluster }) => cluster),
  );
  const actions = actionsFor(me, workloads);
  if (actions.length === 0) return workloads.length > 1 ? <span class="soft">nothing can be done with these</span> : null;
  return (
    <div class="actions" role="group" aria-label="Actions">
      {actions.map((action) => (
        <button
          key={action}
          type="button"
          disabled={isSilent.value}
          aria-disabled={missing ? 'true' : undefined}
          title={missing ? `needs ${missing.needs}` : undefined}
          onClick={() => (missing ? setExplained(true) : openAction(action, workloads))}
        >
          {titled(action)}
          {ASKS_FURTHER.has(action) && ' …'}
        </button>
      ))}
      {missing && <span class="soft">needs {missing.needs}</span>}
      {missing && isExplained && <MissingRight text={missing.text ?? ''} needs={missing.needs ?? ''} close={() => setExplained(false)} />}
    </div>
  );
}
