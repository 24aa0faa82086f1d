// Every minute: due index, stuck heads, silent clusters (the safety net).
import type { Context } from 'aws-lambda';
import type { Swept } from '../lib/reconciler/sweep.ts';
import { sweep } from '../lib/reconciler/sweep.ts';
import { invocation, warmUp } from '../lib/runtime.ts';

await warmUp();

export async function handler(_event?: unknown, context?: Context): Promise<Swept> {
  return await invocation('sweep', context, async ({ ports }) => await sweep(ports));
}
