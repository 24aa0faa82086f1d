// What is claimed of a running system: that it is so now, or comes about within a bound.

/** @throws Error `otherwise` */
export function check(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}

const LOOK_EVERY_MS = 50;

/** Waits for what is to come about. @returns whether it has, within that time */
export async function comesAbout(holds: () => boolean | Promise<boolean>, withinMs: number): Promise<boolean> {
  const endMs = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > endMs) return false;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  return true;
}

/**
 * The same for what must come about.
 * @param what as a sentence would name it: `the end of every Job`
 * @param seen what there was instead, told when it did not
 */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  withinMs = 15_000,
  seen: () => Promise<string> = async () => '',
): Promise<void> {
  if (!(await comesAbout(holds, withinMs))) throw new Error(`not within ${withinMs / 1000} s: ${what} ${await seen()}`.trimEnd());
}

/** The error of a call that must fail. */
export const failureOf = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    (value) => {
      throw new Error(`expected a failure, got ${JSON.stringify(value)}`);
    },
    (error: unknown) => error,
  );
