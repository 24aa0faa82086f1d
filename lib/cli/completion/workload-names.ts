// Names of workloads and runs for a shell that completes a word: soon or not at all, and never with a word about why not.
import { findKindNamed } from '../../kinds/kind-names.ts';
import { ALL_FACTS } from '../../kinds/facts.ts';
import type { WorkloadSummary } from '../../api/told-workload.ts';
import { isActing } from '../../objects/values/shown-text.ts';
import { connectToInstance } from '../instance/api-client.ts';
import { namedRunIds, RUN_WORD } from '../run-records/run-named.ts';

/** Longer than that a person waits for a key that does nothing. */
const ANSWER_WITHIN_MS = 1_000;
/** More are no help. */
const MOST_NAMES = 500;

/** @param begun as in `job/de`: the kind by any of its names; `run/ni` for runs. @returns texts that begin with it; none where nobody answers in time */
export async function offeredNames(begun: string): Promise<string[]> {
  const [kindText = '', name] = begun.split('/');
  if (name === undefined) return [];
  const asked = namesOf(kindText, name);
  if (!asked) return [];
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string[]>((resolve) => {
    timer = setTimeout(() => resolve([]), ANSWER_WITHIN_MS);
  });
  try {
    const names = new Set(await Promise.race([asked, late]));
    return [...names]
      .map((each) => `${kindText}/${each}`)
      .filter((text) => text.startsWith(begun) && !isActing(text))
      .toSorted();
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}

/** @returns undefined: no workload and no run is called so */
function namesOf(kindText: string, begun: string): Promise<string[]> | undefined {
  const facts = findKindNamed(kindText, ALL_FACTS);
  if (facts) return workloadNames(facts.kind, begun);
  return kindText.toLowerCase() === RUN_WORD ? namedRunIds({}, MOST_NAMES) : undefined;
}

async function workloadNames(kind: string, begun: string): Promise<string[]> {
  const query = new URLSearchParams({ kind, limit: String(MOST_NAMES), ...(begun !== '' && { text: begun }) });
  const { items } = await connectToInstance({}).get<{ items: WorkloadSummary[] }>(`/v1/workloads?${query.toString()}`);
  return items.map((item) => item.name);
}
