// The steps of an MPIJob: its objects, then its workers, then the launcher.
import type { ChildState } from '../../../objects/child-state.ts';
import type { KubernetesObject, Pod } from '../../../objects/kubernetes.ts';
import { CONFIG_MAPS, PODS, SERVICE_ACCOUNTS, type Resource } from '../../../objects/resources.ts';
import { aboutOf, nameKeyOf, type Action } from '../../rows/plan.ts';
import { correctAction, createActions, eventAction, type NewEvent } from '../objects/actions.ts';
import { TAKEN, type Reports } from '../memory/reports.ts';
import { configMapName, digestOfData, digestOfRules, launcherName, ROLE_BINDINGS, ROLES } from '../names/launcher-objects.ts';
import { livingIn, type Allowance, type Filled, type Judgement, type Situation, type Steps } from '../engine/situation.ts';
import {
  AGAIN_SECONDS,
  carriedBy,
  freeOpenings,
  inOnePass,
  NEXT_PODS_SECONDS,
  openingsIn,
  templateWarnings,
  type Filling,
  type Opening,
} from '../engine/staffing.ts';
import { allRunningEvent, evictionIn, launcherEvents } from './eviction.ts';
import * as objects from './objects.ts';
import { launcherPodOf, workerPodOf } from './pods.ts';

export const mpiSteps: Steps = {
  fill: workersThenLauncher,
  // The launcher, which still runs, must not reach for a failed worker.
  atEnd: (situation, judgement, reports) => (judgement.isLeaderOver ? [] : corrections(situation, judgement, reports)),
  findingsIn: (situation) => (hasOwnAccount(situation) ? { hasOwnAccount: true } : {}),
  failureIn: ({ terms }, judgement) => evictionIn(terms, judgement),
  events: ({ terms }, { counts }, reports) => {
    const runsAll = counts.of('Launcher').active === 1 && terms.replicas.every(({ type, wanted }) => counts.of(type).active === wanted);
    return runsAll && reports.isNews('running', 0) ? [allRunningEvent(terms)] : [];
  },
  endEvents: ({ terms }, { slots }) => launcherEvents(terms, slots.get(0)?.pod.phase),
};

function workersThenLauncher(situation: Situation, judgement: Judgement, { reports, mayCreate, createHold }: Allowance): Filled {
  const waits = createHold > 0 ? [createHold] : [];
  const nothing: Filled = { actions: [], waits, needsTemplates: false };
  if (judgement.isLeaderOver) return nothing;
  const { actions: beside, problem, awaitsDeletion } = besides(situation, reports, running(judgement));
  if (problem !== undefined) return { ...nothing, actions: beside, problem, waits: [...waits, AGAIN_SECONDS.taken] };
  const leavingLater = [...waits, AGAIN_SECONDS.leaving];
  if (awaitsDeletion) return { ...nothing, actions: beside, waits: leavingLater };
  const openings = openingsIn(situation, judgement);
  const { free, taken, leaving, actions: news } = freeOpenings(situation, openings, reports, OPENINGS);
  const first = taken[0];
  if (first)
    return { ...nothing, actions: [...beside, ...news], problem: takenEvent(first).message, waits: [...waits, AGAIN_SECONDS.taken] };
  if (leaving.length > 0) return { ...nothing, actions: behindConfigMap(situation, beside), waits: leavingLater };
  if (!mayCreate || free.length === 0) return { ...nothing, actions: behindConfigMap(situation, beside) };
  if (!situation.given.isWhole) return { ...nothing, needsTemplates: true };
  const workers = free.filter(({ replicas }) => replicas.type === 'Worker');
  const isUnanswered = situation.given.head.expectations.create.length > 0;
  const now = inOnePass(situation, workers);
  const made = workers.length > 0 ? now : isUnanswered ? [] : free;
  // More workers are to be made than one pass makes.
  const isCut = now.length < workers.length;
  return {
    ...nothing,
    actions: behindConfigMap(situation, [...beside, ...podCreates(situation, judgement, made)]),
    waits: isCut ? [...waits, NEXT_PODS_SECONDS] : waits,
    // Once the workers are there, the launcher is made in the same pass.
    continues: workers.length > 0 && workers.length < free.length && !isCut,
  };
}

/** All that would mount the config map, or serve those that do, is of no use where its name turns out to be somebody else's. */
function behindConfigMap({ terms }: Situation, actions: readonly Action[]): Action[] {
  const needs = aboutOf(CONFIG_MAPS, configMapName(terms));
  const isMade = actions.some((action) => action.verb === 'create' && aboutOf(action.resource, nameOfCreate(action)) === needs);
  if (!isMade) return [...actions];
  return actions.map((action) => {
    if (action.verb !== 'create' || action.resource === CONFIG_MAPS || action.resource === SERVICE_ACCOUNTS) return action;
    return { ...action, needs };
  });
}

const nameOfCreate = ({ object }: Extract<Action, { verb: 'create' }>): string => object.metadata.name ?? '';

/** Corrections of the objects beside the pods; nothing is made. */
const corrections = (situation: Situation, judgement: Judgement, reports: Reports): Action[] =>
  besides(situation, reports, running(judgement)).actions.filter(({ verb }) => verb === 'patch');

const takenText = (name: string, kind: string): string =>
  `Resource "${name}" of MPIJobKind "${kind}" already exists and is not managed by MPIJob`;

const takenEvent = ({ name }: Opening): NewEvent => ({ type: 'Warning', reason: 'ErrResourceExists', message: takenText(name, 'Pod') });

const OPENINGS: Filling = { resource: PODS, about: TAKEN.pods, eventOf: takenEvent };

const running = ({ slots }: Judgement): string[] =>
  [...slots.values()].filter(({ replicas, pod }) => replicas.type === 'Worker' && pod.phase === 'Running').map(({ pod }) => pod.name);

/** Account, config map, role and binding. The first whose name somebody else has ends the step. */
function besides(situation: Situation, reports: Reports, runningWorkers: readonly string[]): ObjectsStep {
  const { terms, checked, given } = situation;
  const launcher = launcherName(terms);
  const account = checked.account ?? launcher;
  const data = objects.configDataOf(terms, { isGpu: checked.isGpu === true, running: runningWorkers });
  const hasBinding = childOf(situation, ROLE_BINDINGS, launcher) !== undefined;
  const wanted: WantedObject[] = [
    // An account that the user made is never found among the job's own. It is tried for until there is a binding. One that was the job's
    // own is made again.
    {
      resource: SERVICE_ACCOUNTS,
      name: account,
      make: () => objects.accountOf(terms, account),
      isDone: hasBinding && checked.hasOwnAccount !== true,
      isAnybodys: true,
    },
    {
      resource: CONFIG_MAPS,
      name: configMapName(terms),
      make: () => objects.configMapOf(terms, data),
      digest: digestOfData(data),
      patch: { data },
      isDebounced: true,
    },
    {
      resource: ROLES,
      name: launcher,
      make: () => objects.roleOf(terms),
      digest: digestOfRules(objects.roleRulesOf(terms)),
      patch: { rules: objects.roleRulesOf(terms) },
    },
    { resource: ROLE_BINDINGS, name: launcher, make: () => objects.roleBindingOf(terms, account) },
  ];
  const actions: Action[] = [];
  for (const [at, { resource, name, make, digest, patch, isDebounced, isDone, isAnybodys }] of wanted.entries()) {
    const child = childOf(situation, resource, name);
    const holder = child ? undefined : given.held?.get(nameKeyOf(resource, name));
    if (holder?.isTerminating && !isAnybodys) return { actions, awaitsDeletion: true };
    if (holder && !isAnybodys) {
      const message = takenText(name, resource.kind);
      const event: NewEvent = { type: 'Warning', reason: 'ErrResourceExists', message };
      const isNews = reports.isNews('object', at);
      return { actions: [...actions, ...(isNews ? [eventAction(terms, event)] : [])], problem: message };
    }
    if (!child && !holder) reports.stays('object', at);
    if (!child && !holder && !isDone) actions.push(...createActions(terms, { resource, object: make() }, 'the launcher needs it'));
    const isRight = digest === undefined || (child?.part.facts as { digest?: string } | undefined)?.digest === digest;
    if (child && patch && !child.terminating && !isRight)
      actions.push(correctAction({ resource, child }, { type: 'merge', patch, isDebounced }, 'it is not as the launcher needs it'));
  }
  return { actions };
}

interface ObjectsStep {
  actions: Action[];
  problem?: string;
  /** An object that is being deleted has a name of the job's, as after a job was deleted and made anew. */
  awaitsDeletion?: true;
}

interface WantedObject {
  resource: Resource;
  name: string;
  make: () => KubernetesObject;
  /** Of what Farloop puts in. */
  digest?: string;
  patch?: object;
  /** Its content follows the workers that run. */
  isDebounced?: true;
  /** It was made before. */
  isDone?: boolean;
  /** It may belong to somebody else. */
  isAnybodys?: true;
}

/** Whether the account is the job's own. One that was stays so: its deletion is mended. */
const hasOwnAccount = (situation: Situation): boolean =>
  situation.checked.hasOwnAccount === true ||
  childOf(situation, SERVICE_ACCOUNTS, situation.checked.account ?? launcherName(situation.terms)) !== undefined;

const childOf = (situation: Situation, resource: Resource, name: string): ChildState | undefined =>
  livingIn(situation, resource).find((child) => child.name === name);

function podCreates(situation: Situation, judgement: Judgement, openings: readonly Opening[]): Action[] {
  const { terms, settings, gang, given, checked } = situation;
  const number = given.head.ordinal;
  const account = checked.account ?? launcherName(terms);
  const warnings = templateWarnings(
    situation,
    openings.filter(({ replicas }) => replicas.type === 'Launcher'),
  );
  return [
    ...warnings.map((event) => eventAction(terms, event)),
    ...openings.flatMap(({ replicas, index, slot, name }) => {
      const order = { replicas, index, number, failures: carriedBy(judgement, slot) };
      const isLauncher = replicas.type === 'Launcher';
      const object: Pod = isLauncher ? launcherPodOf(terms, order, { settings, gang, account }) : workerPodOf(terms, order, { gang });
      const event = isLauncher
        ? { reason: 'MPIJobRunning', message: `launcher pod created success: ${name}` }
        : { reason: 'SuccessfulCreatePod', message: `Created worker pod: ${name}` };
      return createActions(terms, { resource: PODS, object, child: { slot, number } }, `a slot of ${replicas.type} has no pod`, event);
    }),
  ];
}
