// The providers of examples/virtual-node/provider, each as a process of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Pod } from '../lib/objects/kubernetes.ts';

export interface ExampleProvider {
  address: string;
  /** All that it knows. */
  pods: () => Promise<Pod[]>;
  /** It ends, and all that it runs. */
  stop: () => Promise<void>;
}

/** On a port that is free. */
export async function startExampleProvider(command: string, file: string): Promise<ExampleProvider> {
  const child = spawn(command, [file, '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const stop = async (): Promise<void> => {
    const ended = once(child, 'exit');
    if (!child.kill()) return;
    await ended;
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const [, address] = /(http:\S+)$/.exec(line) ?? [];
    if (address === undefined) continue;
    const pods = async (): Promise<Pod[]> => ((await (await fetch(`${address}/v1/pods`)).json()) as { items: Pod[] }).items;
    return { address, pods, stop };
  }
  throw new Error(`${file} has ended before it told its address`);
}
