// Events, manifests and actions in the API's answers.
import * as v from 'valibot';
import { ACTION_NAMES } from '../../wire/words/action-words.ts';
import { anyObject, count, text, time } from './values.ts';

export const Events = v.object({
  items: v.array(
    v.object({
      type: v.pipe(text, v.description('Normal or Warning.')),
      reason: text,
      object: v.object({ kind: text, name: text }),
      text,
      count: v.pipe(count, v.description('Equal ones are one item.')),
      firstTime: time,
      lastTime: time,
      source: text,
    }),
  ),
  leftOut: v.pipe(count, v.description('Older items that are not shown.')),
});

export const Manifest = v.object({
  manifest: v.pipe(anyObject, v.description('As the API server has it, without managedFields.')),
  maskedValues: v.pipe(count, v.description('Values of environment variables that stand as ***.')),
});

export const DoneAction = v.object({
  action: v.picklist(ACTION_NAMES),
  uid: v.pipe(text, v.description('Of the workload: the action is for it alone.')),
  result: v.pipe(v.picklist(['planned', 'done', 'unchanged']), v.description('planned: a dry run; unchanged: it stands so already.')),
  text: v.pipe(v.array(text), v.description('What would happen, or what was done: sentences.')),
  button: v.pipe(text, v.description('What a button for it says.')),
  endingPods: v.exactOptional(count),
  needsName: v.exactOptional(v.pipe(v.literal(true), v.description('So much goes that a person should type the name first.'))),
  created: v.exactOptional(v.pipe(text, v.description('Name of the workload that a retry makes.'))),
  by: v.exactOptional(v.pipe(text, v.description('Who asked for it first.'))),
  at: v.exactOptional(time),
});
