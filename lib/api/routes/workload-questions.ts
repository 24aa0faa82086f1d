// Routes that ask a workload's own cluster: its events and its manifest; and those by which people act on it.
import * as v from 'valibot';
import type { Ports } from '../../ports/ports.ts';
import { NO_NAMESPACE } from '../../objects/workload.ts';
import { ActionAnswer, actionsWith, ActionToken, EventsAnswer, ManifestAnswer, WantedAction } from '../../wire/words/action-words.ts';
import { OBJECT_NAME, UID } from '../../wire/words/names.ts';
import type { Told } from '../answers/values.ts';
import { DoneAction, Events, Manifest } from '../answers/workload-questions.ts';
import { RefusedRequestError } from '../routed-request.ts';
import { askAboutWorkload } from '../asking/workload-questions.ts';
import { kindNamed } from './parameters.ts';
import { route } from './route.ts';

const refusals = {
  403: 'the right for it is missing: `needs` names it',
  404: 'there is no such workload, cluster or kind',
  422: 'it cannot be asked of that workload',
  504: 'nobody has answered for the cluster in time',
};

export const ActionBody = actionsWith({
  token: v.exactOptional(v.pipe(ActionToken, v.description('Of the asker, for one action: the same one again does nothing twice.'))),
  uid: v.exactOptional(
    v.pipe(v.string(), v.regex(UID, 'a uid'), v.description('Of the workload that is meant: never a later one of its name.')),
  ),
  dryRun: v.exactOptional(v.pipe(v.boolean(), v.description('Answers what would happen, and does nothing. Needs neither token nor uid.'))),
});

const UNUSABLE =
  'the body must be JSON as in {"action": "suspend", "dryRun": true}: an action is suspend, resume, delete, retry ("indexes": "failed" for a part), scale with "replicas", or drain of a node; "token" has 8 to 64 letters, digits and dashes';

export const workloadQuestionRoutes = [
  route('GET /v1/workloads/{cluster}/{kind}/{namespace}/{name}/events', {
    summary: "The cluster's events about it and its pods: equal ones are one item, the newest last",
    answer: Events,
    errors: refusals,
    async handle(ports, { path }) {
      const { events, leftOut } = await askAboutWorkload(ports, path.cluster, { about: 'events', ...namedIn(path) }, EventsAnswer);
      return { items: events.map(({ first, last, ...event }) => ({ ...event, firstTime: first, lastTime: last })), leftOut };
    },
  }),
  route('GET /v1/workloads/{cluster}/{kind}/{namespace}/{name}/manifest', {
    summary: 'It as its API server has it, with the values of environment variables masked',
    answer: Manifest,
    errors: refusals,
    handle: async (ports, { path }) => await manifestOf(ports, path, 'masked'),
  }),
  // No GET: the gateway lets those who may only read make one.
  route('POST /v1/workloads/{cluster}/{kind}/{namespace}/{name}/manifest', {
    summary: 'It as its API server has it, with the values of environment variables, for those who may act; changes nothing',
    answer: Manifest,
    errors: refusals,
    handle: async (ports, { path }) => await manifestOf(ports, path, 'shown'),
  }),
  route('POST /v1/workloads/{cluster}/{kind}/{namespace}/{name}/actions', {
    summary: 'Suspends, resumes, scales, retries, deletes or drains it, once for a token; with dryRun it answers what would happen',
    body: ActionBody,
    unusableBody: UNUSABLE,
    answer: DoneAction,
    errors: {
      400: 'the body is not usable',
      ...refusals,
      409: 'it does not stand so that this can be done, or it is a later one of that name',
      413: 'the body is larger than 64 KiB',
    },
    async handle(ports, { path, body: { token, uid, dryRun = false, ...wanted }, by }) {
      if (!dryRun && (token === undefined || uid === undefined))
        throw new RefusedRequestError(
          400,
          'an action needs "token", of your own making, and "uid", of the workload: ask with "dryRun": true first, which answers the uid',
        );
      const question = {
        about: 'action' as const,
        ...namedIn(path),
        wanted: v.parse(WantedAction, wanted),
        ...(uid !== undefined && { uid }),
        ...(token !== undefined && { token }),
        isDryRun: dryRun,
        by,
      };
      const { metadata: _metadata, ...done } = await askAboutWorkload(ports, path.cluster, question, ActionAnswer);
      return done;
    },
  }),
] as const;

async function manifestOf(
  ports: Ports,
  path: Parameters<typeof namedIn>[0] & { cluster: string },
  values: 'shown' | 'masked',
): Promise<Told<typeof Manifest>> {
  const question = { about: 'manifest' as const, ...namedIn(path), values };
  const { manifest, maskedValues } = await askAboutWorkload(ports, path.cluster, question, ManifestAnswer);
  return { manifest, maskedValues };
}

/** @throws RefusedRequestError */
function namedIn({ kind, namespace, name }: { kind: string; namespace: string; name: string }): {
  kind: string;
  namespace: string;
  name: string;
} {
  const facts = kindNamed(kind);
  for (const part of namespace === NO_NAMESPACE ? [name] : [namespace, name])
    if (!OBJECT_NAME.test(part)) throw new RefusedRequestError(404, `${JSON.stringify(part)} is no name of an object`);
  return { kind: facts.kind, namespace: namespace === NO_NAMESPACE ? '' : namespace, name };
}
