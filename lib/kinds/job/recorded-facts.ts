// What the flight recorder keeps of a Job that was read live.
import { jobFactsOf } from '../../objects/job-facts.ts';
import type { Job } from '../../objects/kubernetes.ts';

/** The facts, and of the template, where it was read live, what the planner asks of it: labels, and whose containers there are. */
export function recordedFactsOf(job: Job): Job {
  const facts = jobFactsOf(job);
  const { template } = job.spec;
  if (!template || template.spec.containers.length === 0 || !facts.spec.template) return facts;
  const { labels } = template.metadata ?? {};
  const spec = { ...facts.spec.template.spec, containers: template.spec.containers.map(({ name }) => ({ name })) };
  return { ...facts, spec: { ...facts.spec, template: { ...(labels && { metadata: { labels } }), spec } } };
}
