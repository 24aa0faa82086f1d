// What came of a story, in words that two controllers can be compared by: without times, addresses and counts that depend on when a controller looked.
import type { Pod } from '../../../lib/objects/kubernetes.ts';
import type { Told } from '../api-server.ts';
import type { Asked } from './scripted-provider.ts';

export interface Outcome {
  /** Pods after each step; of one that is gone `gone`. */
  after: { step: string; pods: Record<string, string[]> }[];
  /** Calls of the provider about each pod, alike ones in a row once. */
  calls: Record<string, string[]>;
  /** The environment with which each pod was created first. */
  environments: Record<string, Record<string, string>>;
  /** Events about each pod, each once. */
  told: Record<string, string[]>;
}

export const linesOf = ({ metadata, status = {} }: Pod): string[] => [
  [
    status.phase ?? 'no phase',
    ...(status.reason ? [`reason ${status.reason}`] : []),
    ...(status.message ? [`message ${status.message}`] : []),
    ...(metadata.deletionTimestamp === undefined ? [] : ['is being deleted']),
  ].join(', '),
  ...(status.conditions ?? []).map(({ type, status: is, reason }) => `${type} ${is}${reason ? ` ${reason}` : ''}`).toSorted(),
  ...[...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].map(({ name, ready, restartCount = 0, state = {} }) => {
    const { running, waiting, terminated } = state;
    const how = terminated
      ? `ended with ${terminated.exitCode}, ${terminated.reason ?? ''}`
      : running
        ? 'runs'
        : `waits, ${waiting?.reason ?? ''}`;
    return `${name} ${how}${ready ? ', ready' : ''}${restartCount > 0 ? `, ${restartCount} restarts` : ''}`;
  }),
];

export const lineOfEvent = ({ type, reason, message, source, reportingComponent }: Told): string =>
  `${type} ${reason}: ${message} (${source?.component || reportingComponent})`;

/** Of each call what is compared, and how it was answered where that is no success. */
export function callsOf(asked: readonly Asked[]): string[] {
  const lines = asked.map(({ call, pod: { metadata, spec }, answered }) => {
    const what =
      call === 'updatePod'
        ? ` ${JSON.stringify([metadata.labels ?? {}, metadata.annotations ?? {}, spec.containers.map(({ image }) => image), spec['activeDeadlineSeconds'] ?? null])}`
        : '';
    return `${call}${what}${answered === 200 ? '' : ` ${answered}`}`;
  });
  return lines.filter((line, at) => line !== lines[at - 1]);
}

/** @param addresses of services, each by a word for it */
export function environmentOf(asked: readonly Asked[], addresses: ReadonlyMap<string, string>): Record<string, string> {
  const [first] = asked.filter(({ call }) => call === 'createPod');
  const all = (first?.pod.spec.containers ?? []).flatMap(({ name, env = [] }) =>
    env.map((variable): [string, string] => [`${name} ${variable.name}`, variable.value ?? '']),
  );
  const told = (value: string): string => [...addresses].reduce((text, [address, word]) => text.replaceAll(address, word), value);
  return Object.fromEntries(
    all.map(([name, value]): [string, string] => [name, told(value)]).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}

export interface Difference {
  /** Where, as `after "deleted" p`. */
  at: string;
  theirs: string;
  ours: string;
}

export function differencesBetween(theirs: Outcome, ours: Outcome): Difference[] {
  const flat = ({ after, calls, environments, told }: Outcome): Map<string, string> =>
    new Map([
      ...after.flatMap(({ step, pods }) =>
        Object.entries(pods).map(([pod, lines]): [string, string] => [`after "${step}" ${pod}`, lines.join('; ')]),
      ),
      ...Object.entries(calls).map(([pod, lines]): [string, string] => [`calls ${pod}`, lines.join('; ')]),
      ...Object.entries(environments).flatMap(([pod, env]) =>
        Object.entries(env).map(([name, value]): [string, string] => [`environment ${pod} ${name}`, value]),
      ),
      ...Object.entries(told).flatMap(([pod, lines]) => lines.map((line): [string, string] => [`told ${pod} ${line}`, 'told'])),
    ]);
  const [one, other] = [flat(theirs), flat(ours)];
  return [...new Set([...one.keys(), ...other.keys()])].flatMap((at) => {
    const [was, is] = [one.get(at) ?? 'nothing', other.get(at) ?? 'nothing'];
    return was === is ? [] : [{ at, theirs: was, ours: is }];
  });
}
