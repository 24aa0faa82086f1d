// Many stories at a time on one side.
import type { Outcome } from './outcome.ts';
import { Player } from './player.ts';
import type { Side } from './sides.ts';
import type { Gang, Story } from './story.ts';

const APART_MS = 150;

/** Events are best effort: those of a hundred jobs that begin in one moment would not all be told. @param at of those that begin together */
export const turnOf = async (at: number): Promise<void> => await new Promise((resolve) => setTimeout(resolve, at * APART_MS));

export interface PlayOptions {
  start: (gang: Gang | undefined) => Promise<Side>;
  quietMs: number;
  atOnce: number;
  /** Whether the gang schedulers' sides run beside the other one. */
  together: boolean;
}

/** @returns by story, in the order given; a story that could not be played by its error */
export async function playAll(
  stories: readonly Story[],
  { start, quietMs, atOnce, together }: PlayOptions,
): Promise<Map<string, Outcome | Error>> {
  const outcomes = new Map<string, Outcome | Error>();
  const playSome = async (gang: Gang | undefined, some: readonly Story[]): Promise<void> => {
    const side = await start(gang);
    const player = new Player({ client: side.client, quietMs });
    try {
      await player.open();
      const waiting = [...some];
      const playOn = async (at: number): Promise<void> => {
        await turnOf(at);
        for (let story = waiting.shift(); story; story = waiting.shift()) {
          const outcome = await player.play(story).catch((error: unknown) => error as Error);
          outcomes.set(story.name, outcome);
        }
      };
      await Promise.all(Array.from({ length: atOnce }, async (_, at) => await playOn(at)));
    } finally {
      player.close();
      await side.end();
    }
  };
  const byGang = [...Map.groupBy(stories, (story) => story.gang)];
  if (together) await Promise.all(byGang.map(async ([gang, some]) => await playSome(gang, some)));
  else for (const [gang, some] of byGang) await playSome(gang, some);
  return outcomes;
}
