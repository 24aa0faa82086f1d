// What is said of one call of a port: enough to strike it with a fault, to check it and to tell of it.
import type { Deadline } from '../../lib/ports/clock.ts';
import type { Invocation, Process } from './process.ts';

export type PortName = 'cluster' | 'source' | 'store' | 'queue' | 'clusters' | 'recorder' | 'mapping' | 'provider';

export interface Call {
  /** From 1, over all processes of a run. */
  number: number;
  atMs: number;
  process: Process;
  /** What its process was about then: of a batch of wakes, the pass that makes the call. */
  invocation: Invocation | undefined;
  port: PortName;
  method: string;
  args: readonly unknown[];
  /** Of the cluster and source ports. */
  cluster: string | undefined;
  result?: string;
  /** It left its process long after the pass had looked at the clock for the last time: nothing that the pass knew need be so any more. */
  isLate?: true;
}

/** What a fault does with the call that it strikes. */
export interface Strike {
  /** The whole process stands still for so long before the call. */
  freezeMs?: number;
  /** The whole process stands still for so long between its last look at the clock and the socket. */
  gapMs?: number;
  /** The call takes so much longer on its way. */
  slowMs?: number;
  /** Thrown instead of the call. */
  failBefore?: Error;
  /** Thrown although it took effect. */
  failAfter?: Error;
  dies?: 'before' | 'after';
  /** Instead of the call's own effect. */
  instead?: (effect: () => Promise<unknown>) => Promise<unknown>;
}

const WRITES = new Set([
  'create',
  'delete',
  'patch',
  'createHead',
  'updateHead',
  'putItem',
  'forget',
  'putNote',
  'putAnswer',
  'put',
  'send',
  'append',
]);

export const isWrite = ({ method }: Pick<Call, 'method'>): boolean => WRITES.has(method);

/** Of a call to a cluster, what is read of the answer may stand behind it. */
export const deadlineAmong = (args: readonly unknown[]): Deadline | undefined =>
  args.findLast((each): each is Deadline => typeof each === 'object' && each !== null && 'wallMs' in each);

/** `reconcile-2 cluster.patch work/a status`: what it is, and about what. */
export function describe(call: Call): string {
  return `${call.process.name} ${call.port}.${call.method} ${aboutOf(call)}`.trimEnd();
}

function aboutOf({ port, method, args }: Call): string {
  const [first, second, third] = args;
  switch (port) {
    case 'cluster':
    case 'source': {
      const { plural = '' } = (first ?? {}) as { plural?: string };
      const { namespace, name, subresource, metadata } = (second ?? {}) as Record<string, string> & { metadata?: { name?: string } };
      const about = [namespace, name ?? metadata?.name].filter(Boolean).join('/');
      const status = subresource === 'status' ? ` ${JSON.stringify((third as { body?: { status?: unknown } })?.body?.status)}` : '';
      return `${plural} ${about}${status}`;
    }
    case 'store': {
      if (method === 'createHead') return nameOf((first as { key: unknown }).key);
      const rest = args.slice(1).map((value) => JSON.stringify(value, withoutBytes));
      return `${nameOf(first)} ${rest.join(' ')}`;
    }
    case 'queue':
    case 'mapping':
      return method === 'send'
        ? `${String(first)} ${(second as { body: string }[]).map(({ body }) => body.slice(0, 120)).join(' ')}`
        : String(first);
    case 'recorder':
      return nameOf((first as { key: unknown }).key);
    case 'provider':
      return JSON.stringify(args[0] ?? '');
    case 'clusters':
      return '';
  }
}

const nameOf = (key: unknown): string =>
  Array.isArray(key)
    ? key.map(nameOf).join(' ')
    : typeof key === 'object' && key !== null && 'name' in key && 'cluster' in key
      ? `${String(key.cluster)}/${String(key.name)}`
      : String(key);

const withoutBytes = (_: string, value: unknown): unknown => (value instanceof Uint8Array ? `${value.length} bytes` : value);
