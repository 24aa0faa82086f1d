// The part of a live Job that the flight recorder stores.
import { jobFactsOf } from './terms/owner-facts.ts';
import type { Job } from '../../objects/kubernetes.ts';

/** The facts, and the fields of a live template that the planner reads: labels and the names of containers. */
export function recordedFactsOf(job: Job): Job {
  const facts = jobFactsOf(job);
  const { template } = job.spec;
  if (!template || template.spec.containers.length === 0 || !facts.spec.template) return facts;
  const { labels } = template.metadata ?? {};
  const spec = { ...facts.spec.template.spec, containers: template.spec.containers.map(({ name }) => ({ name })) };
  return { ...facts, spec: { ...facts.spec, template: { ...(labels && { metadata: { labels } }), spec } } };
}
