// The part of a live training job that the flight recorder stores.
import { recordedTemplateOf } from '../../objects/pods/recorded-template.ts';
import { fieldsOf, isFields } from '../../objects/values/untyped-fields.ts';
import type { FrameworkNames } from './names/framework-names.ts';
import type { ReplicaSpec, TrainingJob } from './terms/job-types.ts';
import { trainingFactsOf } from './owner-facts.ts';
import { isReadLive } from '../rows/owner-facts.ts';

/** The facts, and the fields of live templates by which a planner decides. */
export function recordedFactsOf(names: FrameworkNames, job: TrainingJob): TrainingJob {
  const facts = trainingFactsOf(names, job);
  const replicas = fieldsOf(job.spec)[names.replicasField];
  if (isReadLive(facts) || !isFields(replicas)) return facts;
  const recorded = Object.entries(fieldsOf(facts.spec[names.replicasField])).map(([type, own]): [string, unknown] => {
    const { template } = fieldsOf(replicas[type]) as ReplicaSpec;
    return [type, isFields(own) && template ? { ...own, template: recordedTemplateOf(template) } : own];
  });
  return { ...facts, spec: { ...facts.spec, [names.replicasField]: Object.fromEntries(recorded) } };
}
