// Every single fault of a story: each call of a run without faults is struck by each fault that can strike there, once by itself.
import { faultsOf, type CallLine, type Fault } from './run-calls.ts';
import { tell, type Story, type StoryFaults } from './run-story.ts';

/** Of a message that sweep finds to be lost, beyond a run without faults. A process that is killed takes no longer. */
const SECONDS_OF_A_LOSS = 100;

export interface Singles {
  plans: number;
  /** Each with its fault and call. */
  wrong: string[];
  seconds: number;
}

/** @param slice of the plans; absent: all */
export async function tellSingles(
  story: Story,
  by: NonNullable<StoryFaults['by']>,
  { from, every }: { from: number; every: number } = { from: 0, every: 1 },
): Promise<Singles> {
  const calm = await tell(story, { by });
  const singles: Singles = { plans: 0, wrong: calm.violations.map((violation) => `without faults: ${violation}`), seconds: calm.seconds };
  for (const { fault, at, call } of plansOf(calm.calls).filter((_, number) => number % every === from)) {
    const told = await tell(story, { by, faultAt: (number) => (number === at ? fault : undefined) });
    const late =
      by === 'messages' && told.seconds - calm.seconds > SECONDS_OF_A_LOSS
        ? [`it takes ${told.seconds} s, without faults ${calm.seconds}`]
        : [];
    singles.plans += 1;
    singles.seconds += told.seconds;
    singles.wrong.push(...[...told.violations, ...late].map((violation) => `${fault} at call ${at} (${call}): ${violation}`));
  }
  return singles;
}

const plansOf = (calls: readonly CallLine[]): { fault: Fault; at: number; call: string }[] =>
  calls.flatMap(({ call }, at) => faultsOf(call).map((fault) => ({ fault, at, call })));
