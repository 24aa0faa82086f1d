// Work in parallel, bounded.

/** For work on workloads that mostly waits for the table and the queue. */
export const WORKLOADS_AT_ONCE = 50;

/**
 * Runs `work` on all items in their order, at most `limit` at once, and ends when all have ended. Throws the first error, after all have
 * ended.
 */
export async function inParallel<Item>(
  items: readonly Item[],
  limit: number,
  work: (item: Item, at: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const errors: unknown[] = [];
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const at = next++;
      try {
        await work(items[at] as Item, at);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  if (errors.length > 0) throw errors[0];
}
