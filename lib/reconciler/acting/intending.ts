// A pass writes its intents down before it acts (R5): names to create, uids to delete, finalizers to strip.
import type { Action } from '../../kinds/rows/plan.ts';
import type { Ports } from '../../ports/ports.ts';
import { writeHead } from '../pass/head-write.ts';
import type { Pass } from '../pass/pass.ts';
import { durableText } from '../head/kept.ts';
import type { PassState } from '../head/pass-state.ts';
import { encodeState } from '../head/pass-state.ts';
import { isOwnerDelete } from '../pass/result.ts';

/** R5: names and uids are durable before the first call. The write fails if a later pass has acquired the head. @throws OvertakenError */
export async function intend(ports: Pick<Ports, 'store' | 'clock'>, pass: Pass, actions: readonly Action[]): Promise<void> {
  const intents: PassState['intents'] = { atMs: ports.clock.nowMs(), create: [], delete: [], strip: [] };
  for (const action of actions)
    if (action.verb === 'create')
      intents.create.push(...(pass.known.children.isCounted(action.resource) && action.child ? [action.child] : []));
    // The owner's delete needs no intent. It is safe to repeat, because the owner's uid is its precondition.
    else if (isOwnerDelete(pass, action)) continue;
    else if ((action.verb === 'delete' || action.verb === 'patch') && pass.known.children.isCounted(action.resource)) {
      const pod = pass.known.view.children.get(action.uid)?.child;
      const child = pod ? pass.known.childOf(pod) : action.uid;
      if (action.verb === 'delete') intents.delete.push(child);
      else if (action.isIntended) intents.strip.push(child);
    }
  const durable = durableText(pass.pending.state, pass.row.kept);
  if (intents.create.length + intents.delete.length + intents.strip.length > 0) {
    intents.create.push(...pass.pending.unanswered);
    pass.pending.state = { ...pass.pending.state, intents };
  } else if (durable === pass.pending.durable) return;
  await writeHead(ports, pass, { state: encodeState(pass.pending.state) });
  pass.pending.durable = durable;
}
