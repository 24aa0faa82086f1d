// Metrics in Prometheus' text format: the telemetry's counts, the age of watches, the length of queues. And the rates of the last hour.
import type { RateCount, RateName } from '../objects/detail/rates.ts';
import { UPSTREAM_METRICS, upstreamMetric, type UpstreamMetric } from '../objects/upstream-metrics.ts';
import { shownText } from '../objects/values/shown-text.ts';
import { timeText } from '../objects/values/time-text.ts';
import type { Ports } from '../ports/ports.ts';
import type { MetricUnit, Telemetry } from '../ports/telemetry.ts';
import { listClusters } from './clusters.ts';
import { listQueues } from './queues.ts';

/** One metric with one set of dimensions, since the process began. */
export interface CountedMetric {
  name: string;
  unit: MetricUnit;
  dimensions: Record<string, string>;
  /** `count`: number of values. `sum`: their sum. */
  count: number;
  sum: number;
  /** For a histogram: how many values were at most each bound. */
  buckets?: readonly number[];
}

/** A telemetry that keeps its counts. Others only send them elsewhere. */
interface KeepsMetrics {
  metrics(): readonly CountedMetric[];
}

export const keepsMetrics = (telemetry: Telemetry): telemetry is Telemetry & KeepsMetrics =>
  'metrics' in telemetry && typeof telemetry.metrics === 'function';

interface Family {
  name: string;
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
  /** `suffix`: for the parts of a histogram. */
  samples: { suffix?: string; labels: Record<string, string>; value: number }[];
}

/** Counters, histograms and gauges in Prometheus' text format. */
export async function metricsText(ports: Ports): Promise<string> {
  const counted = keepsMetrics(ports.telemetry) ? ports.telemetry.metrics() : [];
  const own = counted.filter(({ name }) => !upstreamMetric(name));
  const families = [...referenceFamilies(counted), ...countedFamilies(own), ...(await gauges(ports))];
  return families.map(familyText).join('');
}

/** Upstream's metrics, under their own names and labels. */
function referenceFamilies(counted: readonly CountedMetric[]): Family[] {
  return UPSTREAM_METRICS.map((metric: UpstreamMetric): Family => {
    const { name, type, help, buckets = [] } = metric;
    const series = counted.filter((one) => one.name === name);
    if (type === 'counter') return { name, type, help, samples: series.map(({ dimensions: labels, sum: value }) => ({ labels, value })) };
    const samples = series.flatMap(({ dimensions: labels, count, sum, buckets: under = [] }) => [
      ...buckets.map((bound, at) => ({ suffix: '_bucket', labels: { ...labels, le: String(bound) }, value: under[at] ?? 0 })),
      { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: count },
      { suffix: '_sum', labels, value: sum },
      { suffix: '_count', labels, value: count },
    ]);
    return { name, type, help, samples };
  });
}

function countedFamilies(metrics: readonly CountedMetric[]): Family[] {
  const families = new Map<string, Family>();
  const add = (name: string, help: string, labels: Record<string, string>, value: number): void => {
    const family = families.get(name) ?? { name, type: 'counter', help, samples: [] };
    family.samples.push({ labels, value });
    families.set(name, family);
  };
  for (const { name: metric, unit, dimensions, count, sum } of metrics) {
    const name = `farloop_${snakeCase(metric)}`;
    if (unit === 'Count') add(`${name}_total`, `${metric}, since the process began`, dimensions, sum);
    else {
      // Prometheus' base units are seconds and bytes.
      const [suffix, scale] = unit === 'Bytes' ? ['bytes', 1] : ['seconds', unit === 'Milliseconds' ? 1e-3 : 1];
      add(`${name}_${suffix}_sum`, `${metric}, summed since the process began`, dimensions, sum * scale);
      add(`${name}_${suffix}_count`, `${metric}, how often`, dimensions, count);
    }
  }
  return [...families.values()];
}

async function gauges(ports: Ports): Promise<Family[]> {
  const clusters = await listClusters(ports);
  const { told: queues } = await listQueues(ports);
  const watches = clusters.flatMap(({ name, relay }) =>
    (relay?.watches ?? []).map(({ resource, ageSeconds }) => ({ labels: { cluster: name, resource }, value: ageSeconds })),
  );
  const states = clusters.flatMap(({ name, states: all }) => all.map(({ state }) => ({ labels: { cluster: name, state }, value: 1 })));
  const silences = clusters.flatMap(({ name, relay }) => (relay ? [{ labels: { cluster: name }, value: relay.silentForSeconds }] : []));
  const messages = queues.flatMap(({ name, visible, inFlight, delayed, dead }) =>
    Object.entries({ visible, inFlight, delayed, dead }).map(([state, value]) => ({ labels: { queue: name, state }, value })),
  );
  return [
    { name: 'farloop_watch_age_seconds', type: 'gauge', help: 'Seconds since a watch last proved to be alive', samples: watches },
    { name: 'farloop_cluster_state', type: 'gauge', help: 'States of a cluster that hold', samples: states },
    { name: 'farloop_relay_silence_seconds', type: 'gauge', help: 'Seconds since the last heartbeat of a relay', samples: silences },
    { name: 'farloop_queue_messages', type: 'gauge', help: 'Messages in a queue', samples: messages },
  ];
}

function familyText({ name, type, help, samples }: Family): string {
  if (samples.length === 0) return '';
  const lines = samples.map(({ suffix = '', labels, value }) => `${name}${suffix}${labelsText(labels, name)} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

/** Upstream's labels stay unchanged. Ours become snake case, as Prometheus recommends. */
function labelsText(labels: Record<string, string>, metric: string): string {
  const spell = upstreamMetric(metric) ? (label: string): string => label : snakeCase;
  const pairs = Object.entries(labels).map(([label, value]) => `${spell(label)}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

const escaped = (value: string): string => shownText(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

const snakeCase = (name: string): string => name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase();

export interface Rates {
  /** False on AWS, where each function counts for itself. */
  counted: boolean;
  /** What came before is not known: the process had not begun, or it is more than an hour ago. */
  since: string;
  to: string;
  stepSeconds: number;
  /** The oldest first; empty where nothing is counted. */
  podsStarted: number[];
  podsSucceeded: number[];
  podsFailed: number[];
  passes: number[];
  /** From an event to its pass, as a mean; null where no event came. */
  lagMs: (number | null)[];
}

interface KeepsRecent {
  recent: { readonly sinceMs: number; minutes(nowMs: number): Record<RateName, RateCount[]> };
}

const keepsRecent = (telemetry: Telemetry): telemetry is Telemetry & KeepsRecent =>
  'recent' in telemetry && typeof telemetry.recent === 'object' && telemetry.recent !== null;

const HOUR_MS = 3_600_000;
/** So that an answer stays the same for as long. */
const EVERY_MS = 10_000;

export function ratesNow({ clock, telemetry }: Pick<Ports, 'clock' | 'telemetry'>): Rates {
  const nowMs = Math.floor(clock.nowMs() / EVERY_MS) * EVERY_MS;
  const common = { to: timeText(nowMs), stepSeconds: 60 };
  if (!keepsRecent(telemetry))
    return { ...common, counted: false, since: common.to, podsStarted: [], podsSucceeded: [], podsFailed: [], passes: [], lagMs: [] };
  const { recent } = telemetry;
  const { podsStarted, podsSucceeded, podsFailed, passes, lag } = recent.minutes(nowMs);
  const sums = (counts: readonly RateCount[]): number[] => counts.map(({ sum }) => sum);
  return {
    ...common,
    counted: true,
    since: timeText(Math.min(Math.max(recent.sinceMs, nowMs - HOUR_MS), nowMs)),
    podsStarted: sums(podsStarted),
    podsSucceeded: sums(podsSucceeded),
    podsFailed: sums(podsFailed),
    passes: passes.map(({ count }) => count),
    lagMs: lag.map(({ count, sum }) => (count === 0 ? null : Math.round(sum / count))),
  };
}
