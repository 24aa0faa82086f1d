// Every minute: due index, stale wakes, silent clusters (the safety net).
import type { Swept } from '../lib/reconciler/sweep.ts';
import { sweep } from '../lib/reconciler/sweep.ts';
import { runtime } from '../lib/runtime.ts';

export async function handler(): Promise<Swept> {
  const { ports } = await runtime();
  return await sweep(ports);
}
