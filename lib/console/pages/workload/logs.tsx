// Logs of one pod or of several, merged: follow, previous run, search, download.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Loading, Trouble } from '../../parts/notices.tsx';
import { TypedText } from '../../parts/typed-text.tsx';
import { address, apiPathOf, go, withQuery } from '../../state/address.ts';
import { useLogs, type LogLine } from '../../state/log-lines.ts';
import type { PodSummary } from '../../state/answers.ts';
import { LogView } from './log-view.tsx';
import type { TabProps } from './tab.ts';

const PASSED_ON = ['pod', 'container', 'index', 'replica', 'previous', 'since', 'tail'] as const;
const MOST_PODS_NAMED = 500;

/** A pod whose container starts again and again: why is in the log of the run before. */
const startsAgain = ({ containers }: PodSummary): boolean =>
  containers.some(({ restarts, exitCode, lastExitCode }) => restarts > 0 && exitCode === undefined && lastExitCode !== undefined);

export function Logs({ named, workload }: TabProps) {
  const { query } = address.value;
  const asked = new URLSearchParams();
  for (const name of PASSED_ON) {
    const value = query.get(name);
    if (value !== null && value !== '') asked.set(name, value);
  }
  const text = asked.toString();
  const { lines, dropped, leftOut, problem, hasEnded, isLoaded } = useLogs(`${apiPathOf(named)}/logs${text === '' ? '' : `?${text}`}`);
  const find = query.get('find') ?? '';
  const isOnlyMatches = query.get('only') === 'matches';
  const matches = useMemo(() => matchesOf(lines, find), [lines, find]);
  const shown = useMemo(
    () => (isOnlyMatches && find !== '' ? matches.map((at) => lines[at]).filter((line) => line !== undefined) : lines),
    [lines, matches, isOnlyMatches, find],
  );
  const [at, setAt] = useState(-1);
  useEffect(() => setAt(-1), [find]);
  const pod = query.get('pod') ?? '';
  const chosen = workload.pods.find(({ name }) => name === pod);
  const containers = [
    ...new Set((chosen ? [chosen] : workload.pods.slice(0, 1)).flatMap((each) => each.containers.map(({ name }) => name))),
  ];
  const isPrevious = query.get('previous') === 'true';
  const step = (by: number): void => setAt((before) => (matches.length === 0 ? -1 : (before + by + matches.length) % matches.length));
  return (
    <section aria-label="Logs">
      <div class="filters">
        {workload.hasPods && (
          <label>
            <span>Pod</span>
            <select
              value={pod}
              onChange={(event) => go(withQuery({ pod: event.currentTarget.value, container: undefined, previous: undefined }))}
            >
              <option value="">all, merged</option>
              {pod !== '' && !chosen && <option value={pod}>{pod}</option>}
              {workload.pods.slice(0, MOST_PODS_NAMED).map(({ name, uid }) => (
                <option key={uid} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        {containers.length > 1 && (
          <label>
            <span>Container</span>
            <select value={query.get('container') ?? ''} onChange={(event) => go(withQuery({ container: event.currentTarget.value }))}>
              <option value="">usual</option>
              {containers.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
        )}
        <label class="check">
          <input type="checkbox" checked={isPrevious} onChange={() => go(withQuery({ previous: isPrevious ? undefined : 'true' }))} />{' '}
          previous run
        </label>
        <label>
          <span>Find</span>
          <TypedText value={find} hint="OOM" take={(value) => go(withQuery({ find: value }), { isReplaced: true })} enter={() => step(1)} />
        </label>
        {find !== '' && (
          <>
            <span role="status" class="soft">
              {at === -1 ? `${matches.length} match` : `${at + 1} of ${matches.length}`}
            </span>
            <button type="button" aria-label="Previous match" onClick={() => step(-1)}>
              ▴
            </button>
            <button type="button" aria-label="Next match" onClick={() => step(1)}>
              ▾
            </button>
            <label class="check">
              <input
                type="checkbox"
                checked={isOnlyMatches}
                onChange={() => go(withQuery({ only: isOnlyMatches ? undefined : 'matches' }), { isReplaced: true })}
              />
              only lines that match
            </label>
          </>
        )}
        <Download lines={lines} name={pod === '' ? named.name : pod} />
      </div>
      {chosen && startsAgain(chosen) && !isPrevious && (
        <p class="notice">
          It was started again: why may stand in the log of its <a href={withQuery({ previous: 'true' })}>previous run</a>.
        </p>
      )}
      {problem !== undefined && <Trouble>{problem}</Trouble>}
      {leftOut.length > 0 && (
        <p class="notice">
          Of too many pods at a time these are left out: {leftOut.slice(0, 10).join(', ')}
          {leftOut.length > 10 && ` and ${leftOut.length - 10} more`}
        </p>
      )}
      {dropped > 0 && <p class="soft">{dropped.toLocaleString('en')} older lines are not kept here.</p>}
      {!isLoaded && <Loading />}
      {isLoaded && problem === undefined && lines.length === 0 && <p class="soft">No line{hasEnded ? '.' : ' yet.'}</p>}
      {lines.length > 0 && <LogView lines={shown} find={find} current={isOnlyMatches ? at : (matches[at] ?? -1)} hasEnded={hasEnded} />}
    </section>
  );
}

function matchesOf(lines: readonly LogLine[], find: string): number[] {
  if (find === '') return [];
  const wanted = find.toLowerCase();
  return lines.flatMap(({ text }, at) => (text.toLowerCase().includes(wanted) ? [at] : []));
}

function Download({ lines, name }: { lines: readonly LogLine[]; name: string }) {
  const link = useRef<HTMLAnchorElement>(null);
  const save = (): void => {
    const text = lines.map(({ of, time = '', text: line }) => [of, time, line].filter((part) => part !== '').join(' ')).join('\n');
    const url = URL.createObjectURL(new Blob([`${text}\n`], { type: 'text/plain' }));
    if (link.current) {
      link.current.href = url;
      link.current.download = `${name}.log`;
      link.current.click();
    }
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  };
  return (
    <>
      <button type="button" disabled={lines.length === 0} onClick={save}>
        Download
      </button>
      <a ref={link} hidden aria-hidden="true" tabIndex={-1} />
    </>
  );
}
