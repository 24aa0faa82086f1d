// Who asks and what they may do, in the API's answers.
import * as v from 'valibot';
import { ACTION_NAMES } from '../../wire/words/action-words.ts';
import { text, yes } from './values.ts';

const rights = {
  mayAct: v.pipe(yes, v.description('Whether people may act on workloads. A gateway, or the cluster, may still refuse it.')),
  needs: v.exactOptional(v.pipe(text, v.description('The missing right, as in a refusal.'))),
  text: v.exactOptional(v.pipe(text, v.description('A sentence: what is missing, and how to give it.'))),
};

export const Me = v.object({
  name: v.pipe(text, v.description('As the gateway, or this machine, knows who asks; actions are noted under it.')),
  ...rights,
  clusters: v.array(v.object({ cluster: text, ...rights })),
  kinds: v.pipe(
    v.array(v.object({ kind: text, actions: v.array(v.picklist(ACTION_NAMES)) })),
    v.description('Which actions each kind has at all.'),
  ),
  console: v.exactOptional(v.pipe(text, v.description('Digest of the console that this server has: another one after an upgrade.'))),
});
