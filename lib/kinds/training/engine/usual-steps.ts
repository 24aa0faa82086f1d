// The steps of most frameworks: a pod and a service for each slot.
import type { Action } from '../../rows/plan.ts';
import type { Steps } from './situation.ts';
import {
  AGAIN_SECONDS,
  freeOpenings,
  inOnePass,
  NEXT_PODS_SECONDS,
  openingsIn,
  POD_OPENINGS,
  podCreates,
  SERVICE_OPENINGS,
  serviceChanges,
  serviceCreates,
} from './staffing.ts';

export const USUAL_STEPS: Steps = {
  fill(situation, judgement, { reports, mayCreate, createHold }) {
    const waits: number[] = [];
    const { missing, removals } = serviceChanges(situation);
    const services = freeOpenings(situation, missing, reports, SERVICE_OPENINGS);
    const served = inOnePass(situation, services.free);
    const { free, taken, leaving, actions: news } = freeOpenings(situation, openingsIn(situation, judgement), reports, POD_OPENINGS);
    if (taken.length + services.taken.length > 0) waits.push(AGAIN_SECONDS.taken);
    if (leaving.length + services.leaving.length > 0) waits.push(AGAIN_SECONDS.leaving);
    if (free.length > 0 && createHold > 0) waits.push(createHold);
    const openings = mayCreate ? inOnePass(situation, free) : [];
    if ((mayCreate && openings.length < free.length) || served.length < services.free.length) waits.push(NEXT_PODS_SECONDS);
    const needsTemplates = (openings.length > 0 || served.length > 0) && !situation.given.isWhole;
    const pods: { actions: Action[]; problem?: string } = needsTemplates ? { actions: [] } : podCreates(situation, judgement, openings);
    const creates = needsTemplates ? [] : [...pods.actions, ...serviceCreates(situation.terms, served)];
    return { ...pods, actions: [...removals, ...news, ...services.actions, ...creates], waits, needsTemplates };
  },
};
