// The ends that a pass saw, remembered for people alone. They go into the head with the write that ends the pass, under its fence.
import { fallsAfter } from '../../objects/detail/falls.ts';
import type { PodFacts } from '../../objects/pods/pod-facts.ts';
import type { Pass } from '../pass/pass.ts';

/** Also of pods that are gone: the evidence of a replica that was made anew. */
function* podsSeen({ known }: Pass): Generator<PodFacts, void> {
  for (const { child } of known.view.children.values()) yield child;
}

export function rememberEnds(pass: Pass): void {
  const { facts, row } = pass;
  const { owner, viewAtStart } = pass.known;
  if (!facts.runsSince || !owner) return;
  const { fell, ran, ...state } = pass.pending.state;
  const since = facts.runsSince(owner);
  const falls = since === undefined ? undefined : fallsAfter(fell, podsSeen(pass), since);
  const before = viewAtStart.owner && !viewAtStart.owner.deleted ? viewAtStart.owner.object : undefined;
  const lengths = row.runLengths?.(ran, { before, after: owner }, podsSeen(pass));
  pass.pending.state = { ...state, ...(falls && { fell: falls }), ...(lengths && { ran: lengths }) };
}
