// Every minute: due index, stale wakes, silent clusters (the safety net).
import type { Swept } from '../lib/reconciler/sweep.ts';
import { sweep } from '../lib/reconciler/sweep.ts';
import { runtime, warmUp } from '../lib/runtime.ts';

await warmUp();

export async function handler(): Promise<Swept> {
  const { ports } = await runtime();
  return await sweep(ports);
}
