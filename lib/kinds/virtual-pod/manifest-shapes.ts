// Fields that a node and its pods must have so that an admission can be decided. The API server refuses less: an amount of a node may be missing.
import * as v from 'valibot';
import type { Pod } from '../../objects/kubernetes.ts';
import { isQuantity, parseQuantity } from '../../objects/values/quantity.ts';
import { fieldsOf, isFields, listOf, type Fields } from '../../objects/values/untyped-fields.ts';
import { flag, list, object, optional, problemIn, text, time, type ShapeProblem } from '../rows/manifest-shapes.ts';

/** The first field of a Node that is missing or wrong; undefined if pods can be admitted to it. */
export function nodeProblem(node: Fields): ShapeProblem | undefined {
  const { name } = fieldsOf(node['metadata']);
  if (typeof name !== 'string' || name === '') return { field: 'metadata.name', expected: 'the name of the node', found: jsonOf(name) };
  const allocatable = fieldsOf(node['status'])['allocatable'];
  if (!isFields(allocatable) || Object.keys(allocatable).length === 0)
    return { field: 'status.allocatable', expected: 'the amounts that the node has for pods', found: jsonOf(allocatable) };
  return amountProblem(allocatable, 'status.allocatable');
}

/** The first field of a pod that is missing or wrong; undefined if its node can count it. */
export function roomProblem({ spec }: Pod): ShapeProblem | undefined {
  const pod: Fields = fieldsOf(spec);
  if (listOf(pod['containers']).length === 0)
    return { field: 'spec.containers', expected: 'at least one container', found: jsonOf(pod['containers']) };
  for (const containers of ['containers', 'initContainers'])
    for (const [at, { resources }] of listOf(pod[containers]).entries()) {
      const problem = resourcesProblem(resources, `spec.${containers}[${at}].resources`);
      if (problem) return problem;
    }
  return resourcesProblem(pod['resources'], 'spec.resources') ?? amountProblem(pod['overhead'], 'spec.overhead');
}

function resourcesProblem(resources: unknown, field: string): ShapeProblem | undefined {
  const { requests, limits } = fieldsOf(resources);
  return amountProblem(requests, `${field}.requests`) ?? amountProblem(limits, `${field}.limits`);
}

/** Most amounts are written like this, so they need no exact arithmetic to be known as amounts. */
const USUAL_AMOUNT = /^\d{1,15}(?:[numkMGTPE]|[KMGTPE]i)?$/;

function amountProblem(amounts: unknown, field: string): ShapeProblem | undefined {
  if (amounts === undefined) return undefined;
  if (!isFields(amounts)) return { field, expected: 'a map of quantities', found: jsonOf(amounts) };
  for (const resource of Object.keys(amounts)) {
    const amount = amounts[resource];
    if (typeof amount === 'string' && USUAL_AMOUNT.test(amount)) continue;
    if (!isQuantity(amount) || parseQuantity(amount).nanos < 0n)
      return { field: `${field}.${resource}`, expected: 'a quantity of 0 or more', found: jsonOf(amount) };
  }
  return undefined;
}

/** A wrong value as a message shows it: undefined if absent. */
const jsonOf = (value: unknown): string | undefined => (value === undefined ? undefined : JSON.stringify(value).slice(0, 80));

const admissionRecord = object({
  state: v.picklist(['new', 'admitted', 'preempting', 'rejected', 'cancelled'], 'new, admitted, preempting, rejected or cancelled'),
  reason: optional(text),
  message: optional(text),
  preemption: optional(
    object({
      victims: list(object({ namespace: text, name: text, uid: text, deadline: time, done: optional(flag), failed: optional(flag) })),
    }),
  ),
});
const headWithAdmission = object({ admission: optional(admissionRecord) });

/** The decision of an earlier pass, and how far it is carried out. */
export type AdmissionRecord = v.InferOutput<typeof admissionRecord>;

/** The `admission` of a Head document; undefined if it has none. */
export function readAdmission(head: Fields): { record: AdmissionRecord | undefined } | { problem: ShapeProblem } {
  const result = v.safeParse(headWithAdmission, head);
  return result.success ? { record: result.output.admission } : { problem: problemIn(headWithAdmission, head) };
}
