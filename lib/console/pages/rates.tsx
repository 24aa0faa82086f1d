// The last hour in small curves: does anything move the wrong way?
import { Curve } from '../parts/curve.tsx';
import { Trouble } from '../parts/notices.tsx';
import { clockText, spanText } from '../parts/times.tsx';
import type { Rates } from '../state/answers.ts';
import { useAnswer } from '../state/resource.ts';

interface Line {
  title: string;
  values: readonly (number | null)[];
  /** What stands beside the curve. */
  now: string;
  tone?: 'good' | 'bad' | 'soft';
}

const sumText = (values: readonly number[]): string => Math.round(values.reduce((sum, value) => sum + value, 0)).toLocaleString('en');

/** Of the minute before the one under way. */
function perSecondText(values: readonly number[]): string {
  const latest = values.at(-2) ?? values.at(-1) ?? 0;
  const perSecond = latest / 60;
  return `${perSecond >= 10 ? Math.round(perSecond).toLocaleString('en') : Number(perSecond.toFixed(1))}/s`;
}

function lagText(values: readonly (number | null)[]): string {
  const latest = values.findLast((value) => value !== null);
  return latest === undefined || latest === null
    ? 'no event'
    : latest < 10_000
      ? `${(latest / 1_000).toFixed(1)} s`
      : spanText(latest / 1_000);
}

const linesOf = ({ podsStarted, podsSucceeded, podsFailed, passes, lagMs }: Rates): Line[] => [
  { title: 'pods started', values: podsStarted, now: sumText(podsStarted) },
  { title: 'succeeded', values: podsSucceeded, now: sumText(podsSucceeded), tone: 'good' },
  { title: 'failed', values: podsFailed, now: sumText(podsFailed), tone: 'bad' },
  { title: 'passes', values: passes, now: perSecondText(passes), tone: 'soft' },
  { title: 'lag', values: lagMs, now: lagText(lagMs), tone: 'soft' },
];

/** For those to whom the page is read: the greatest minute, and when it was. */
function peakText({ title, values }: Line, { to, stepSeconds }: Rates): string {
  const most = Math.max(0, ...values.map((value) => value ?? 0));
  if (most === 0) return `${title}: none in any minute`;
  const at = values.lastIndexOf(most);
  const atMs = Date.parse(to) - (values.length - 1 - at) * stepSeconds * 1_000;
  return `${title}: most in a minute ${title === 'lag' ? spanText(most / 1_000) : most.toLocaleString('en')}, at ${clockText(atMs).slice(0, 5)}`;
}

export function LastHour() {
  const { data, problem } = useAnswer<Rates>('v1/rates');
  if (problem !== undefined) return <Trouble>The rates of the last hour cannot be shown: {problem}</Trouble>;
  if (!data) return null;
  const minutes = (Date.parse(data.to) - Date.parse(data.since)) / 60_000;
  return (
    <section aria-label="Last hour">
      <h2>{data.counted && minutes < 59 ? `Since this instance began, ${spanText(minutes * 60)} ago` : 'Last hour'}</h2>
      {!data.counted && <p class="soft">Each function counts for itself: the dashboard of the stage has the rates.</p>}
      {data.counted && (
        <ul class="rates">
          {linesOf(data).map((line) => (
            <li key={line.title} title={peakText(line, data)}>
              <span>
                {line.title} <strong>{line.now}</strong>
              </span>
              <Curve values={line.values} tone={line.tone} />
              <span class="aside">{peakText(line, data)}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
