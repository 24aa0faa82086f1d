// From a pod to its logs.
import { linkTo, type Named } from '../../../state/address.ts';

interface LogLinksProps {
  named: Named;
  pod: string;
  container?: string;
  /** There was a run before this one. */
  hasPrevious?: boolean;
}

export function LogLinks({ named, pod, container, hasPrevious = false }: LogLinksProps) {
  const query = { pod, ...(container !== undefined && { container }) };
  const of = container === undefined ? pod : `${container} of ${pod}`;
  return (
    <span class="links">
      <a href={linkTo(named, ['logs'], query)} aria-label={`Log of ${of}`}>
        log
      </a>
      {hasPrevious && (
        <>
          {' '}
          <a href={linkTo(named, ['logs'], { ...query, previous: 'true' })} aria-label={`Previous log of ${of}`}>
            previous log
          </a>
        </>
      )}
    </span>
  );
}
