// Names of workloads for a shell that completes a word: soon or not at all, and never with a word about why not.
import { findKindNamed } from '../../kinds/kind-names.ts';
import { ALL_FACTS } from '../../kinds/facts.ts';
import type { WorkloadSummary } from '../../api/told-workload.ts';
import { isActing } from '../../objects/values/shown-text.ts';
import { connectToInstance } from '../instance/api-client.ts';

/** Longer than that a person waits for a key that does nothing. */
const ANSWER_WITHIN_MS = 1_000;
/** More are no help. */
const MOST_NAMES = 500;

/** @param begun as in `job/de`: the kind by any of its names. @returns texts that begin with it; none where nobody answers in time */
export async function offeredNames(begun: string): Promise<string[]> {
  const [kindText = '', name] = begun.split('/');
  const facts = findKindNamed(kindText, ALL_FACTS);
  if (!facts || name === undefined) return [];
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<{ items: WorkloadSummary[] }>((resolve) => {
    timer = setTimeout(() => resolve({ items: [] }), ANSWER_WITHIN_MS);
  });
  try {
    const query = new URLSearchParams({ kind: facts.kind, limit: String(MOST_NAMES), ...(name !== '' && { text: name }) });
    const asked = connectToInstance({}).get<{ items: WorkloadSummary[] }>(`/v1/workloads?${query.toString()}`);
    const { items } = await Promise.race([asked, late]);
    const texts = new Set(items.map((item) => `${kindText}/${item.name}`));
    return [...texts].filter((text) => text.startsWith(begun) && !isActing(text)).toSorted();
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}
