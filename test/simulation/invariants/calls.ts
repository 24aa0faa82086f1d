// Invariants of what Farloop sends to API servers.
import type { KubernetesObject, Pod } from '../../../lib/objects/kubernetes.ts';
import { findFacts } from '../../../lib/kinds/facts.ts';
import { hasPassed } from '../../../lib/ports/clock.ts';
import { TerminalError } from '../../../lib/ports/errors.ts';
import { controllerOf, podFactsOf } from '../../../lib/objects/pods/pod-facts.ts';
import { isWrite, type Call } from '../calls.ts';
import { isActivePod } from '../history.ts';
import type { Invariant } from './table.ts';

const PASS_MS = 20_000;
/** Bound of the relay's clock, and what is learnt of it. */
const RELAY_BOUND_MS = 3_000;
const SLICE_LAPSES_MS = 2_000;
/** Beyond what a slice of the budget still allows, and the time that its answer takes. */
const CLOSING_MS = SLICE_LAPSES_MS + 500;

interface Target {
  namespace: string;
  name: string;
  uid?: string;
  resourceVersion?: string;
  subresource?: string;
}

/** Of the workload itself, not of a child. A workload without an owner is a child. */
function isOfOwner(call: Call): boolean {
  const facts = findFacts(call.invocation?.key?.kind ?? '');
  return facts !== undefined && facts.isOwnerless !== true && facts.resource.plural === pluralOf(call);
}

const isApiWrite = (call: Call): boolean => call.port === 'cluster' && isWrite(call);
const pluralOf = ({ args }: Call): string => (args[0] as { plural: string }).plural;
const targetOf = ({ args }: Call): Target => args[1] as Target;
/** Of what is patched, as the patch names it. */
const versionOf = ({ method, args }: Call): string | undefined =>
  method === 'patch' ? (args[2] as { body: { metadata?: { resourceVersion?: string } } }).body.metadata?.resourceVersion : undefined;

export const OF_CALLS: readonly Invariant[] = [
  {
    name: 'every write carries its precondition',
    rule: 'R8',
    onSent: ({ call }) => {
      if (!isApiWrite(call)) return undefined;
      const target = targetOf(call);
      switch (call.method) {
        case 'create': {
          const { name } = (call.args[1] as Pod).metadata;
          return name ? undefined : 'a create without a name of its own';
        }
        case 'delete':
          return target.uid ? undefined : `a delete of ${target.name} without its uid`;
        case 'patch': {
          const { metadata } = (call.args[2] as { body: { metadata?: { uid?: string; resourceVersion?: string } } }).body;
          if (!target.uid || metadata?.uid !== target.uid) return `a patch of ${target.name} without its uid`;
          return target.subresource === 'status' && metadata.resourceVersion === undefined
            ? `a status of ${target.name} without its version`
            : undefined;
        }
        default:
          return `${call.method} is not a call with a precondition`;
      }
    },
  },
  {
    name: 'a delete of an active pod carries the version that was judged',
    rule: 'R8',
    onSent: ({ call }, { history }) => {
      if (!isApiWrite(call) || call.method !== 'delete') return undefined;
      const { uid = '', resourceVersion } = targetOf(call);
      const pod = history.pod(call.cluster ?? '', uid)?.pod;
      return pod && isActivePod(pod) && resourceVersion === undefined ? `a delete of ${pod.metadata.name}` : undefined;
    },
  },
  {
    name: "nothing is sent after a pass's deadline",
    rule: 'R17',
    onSent: ({ call, deadline }, { scheduler, relayedCalls, struck }) => {
      const { invocation } = call;
      // Of a command that a relay carries out: of the pass that made it. One that stands still between its last look at the clock and the
      // queue's socket is stopped by the relay's wall clock alone, and that fault sets it back as well, at that very moment.
      const sentAs = call.port === 'source' ? relayedCalls.sentAs(call) : undefined;
      if (sentAs !== undefined && struck.some((each) => each.fault === 'sleepsAndIsSetBack' && each.call === sentAs)) return undefined;
      const pass = call.port === 'source' ? relayedCalls.behind(call)?.invocation : invocation;
      if ((call.port !== 'cluster' && call.port !== 'source') || !pass || call.isLate) return undefined;
      if (!deadline) return 'a call without a deadline';
      const agedMs = scheduler.elapsedMs - pass.beganAtMs;
      return agedMs > PASS_MS + (call.port === 'source' ? RELAY_BOUND_MS : 0)
        ? `${call.method} ${Math.round(agedMs)} ms after the pass began`
        : undefined;
    },
  },
  {
    name: 'a deadline counts by both clocks',
    rule: 'R17',
    onSent: ({ call, deadline }) =>
      call.port === 'cluster' &&
      !call.isLate &&
      deadline &&
      (call.process.clock.nowMs() >= deadline.wallMs || call.process.clock.monotonicMs() >= deadline.monotonicMs)
        ? `sent although it had passed; hasPassed says ${hasPassed(deadline, call.process.clock)}`
        : undefined,
  },
  {
    name: 'a pass calls the cluster of its own workload alone',
    rule: 'R15',
    onSent: ({ call }) => {
      const { invocation } = call;
      if (call.port !== 'cluster') return undefined;
      // A look that no workload asks for reads, of the cluster that it is about; a virtual node without a lease gets one.
      if (invocation?.function === 'look') {
        const isFree = call.method === 'get' || (call.method === 'create' && pluralOf(call) === 'leases');
        return isFree && invocation.clusters.has(call.cluster ?? '') ? undefined : call.method;
      }
      return invocation?.function === 'reconcile' && invocation.key?.cluster === call.cluster
        ? undefined
        : `${call.process.name} calls ${call.cluster}`;
    },
  },
  {
    name: 'a pass writes to its own workload alone',
    rule: 'R15',
    onSent: ({ call }, { history }) => {
      const key = call.invocation?.key;
      if (!isApiWrite(call) || !key) return undefined;
      const { namespace, name, uid = '' } = targetOf(call);
      if (call.method === 'create') {
        const { metadata } = call.args[1] as KubernetesObject;
        const isEvent = pluralOf(call) === 'events';
        // Events about an owner without a namespace lie in `default`.
        if (metadata.namespace !== (key.namespace || (isEvent ? 'default' : ''))) return `a create in ${metadata.namespace}`;
        return !isEvent && controllerOf(metadata.ownerReferences)?.uid !== key.uid ? 'a child of another owner' : undefined;
      }
      if (namespace !== key.namespace) return `${call.method} in ${namespace}`;
      if (isOfOwner(call)) return name === key.name && uid === key.uid ? undefined : `a status of ${name} ${uid}`;
      const child = history.pod(call.cluster ?? '', uid)?.pod ?? history.child(call.cluster ?? '', uid)?.object;
      const owner = controllerOf(child?.metadata.ownerReferences)?.uid;
      return owner === undefined || owner === key.uid ? undefined : `${call.method} of a child of ${owner}`;
    },
  },
  {
    name: 'an active pod is deleted under a durable intent, its owner read live',
    rule: 'R5',
    onSent: ({ call }, { history }) => {
      const { invocation } = call;
      if (!isApiWrite(call) || call.method !== 'delete' || !invocation) return undefined;
      const { name, uid = '', resourceVersion } = targetOf(call);
      const pod = history.pod(call.cluster ?? '', uid)?.pod;
      // At another version than the pod has, the API server refuses it: the pod may run again after a restore.
      const isRefused = pod !== undefined && resourceVersion !== undefined && resourceVersion !== pod.metadata.resourceVersion;
      const isActive = pod !== undefined && isActivePod(pod) && !isRefused;
      if ((isActive || isOfOwner(call)) && !invocation.live.has(invocation.key?.uid ?? '')) return `${name} is deleted, its owner unseen`;
      if (!isActive) return undefined;
      const facts = podFactsOf(pod);
      const { index, number } = facts;
      const { slotOf } = findFacts(invocation.key?.kind ?? '')?.pods ?? {};
      const slot = slotOf ? slotOf(facts) : index === undefined ? number : Number(index);
      const isIntended = invocation.intents?.delete.some((child) =>
        typeof child === 'string' ? child === uid : child.slot === slot && child.number === number,
      );
      return isIntended ? undefined : `${name}, number ${number}, is deleted without an intent`;
    },
  },
  {
    name: 'the write budget of a cluster is never exceeded',
    rule: 'R14',
    onSent: ({ call }, { checks, installations, run, scheduler }) => {
      const { budget } = run.scenario;
      if (!isApiWrite(call) || !budget) return undefined;
      const writes = checks.ledger.writesAtMs.get(call.cluster ?? '') ?? [];
      const bursts = 1 + checks.ledger.freshBudgets;
      for (const windowMs of [1_000, 5_000, 20_000]) {
        const within = writes.filter((atMs) => atMs > scheduler.elapsedMs - windowMs).length + 1;
        // A second installation has a budget of its own.
        const most = installations.length * (bursts * budget.burst + (budget.writesPerSecond * (windowMs + SLICE_LAPSES_MS)) / 1_000) + 1;
        if (within > most) return `${within} writes within ${windowMs} ms, at most ${most}`;
      }
      return undefined;
    },
  },
  {
    name: 'Retry-After is honoured by all',
    rule: 'R14',
    onSent: ({ call }, { checks, scheduler }) => {
      if (!isApiWrite(call)) return undefined;
      const nowMs = scheduler.elapsedMs;
      const open = checks.ledger.closed.find(
        ({ cluster, installation, fromMs, untilMs }) =>
          cluster === call.cluster && installation === call.process.installation && nowMs > fromMs + CLOSING_MS && nowMs < untilMs - 100,
      );
      return open ? `${call.method} ${Math.round(open.untilMs - nowMs)} ms too early` : undefined;
    },
  },
  {
    name: 'a relay comes back no sooner than it was asked to',
    rule: 'R14',
    onSent: ({ call }, { checks, scheduler }) => {
      const wanted = checks.ledger.askedToWait(call);
      // By then its waiting is over, but for what its clock rounds away.
      return wanted !== undefined && scheduler.elapsedMs < wanted - 100
        ? `${call.method} ${pluralOf(call)} ${Math.round(wanted - scheduler.elapsedMs)} ms too early`
        : undefined;
    },
  },
  {
    name: 'the API server finds nothing wrong with what is written',
    rule: 'R1',
    onOutcome: ({ call, outcome }, { struck, history }) => {
      if (!isApiWrite(call) || !('error' in outcome) || !(outcome.error instanceof TerminalError)) return undefined;
      // Refusals of a plan are not the server's own.
      if (struck.some(({ fault }) => fault === 'apiFindsItInvalid')) return undefined;
      // A restored server gives a number of versions away again: the owner that was planned from may bear the one of another there, which
      // its precondition cannot tell apart. That the server refuses what does not fit is then the last guard, and it held.
      const owner = history.owner(call.cluster ?? '', targetOf(call).uid);
      if (owner?.isRestored && owner.object.metadata.resourceVersion === versionOf(call)) return undefined;
      return outcome.error.code === 422 ? outcome.error.message : undefined;
    },
  },
  {
    name: 'no status is written that changes nothing',
    rule: 'R16',
    onOutcome: ({ call, outcome }) => {
      if (!isApiWrite(call) || call.method !== 'patch' || !('value' in outcome) || !isOfOwner(call)) return undefined;
      const { object } = outcome.value as { object: { metadata: { resourceVersion?: string } } };
      const { metadata } = (call.args[2] as { body: { metadata: { resourceVersion?: string } } }).body;
      return object.metadata.resourceVersion === metadata.resourceVersion ? `at version ${metadata.resourceVersion}` : undefined;
    },
  },
];
