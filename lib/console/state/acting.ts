// An action that somebody is about to ask for, or has asked for. Which workloads are meant, and the token by which it is done once, are fixed
// when its dialog opens; both outlive a reload of the page, since an answer may be lost with it.
import { signal } from '@preact/signals';
import type { Answer } from '../../api/routes/route-table.ts';
import { ApiProblem } from '../../api-client/problems.ts';
import { apiPathOf, type Named } from './address.ts';
import { isSilence, post } from './call.ts';

export type Done = Answer<'POST /v1/workloads/{cluster}/{kind}/{namespace}/{name}/actions'>;

type ActionName = Done['action'];

export interface Target extends Named {
  uid: string;
}

/** What of it can be chosen in the dialog. */
export interface Choices {
  indexes?: 'all' | 'failed';
  replicas?: number;
  type?: string;
  undo?: boolean;
  force?: boolean;
}

export interface Acting {
  token: string;
  action: ActionName;
  targets: readonly Target[];
  /** Asked for before the page was loaded anew, and not answered then. */
  asked?: Choices;
}

const KEPT_AS = 'farloop-acting';

export const acting = signal<Acting | undefined>(restored());

export function openAction(action: ActionName, workloads: readonly Target[]): void {
  const targets = workloads.map(({ cluster, kind, namespace, name, uid }) => ({ cluster, kind, namespace, name, uid }));
  acting.value = { token: crypto.randomUUID(), action, targets };
}

export function closeAction(): void {
  acting.value = undefined;
  forget();
}

function restored(): Acting | undefined {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEPT_AS) ?? 'null');
    return typeof kept === 'object' && kept !== null && 'token' in kept && 'targets' in kept ? (kept as Acting) : undefined;
  } catch {
    return undefined;
  }
}

function keep(asked: Acting): void {
  try {
    sessionStorage.setItem(KEPT_AS, JSON.stringify(asked));
  } catch {
    return;
  }
}

function forget(): void {
  try {
    sessionStorage.removeItem(KEPT_AS);
  } catch {
    return;
  }
}

export type Outcome = { done: Done } | { problem: ApiProblem };

const AT_ONCE = 4;

/** Each target's outcome, as it comes. */
async function ofEach(
  { targets }: Acting,
  ask: (target: Target) => Promise<Done>,
  take: (target: Target, outcome: Outcome) => void,
): Promise<void> {
  const open = [...targets];
  const work = async (): Promise<void> => {
    for (let target = open.shift(); target; target = open.shift())
      try {
        take(target, { done: await ask(target) });
      } catch (error) {
        take(target, { problem: error instanceof ApiProblem ? error : new ApiProblem('foreign', String(error), { cause: error }) });
      }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

const bodyOf = ({ action, token }: Acting, { uid }: Target, choices: Choices): object => ({ action, ...choices, token, uid });
const pathOf = (target: Target): string => `${apiPathOf(target)}/actions`;

/** What would happen to each. */
export async function planAction(
  asked: Acting,
  choices: Choices,
  take: (target: Target, outcome: Outcome) => void,
  ending: AbortSignal,
): Promise<void> {
  const takeInTime = (target: Target, outcome: Outcome): void => {
    if (!ending.aborted) take(target, outcome);
  };
  await ofEach(
    asked,
    async (target) => await post<Done>(pathOf(target), { ...bodyOf(asked, target, choices), dryRun: true }, ending),
    takeInTime,
  );
}

const TRIES = 6;
const FIRST_AGAIN_MS = 1_000;
const TOO_MANY = 429;
const UNSIGNED = 401;

/** Does it, once for the token however often it is asked. A sign-in that expired meanwhile is waited for. */
export async function act(
  asked: Acting,
  choices: Choices,
  take: (target: Target, outcome: Outcome) => void,
  tellUnknown: (target: Target) => void,
): Promise<void> {
  keep({ ...asked, asked: choices });
  let isKnown = true;
  await ofEach(
    asked,
    async (target) => {
      for (let tries = 1, waitMs = FIRST_AGAIN_MS; ;) {
        try {
          return await post<Done>(pathOf(target), bodyOf(asked, target, choices));
        } catch (error) {
          if (!(error instanceof ApiProblem)) throw error;
          // `post` waits for the sign-in.
          if (error.status === UNSIGNED) continue;
          const mayPass = isSilence(error) || error.status === TOO_MANY;
          if (!mayPass || tries >= TRIES) {
            if (mayPass) isKnown = false;
            throw error;
          }
          tellUnknown(target);
          await new Promise((resolve) => setTimeout(resolve, waitMs));
          [tries, waitMs] = [tries + 1, waitMs * 2];
        }
      }
    },
    take,
  );
  if (isKnown) forget();
}
