// Faults of the world rather than of a call: they strike at the moment of a call.
import type { Call } from './calls.ts';
import type { Fault } from './faults.ts';
import { isWrite } from './calls.ts';
import { Installation } from './installation.ts';
import type { Simulation } from './simulation.ts';
import { canEdit, canFight, editShortly, endNamespace, fight, hasNamespace, liveOwner, recreate } from './other-hands.ts';

const isFunction = ({ invocation, port }: Call): boolean => invocation !== undefined && port !== 'mapping';
const isPassCall = (call: Call): boolean => isFunction(call) && call.invocation?.function === 'reconcile';
const isWatchEvent = ({ port, method }: Call): boolean => port === 'source' && method === 'event';
const hasRunningPod = (simulation: Simulation, call: Call): boolean => simulation.tampering.hasRunningPod(simulation.clusterOf(call));
const isClusterOrStoreWrite = (call: Call): boolean =>
  isFunction(call) && isWrite(call) && (call.port === 'cluster' || call.port === 'store');

export const WORLD_FAULTS = {
  watchSkips: {
    says: 'the watch skips an event',
    applies: isWatchEvent,
    strike: (simulation) => simulation.tampering.fateOfEvent({ lost: true }),
    lastsMs: 0,
    waits: ['metadata list'],
  },
  watchFallsSilent: {
    says: 'the watch tells nothing any more, and does not end',
    applies: isWatchEvent,
    strike: (simulation) => simulation.tampering.fateOfEvent({ silent: true }),
    lastsMs: 0,
    waits: ['bookmark'],
  },
  watchLags: {
    says: 'the watch is half a minute late',
    applies: isWatchEvent,
    strike: (simulation) => simulation.tampering.fateOfEvent({ delayMs: 30_000 }),
    lastsMs: 30_000,
    waits: [],
  },
  secondRelay: {
    says: 'a second relay of the same cluster runs beside the first',
    applies: (call) => call.port === 'queue' && call.process.name.startsWith('relay') && call.method === 'send',
    strike: (simulation, call) => call.process.installation?.relays.start(simulation.clusterOf(call)),
    lastsMs: 0,
    waits: [],
  },
  listLags: {
    says: 'the relay lists from a replica that is behind',
    applies: ({ port, method }) => port === 'source' && method === 'listPage',
    canStrike: (simulation, call) => simulation.tampering.canListOlder(call),
    strike: (simulation, call) => ({ instead: async (effect) => await simulation.tampering.listOlder(call, effect) }),
    lastsMs: 0,
    waits: [],
  },
  tableIsWiped: {
    says: 'the table is dropped',
    applies: isPassCall,
    strike: (simulation) => simulation.tampering.wipeStore(),
    lastsMs: 0,
    waits: ['R1'],
    // Answers lie in it.
    waitsRelayed: ['answer'],
  },
  tableIsOld: {
    says: 'an old copy of the table takes its place',
    applies: isPassCall,
    strike: (simulation) => simulation.tampering.restoreStore(),
    lastsMs: 0,
    // The copy may be older than a workload.
    waits: ['heartbeat', 'R1'],
    waitsRelayed: ['answer'],
  },
  apiServerIsOld: {
    says: 'the API server is restored from a copy some seconds old',
    applies: (call) => isPassCall(call) && (call.port === 'cluster' || call.port === 'store'),
    canStrike: (simulation, call) => simulation.tampering.canRestore(simulation.clusterOf(call)),
    strike: (simulation, call) => simulation.tampering.restoreApiServer(simulation.clusterOf(call)),
    lastsMs: 0,
    waits: ['heartbeat'],
  },
  clockJumpsAhead: {
    says: "Farloop's clock jumps two minutes ahead",
    applies: isClusterOrStoreWrite,
    strike: (simulation) => simulation.jump(120_000),
    lastsMs: 0,
    // By a queue on that clock what is in flight comes back too.
    waits: ['visibility'],
  },
  clockJumpsBack: {
    says: "Farloop's clock jumps two minutes back",
    applies: isClusterOrStoreWrite,
    strike: (simulation) => simulation.jump(-120_000),
    // Timers of a queue on that clock wait for so much longer.
    lastsMs: 120_000,
    waits: [],
  },
  sleepsAndIsSetBack: {
    says: 'the function stands still for 30 s, and its clock is set back two minutes meanwhile',
    applies: isPassCall,
    strike: (simulation) => {
      simulation.jump(-120_000);
      return { freezeMs: 30_000 };
    },
    lastsMs: 120_000,
    waits: [],
  },
  clusterClockJumps: {
    says: "the cluster's clock jumps two minutes ahead",
    applies: (call) => call.port === 'cluster' && isWrite(call),
    strike: (simulation, call) => simulation.tampering.jumpCluster(simulation.clusterOf(call), 120_000),
    lastsMs: 0,
    waits: [],
  },
  podIsDeleted: {
    says: 'somebody deletes a running pod',
    applies: isPassCall,
    canStrike: hasRunningPod,
    strike: (simulation, call) => simulation.tampering.deletePod(simulation.clusterOf(call)),
    // The back-off of a second failure.
    lastsMs: 20_000,
    waits: [],
  },
  podIsForcedAway: {
    says: 'somebody deletes a running pod by force, finalizers and all',
    applies: isPassCall,
    canStrike: hasRunningPod,
    strike: (simulation, call) => simulation.tampering.forcePodAway(simulation.clusterOf(call)),
    // As far as its pod had come.
    lastsMs: 5_000,
    waits: [],
  },
  nameIsTaken: {
    says: 'somebody else has a pod of the name that is to be created',
    applies: (call) => call.port === 'cluster' && call.method === 'create' && (call.args[0] as { plural?: string }).plural === 'pods',
    // A workload whose names are used again waits for that name, for ever: that is a story of its own.
    canStrike: ({ kindOf }) => !kindOf.facts.pods?.namesAreReused,
    strike: (simulation, call) => simulation.tampering.takeName(call),
    lastsMs: 0,
    waits: [],
  },
  specIsEdited: {
    says: 'somebody labels the workload in the middle of a pass',
    applies: isPassCall,
    canStrike: (simulation, call) => simulation.tampering.hasOwner(call),
    strike: (simulation, call) => simulation.tampering.labelOwner(call),
    lastsMs: 0,
    waits: [],
  },
  fenceIsTaken: {
    says: 'a sweep takes the head for stale, and wakes it, while a pass is at work',
    applies: isPassCall,
    strike: (simulation, call) => simulation.tampering.takeFence(call),
    lastsMs: 0,
    waits: [],
  },
  otherController: {
    says: 'another controller writes the status once',
    applies: (call) => call.port === 'cluster' && call.method === 'patch',
    canStrike: (simulation, call) => simulation.tampering.canWriteForeignStatus(call),
    strike: (simulation, call) => simulation.tampering.writeForeignStatus(call),
    lastsMs: 0,
    waits: [],
  },
  otherControllerFights: {
    says: 'another controller runs the workload too, and writes its status again and again for some seconds',
    applies: (call) => call.port === 'cluster' && call.method === 'patch' && isPassCall(call),
    canStrike: canFight,
    strike: fight,
    lastsMs: 6_000,
    waits: ['park'],
  },
  secondFarloop: {
    says: 'a second Farloop, with a table and queues of its own, begins to run the same clusters',
    applies: isPassCall,
    canStrike: ({ installations }) => installations.length === 1,
    strike: (simulation) => {
      const second = new Installation(simulation);
      simulation.installations.push(second);
      second.start();
    },
    lastsMs: 0,
    waits: [],
  },
  namespaceEnds: {
    says: 'somebody deletes the namespace, workloads running in it',
    applies: isPassCall,
    canStrike: hasNamespace,
    strike: endNamespace,
    lastsMs: 0,
    waits: [],
  },
  ownerIsRecreated: {
    says: 'somebody deletes the workload and makes it anew under the same name',
    applies: isPassCall,
    canStrike: (simulation, call) => liveOwner(simulation, call) !== undefined,
    strike: recreate,
    // Its story is told from the beginning.
    lastsMs: 15_000,
    waits: [],
  },
  isSuspendedShortly: {
    says: 'somebody suspends the workload, and resumes it three seconds later',
    applies: isPassCall,
    canStrike: canEdit('suspended'),
    strike: editShortly('suspended'),
    // And its pods begin anew after that.
    lastsMs: 3_000 + 5_000,
    waits: [],
  },
  isScaledShortly: {
    says: 'somebody scales the workload down to one pod, and up again three seconds later',
    applies: isPassCall,
    canStrike: canEdit('scaledDown'),
    strike: editShortly('scaledDown'),
    // And some of its pods begin anew.
    lastsMs: 3_000 + 2_000,
    waits: [],
  },
  clusterGoesDark: {
    says: 'for 20 s nobody can connect to the cluster',
    applies: (call) => (call.port === 'cluster' || call.port === 'source') && call.method !== 'event',
    strike: (simulation, call) => {
      simulation.tampering.goDark(simulation.clusterOf(call), 20_000);
    },
    lastsMs: 20_000,
    waits: ['probe'],
  },
  clockIsAhead: {
    says: 'the clock of this one function is two minutes ahead',
    applies: isFunction,
    strike: (_, { process }) => void (process.skewMs = 120_000),
    lastsMs: 0,
    waits: [],
  },
  clockIsBehind: {
    says: 'the clock of this one function is two minutes behind',
    applies: isFunction,
    strike: (_, { process }) => void (process.skewMs = -120_000),
    lastsMs: 0,
    // Where it steps between planning a timer and sending it.
    waits: ['sweep'],
  },
  bookmarkGap: {
    says: 'the watch skips an event, and a bookmark says that all is told up to there',
    applies: (call) => isWatchEvent(call) && call.args[0] !== 'BOOKMARK',
    strike: (simulation) => simulation.tampering.fateOfEvent({ lost: true, bookmark: true }),
    lastsMs: 0,
    waits: ['metadata list'],
  },
  storeConflicts: {
    says: 'somebody else writes the view just before: the condition of the write fails',
    applies: (call) => call.port === 'store' && ['updateHead', 'putItem'].includes(call.method) && isFunction(call),
    strike: (simulation, call) => ({ instead: async (effect) => await simulation.tampering.writeViewFirst(call, effect) }),
    lastsMs: 0,
    waits: [],
  },
  eventsAreLate: {
    says: 'nothing is received from the events queue for half a minute: then all of it comes at once, of whichever cluster',
    applies: (call) => call.port === 'queue' && call.method === 'send' && call.args[0] === 'events',
    strike: (simulation) => simulation.holdQueue('events', 30_000),
    lastsMs: 30_000,
    waits: [],
  },
  wakesAreLate: {
    says: 'nothing is received from the wakes queue for a minute',
    applies: (call) => call.port === 'queue' && call.method === 'send' && call.args[0] === 'wakes',
    strike: (simulation) => simulation.holdQueue('wakes', 60_000),
    lastsMs: 60_000,
    waits: [],
  },
} satisfies Record<string, Fault>;
