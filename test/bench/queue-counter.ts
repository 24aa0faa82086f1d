// What an installation's queues cost of AWS, counted in a world: sends, receives and deletes, and invocations.
import type { World } from '../world/world.ts';

/** As in serverless.yml. */
export const BATCH = { events: 10, wakes: 10, timers: 10 };
export const QUEUES = ['events', 'wakes', 'timers'] as const;

/** What each part of an installation did. */
export class QueueCounter {
  /** Requests: ten messages are one. */
  readonly sends = { events: 0, wakes: 0, timers: 0, asks: 0 };
  /** Batches that a function was invoked with. */
  readonly batches = { events: 0, wakes: 0, timers: 0 };
  readonly messages = { events: 0, wakes: 0, timers: 0 };

  constructor(world: World) {
    const { queue } = world;
    const [send, receive] = [queue.send.bind(queue), queue.receive.bind(queue)];
    queue.send = async (name, messages) => {
      this.sends[name === 'events' || name === 'wakes' || name === 'timers' ? name : 'asks'] += Math.ceil(messages.length / 10);
      return await send(name, messages);
    };
    queue.receive = async (name, options) => {
      const received = await receive(name, options);
      if (name === 'events' || name === 'wakes' || name === 'timers') {
        this.batches[name] += Math.ceil(received.length / BATCH[name]);
        this.messages[name] += received.length;
      }
      return received;
    };
  }

  reset(): void {
    for (const counts of [this.sends, this.batches, this.messages]) for (const name of Object.keys(counts)) Reflect.set(counts, name, 0);
  }

  get sent(): number {
    return Object.values(this.sends).reduce((sum, count) => sum + count, 0);
  }

  get invocations(): number {
    return QUEUES.reduce((sum, name) => sum + this.batches[name], 0);
  }

  /** Receives and deletes. */
  get polls(): number {
    return 2 * this.invocations;
  }
}
