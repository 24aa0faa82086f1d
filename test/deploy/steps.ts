// Steps of one story on one stage: each is a test, and brings about what it needs where no other test has. So any of them may run alone,
// and in any order they tell the same.
import { test } from '@jest/globals';

/** @throws Error when it, or a step that it needs, has failed; however often it is asked for, it is tried once */
export type Step = () => Promise<void>;

/** @param needs what must have been before: also what would no longer go once this has been */
export function stepAfter(needs: readonly Step[], work: () => Promise<void>): Step {
  let tried: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    for (const need of needs)
      await need().catch((error: Error) => {
        throw error instanceof NotTriedError ? error : new NotTriedError(error);
      });
    await work();
  };
  return async () => await (tried ??= run());
}

/** One step of several that stand between: the first that failed is what there is to know. */
class NotTriedError extends Error {
  constructor(cause: Error) {
    super(`not tried, for a step that it needs has failed: ${cause.message}`, { cause });
  }
}

/** A step that is a test of that name. */
export function step(name: string, needs: readonly Step[], work: () => Promise<void>): Step {
  const own = stepAfter(needs, work);
  test(name, own);
  return own;
}
