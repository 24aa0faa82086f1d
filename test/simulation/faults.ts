// Every fault by its name: which calls it applies to, what it does, how long it lasts, and what alone can bring the work back.
import type { Resource } from '../../lib/objects/resources.ts';
import type { PageSelection } from '../../lib/ports/cluster.ts';
import { ConflictError, ExpiredError, NotDoneError, TerminalError, UnknownOutcomeError } from '../../lib/ports/errors.ts';
import { VISIBILITY_SECONDS } from '../../lib/reconciler/head/timeouts.ts';
import { isWrite, type Call, type Strike } from './calls.ts';
import { throttledAnswer, type Verb } from './cluster-port.ts';
import type { Simulation } from './simulation.ts';
import { PROVIDER_FAULTS } from './provider-faults.ts';
import { WORLD_FAULTS } from './world-faults.ts';

/** What alone can bring the work back, where the loop itself cannot; without any of them it is back within RECOVERY_MS (recovery.ts). */
export type Wait =
  'visibility' | 'sweep' | 'heartbeat' | 'bookmark' | 'metadata list' | 'R1' | 'probe' | 'park' | 'answer' | 'comparison' | 'sending';

/** docs/recovery.md says the same. */
export const WAITS: Record<Wait, { ms: number; says: string }> = {
  visibility: { ms: VISIBILITY_SECONDS * 1000, says: 'the message comes back when its visibility time-out is over' },
  sweep: { ms: 60_000, says: 'a sweep, or a look between two, finds the head stale: after 36 s, looked for every 20 s' },
  heartbeat: { ms: 65_000, says: "the relay's next heartbeat names it by its digest, and it still differs 4 s later" },
  bookmark: { ms: 65_000, says: 'a bookmark is missing for longer than bookmarks take' },
  'metadata list': { ms: 600_000, says: 'the relay compares its cache with a list of metadata every ten minutes' },
  R1: { ms: 30_000, says: 'an unknown workload that had started is left alone until no older pass can be sending' },
  probe: { ms: 5_000, says: 'one pass looks whether the cluster answers every 5 s' },
  park: { ms: 60_000, says: 'a parked workload is looked at again after a minute' },
  comparison: { ms: 300_000, says: 'a virtual node that has pods compares them with the tasks of its provider every five minutes' },
  sending: { ms: 30_000, says: 'a task that may have been ordered counts as there until no pass can still be ordering it' },
  answer: { ms: 10_000, says: 'a pass gives up a call through a relay that nobody answers' },
};

export interface Fault {
  says: string;
  /** By the call alone. */
  applies: (call: Call) => boolean;
  /** By the world as it then is; without, always. */
  canStrike?: (simulation: Simulation, call: Call) => boolean;
  /** May also change the world itself. */
  strike: (simulation: Simulation, call: Call) => Strike | void;
  /** Virtual milliseconds. */
  lastsMs: number;
  waits: readonly Wait[];
  /** Beside `waits`, where passes reach the cluster through its relay. */
  waitsRelayed?: readonly Wait[];
  /** How long something of it comes back in vain. */
  lingersMs?: number;
  /** Not drawn for storms, so that each seed keeps its faults; and because it excuses some of what storms are to find. */
  isForPlansOnly?: true;
}

/** What dies or stands still while a message is taken for done is no function any more. */
const isFunction = ({ invocation, port }: Call): boolean => invocation !== undefined && port !== 'mapping';
/** To an API server: of a pass, or of a relay that reads for itself or carries out what a pass asks for. Watches have faults of their own. */
const isServerCall = ({ port, method }: Call): boolean =>
  port === 'cluster' || (port === 'source' && method !== 'event' && method !== 'watch');
const isServerWrite = (call: Call): boolean => isServerCall(call) && isWrite(call);
/** Of the resource that the call is about. */
export const pluralOf = ({ args }: Call): string => (args[0] as { plural?: string } | undefined)?.plural ?? '';
const isStore = ({ port }: Call): boolean => port === 'store';
const isStoreWrite = (call: Call): boolean => isStore(call) && isWrite(call);
const isSend = ({ port, method }: Call): boolean => port === 'queue' && method === 'send';
const sendsTo =
  (...queues: string[]) =>
  (call: Call): boolean =>
    isSend(call) && queues.includes(String(call.args[0]));
const isWatch = ({ port, method }: Call): boolean => port === 'source' && method === 'watch';
const isRelay = ({ process }: Call): boolean => process.name.startsWith('relay');
/** To the relay of a cluster: what to tell again, and calls to carry out. */
const sendsToRelay = (call: Call): boolean => isSend(call) && String(call.args[0]).startsWith('relay-');
const isLaterPage = (call: Call): boolean => {
  if (!isServerCall(call) || !['list', 'listPage'].includes(call.method)) return false;
  return (call.args[1] as Partial<PageSelection>).continueToken !== undefined;
};
/** What comes after a message was received: that it is done, or that it cannot be. */
const isAcknowledgement = ({ port, method }: Call): boolean =>
  port === 'mapping' || (port === 'queue' && (method === 'delete' || method === 'changeVisibility'));

const LIFE_MS = 10_000;

const CALL_FAULTS = {
  dies: {
    says: 'the function dies before the call',
    applies: isFunction,
    strike: () => ({ dies: 'before' }),
    lastsMs: 0,
    waits: ['visibility'],
  },
  diesAfter: {
    says: 'the function dies once the call took effect',
    applies: isFunction,
    strike: () => ({ dies: 'after' }),
    lastsMs: 0,
    waits: ['visibility'],
  },
  diesTakenForDone: {
    says: 'the function dies, and its messages are taken for done',
    applies: (call) => isFunction(call) && call.invocation?.function !== 'sweep',
    strike: (_, { invocation }) => {
      if (invocation) (invocation.batch ?? invocation).isLost = true;
      return { dies: 'before' };
    },
    lastsMs: 0,
    waits: ['heartbeat'],
  },
  freezesShortly: {
    says: 'the function stands still for 15 s',
    applies: isFunction,
    strike: () => ({ freezeMs: 15_000 }),
    lastsMs: 15_000,
    waits: [],
  },
  freezes: {
    says: 'the function stands still for three minutes, longer than its message stays invisible',
    applies: isFunction,
    strike: () => ({ freezeMs: 180_000 }),
    lastsMs: 0,
    waits: ['visibility'],
    lingersMs: 180_000,
  },
  landsLate: {
    says: 'the pod is created three minutes after the last look at the clock: the function stood still, or the request was on its way',
    applies: (call) => isServerCall(call) && call.method === 'create' && pluralOf(call) === 'pods',
    strike: (simulation, call) => {
      call.isLate = true;
      const made = simulation.relayedCalls.behind(call);
      if (made) made.isLate = true;
      if (call.port === 'cluster') return { gapMs: 180_000 };
      simulation.expectFor(180_000);
      return { slowMs: 180_000 };
    },
    lastsMs: 0,
    waits: ['visibility'],
    lingersMs: 180_000,
    isForPlansOnly: true,
  },
  isSlow: {
    says: 'the call takes 8 s',
    applies: isFunction,
    strike: () => ({ slowMs: 8_000 }),
    lastsMs: 8_000,
    waits: [],
  },
  storeThrottles: {
    says: 'the store refuses: too many requests',
    applies: isStore,
    strike: () => ({ failBefore: new Error('the store is throttled') }),
    lastsMs: 0,
    waits: ['visibility'],
  },
  storeTimesOut: {
    says: 'the store wrote, and its answer is lost',
    applies: isStoreWrite,
    strike: () => ({ failAfter: new Error('the store did not answer in time') }),
    lastsMs: 0,
    waits: ['visibility'],
  },
  storeRepeats: {
    says: 'the client of the store repeats the write, its first answer being lost',
    applies: isStoreWrite,
    strike: (simulation, call) => ({
      instead: async (effect) => {
        await effect();
        simulation.checks.ledger.effected(call);
        return await effect();
      },
    }),
    lastsMs: 0,
    waits: [],
  },
  sendFails: {
    says: 'the queue takes no message',
    applies: isSend,
    strike: () => ({ failBefore: new Error('the queue cannot be reached') }),
    lastsMs: 0,
    waits: ['visibility'],
  },
  sendTimesOut: {
    says: 'the queue took the message, and its answer is lost',
    applies: isSend,
    strike: () => ({ failAfter: new Error('the queue did not answer in time') }),
    lastsMs: 0,
    waits: ['visibility'],
  },
  sendIsSwallowed: {
    says: 'the queue says yes and drops the message, as a FIFO queue does with what it takes for a duplicate',
    applies: sendsTo('wakes', 'timers'),
    strike: () => ({ instead: async () => undefined }),
    lastsMs: 0,
    waits: ['sweep'],
  },
  eventsAreLost: {
    says: 'the queue says yes and drops what a relay tells, or is asked for',
    applies: (call) => sendsTo('events')(call) || sendsToRelay(call),
    strike: () => ({ instead: async () => undefined }),
    lastsMs: 0,
    waits: ['heartbeat'],
  },
  sendComesTwice: {
    says: 'the message comes twice',
    applies: (call) => sendsTo('events', 'timers')(call) || sendsToRelay(call),
    strike: () => ({
      instead: async (effect) => {
        await effect();
        return await effect();
      },
    }),
    lastsMs: 0,
    waits: [],
  },
  sendIsLate: {
    says: 'the message comes two minutes late, after younger ones',
    applies: sendsTo('events', 'timers'),
    strike: (simulation, call) => ({ instead: async () => simulation.sendLater(call, 120_000) }),
    lastsMs: 120_000,
    waits: [],
  },
  isPoisoned: {
    says: 'the message cannot be read when it arrives',
    applies: (call) => sendsTo('events', 'timers')(call) || sendsToRelay(call),
    strike: (simulation, call) => ({ instead: async () => simulation.sendPoisoned(call) }),
    lastsMs: 0,
    waits: ['heartbeat'],
  },
  wakeIsPoisoned: {
    says: 'the wake cannot be read when it arrives: its group waits until it is a dead letter, which is soon',
    applies: sendsTo('wakes'),
    strike: (simulation, call) => ({ instead: async () => simulation.sendPoisoned(call) }),
    lastsMs: 0,
    waits: ['sweep'],
  },
  acknowledgingFails: {
    says: 'the message is done and comes again all the same',
    applies: isAcknowledgement,
    strike: () => ({ failBefore: new Error('not deleted') }),
    lastsMs: 0,
    waits: ['visibility'],
  },
  receivingFails: {
    says: 'the relay can receive nothing from its queue',
    applies: ({ port, method }) => port === 'queue' && method === 'receive',
    strike: () => ({ failBefore: new Error('the queue cannot be reached') }),
    lastsMs: 0,
    waits: [],
    waitsRelayed: ['answer'],
  },
  recorderFails: {
    says: 'the flight recorder takes nothing',
    applies: ({ port }) => port === 'recorder',
    strike: () => ({ failBefore: new Error('nothing is recorded') }),
    lastsMs: 0,
    waits: [],
  },
  recordCannotBeRead: {
    says: 'the record of the cluster cannot be read or written',
    applies: ({ port }) => port === 'clusters',
    strike: () => ({ failBefore: new Error('no such luck') }),
    lastsMs: 0,
    waits: ['visibility'],
  },
  apiConflicts: {
    says: 'somebody edits the object just before',
    applies: (call) => isServerWrite(call) && call.method !== 'create',
    strike: (simulation, call) => simulation.tampering.annotate(call),
    lastsMs: 0,
    waits: [],
  },
  apiAnswersConflict: {
    says: 'the API server answers 409',
    applies: (call) => isServerWrite(call) && call.method !== 'create',
    strike: () => ({ failBefore: new ConflictError('the object has been modified') }),
    lastsMs: 0,
    waits: [],
  },
  apiRefusesPods: {
    says: 'the API server refuses a pod, a quota being used up: 403',
    applies: (call) => isServerWrite(call) && call.method === 'create' && pluralOf(call) === 'pods',
    strike: () => ({ failBefore: new TerminalError('exceeded quota', { code: 403, reason: 'Forbidden' }) }),
    lastsMs: 0,
    waits: [],
  },
  apiFindsItInvalid: {
    says: 'the API server finds it invalid: 422',
    applies: isServerWrite,
    strike: () => ({ failBefore: new TerminalError('is invalid', { code: 422, reason: 'Invalid' }) }),
    lastsMs: 0,
    waits: [],
  },
  apiThrottles: {
    says: 'the API server asks to come again in 8 s: 429',
    applies: (call) => isServerCall(call) || isWatch(call),
    strike: (_, { args, method }) => ({
      failBefore: throttledAnswer(args[0] as Resource, method === 'listPage' ? 'list' : (method as Verb), 8),
    }),
    lastsMs: 8_000,
    waits: [],
  },
  apiBreaks: {
    says: 'the API server answers 500 and did nothing',
    applies: (call) => isServerCall(call) || isWatch(call),
    strike: () => ({ failBefore: new UnknownOutcomeError('internal error (500)') }),
    lastsMs: 0,
    waits: [],
  },
  apiIsUnavailable: {
    says: 'the API server answers 503 for an instant',
    applies: isServerCall,
    strike: () => ({ failBefore: new UnknownOutcomeError('service unavailable (503)') }),
    lastsMs: 0,
    waits: [],
  },
  gatewayTimesOut: {
    says: 'the API server answers 504 after it took effect',
    applies: isServerWrite,
    strike: () => ({ failAfter: new UnknownOutcomeError('gateway time-out (504)') }),
    lastsMs: 0,
    waits: [],
  },
  isReset: {
    says: 'the connection is reset before the API server acts',
    applies: isServerCall,
    strike: () => ({ failBefore: new UnknownOutcomeError('connection reset') }),
    lastsMs: 0,
    waits: [],
  },
  isResetAfter: {
    says: 'the connection is reset once the API server acted',
    applies: isServerWrite,
    strike: () => ({ failAfter: new UnknownOutcomeError('connection reset') }),
    lastsMs: 0,
    waits: [],
  },
  timesOut: {
    says: 'no answer within 10 s, and nothing done',
    applies: isServerCall,
    strike: () => ({ slowMs: LIFE_MS, failBefore: new UnknownOutcomeError('no answer within 10 s') }),
    lastsMs: LIFE_MS,
    waits: [],
  },
  timesOutAfter: {
    says: 'it took effect, and no answer came within 10 s',
    applies: isServerWrite,
    strike: () => ({ slowMs: LIFE_MS - 100, failAfter: new UnknownOutcomeError('no answer within 10 s') }),
    lastsMs: LIFE_MS,
    waits: [],
  },
  cannotConnect: {
    says: 'no connection',
    applies: (call) => isServerCall(call) || isWatch(call),
    strike: () => ({ failBefore: new NotDoneError('connection refused') }),
    lastsMs: 0,
    waits: [],
  },
  pageExpires: {
    says: 'a later page of a list is not to be had any more: 410',
    applies: isLaterPage,
    strike: () => ({ failBefore: new ExpiredError('the provided continue parameter is too old') }),
    lastsMs: 0,
    waits: [],
  },
  pageIsNewer: {
    says: 'a later page of a list comes three seconds after the one before, and shows what is there by then',
    applies: isLaterPage,
    strike: (simulation, call) => ({ slowMs: 3_000, instead: async () => await simulation.tampering.listOnFromNow(call) }),
    lastsMs: 3_000,
    waits: [],
  },
  relayDies: {
    says: 'the relay dies and is started again after 5 s',
    applies: isRelay,
    strike: () => ({ dies: 'before' }),
    lastsMs: 5_000,
    waits: [],
    waitsRelayed: ['answer'],
  },
  relayFreezes: {
    says: 'the relay stands still for two minutes',
    applies: isRelay,
    strike: () => ({ freezeMs: 120_000 }),
    lastsMs: 120_000,
    waits: [],
    waitsRelayed: ['answer'],
  },
  watchExpires: {
    says: 'the version that the watch asks for is forgotten: 410',
    applies: isWatch,
    strike: (simulation, call) => {
      simulation.server(simulation.clusterOf(call)).compact();
      return { failBefore: new ExpiredError('too old resource version') };
    },
    lastsMs: 0,
    waits: [],
  },
  watchIsReset: {
    says: 'the watch breaks off at once',
    applies: isWatch,
    strike: () => ({ failBefore: new UnknownOutcomeError('connection reset') }),
    lastsMs: 0,
    waits: [],
  },
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof CALL_FAULTS | keyof typeof WORLD_FAULTS | keyof typeof PROVIDER_FAULTS;

const ALL = { ...CALL_FAULTS, ...WORLD_FAULTS, ...PROVIDER_FAULTS };
export const FAULTS: Readonly<Record<FaultName, Fault>> = ALL;
export const FAULT_NAMES = Object.keys(FAULTS) as FaultName[];

/** One fault of a plan: at the call of that number. */
export interface Planned {
  call: number;
  fault: FaultName;
}

export type Plan = readonly Planned[];

export const planText = (plan: Plan): string => plan.map(({ call, fault }) => `${fault}@${call}`).join(',');

/** @throws Error with what is wrong with it */
export function parsePlan(text: string): Plan {
  return text
    .split(',')
    .filter(Boolean)
    .map((part) => {
      const [fault, call] = part.split('@');
      const name = FAULT_NAMES.find((known) => known === fault);
      if (!name || !/^\d+$/.test(call ?? ''))
        throw new Error(`"${part}" is no fault of a plan: expected NAME@CALL, NAME one of ${FAULT_NAMES.join(' ')}`);
      return { fault: name, call: Number(call) };
    });
}
