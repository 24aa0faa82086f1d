// A pass's own writes to the head, under its fence (R8).
import type { Ports } from '../../ports/ports.ts';
import type { HeadChange } from '../../ports/store.ts';
import { StaleWriteError } from '../../ports/store.ts';
import { OvertakenError } from './ending.ts';
import type { Pass } from './pass.ts';

/** @throws OvertakenError */
export async function writeHead({ store }: Pick<Ports, 'store'>, pass: Pass, change: HeadChange): Promise<void> {
  try {
    pass.pending.head = await store.updateHead(pass.key, { ifFence: pass.fence }, change);
  } catch (error) {
    if (error instanceof StaleWriteError) throw new OvertakenError('a later pass opened the head', { cause: error });
    throw error;
  }
}
