// What functions of a world would write into their logs for their metrics: the lines of the embedded metric format, by invocation.
import { EmfTelemetry } from '../../lib/adapters/telemetry/emf-telemetry.ts';
import type { World } from '../world/world.ts';

/** Which queue brings work to which function. */
const FUNCTION_OF: Partial<Record<string, string>> = { events: 'ingest', wakes: 'reconcile', timers: 'timers' };

export class MetricLines {
  lines = 0;
  bytes = 0;
  /** Each metric with each set of values that it was told of: what CloudWatch bills. */
  readonly series = new Set<string>();

  /** From now on. */
  constructor(world: World) {
    const { queue, store, clock } = world;
    const telemetry = new EmfTelemetry({
      namespace: 'Farloop/prod',
      referenceMetrics: true,
      level: 'info',
      clock,
      write: (line) => this.#take(line),
    });
    world.onCount = (...counted) => telemetry.count(...counted);
    const [receive, remove] = [queue.receive.bind(queue), queue.delete.bind(queue)];
    const before = { requests: 0, writeUnits: 0, readUnits: 0 };
    const now = (): typeof before => {
      const { requests, writeUnits, indexUnits, readUnits } = store.meter;
      return { requests, writeUnits: writeUnits + indexUnits, readUnits };
    };
    // An invocation is what lies between a batch and its deletion.
    queue.receive = async (name, options) => {
      const received = await receive(name, options);
      const functionName = FUNCTION_OF[name];
      if (functionName !== undefined && received.length > 0) {
        Object.assign(before, now());
        telemetry.begin(functionName, 'request');
      }
      return received;
    };
    queue.delete = async (name, handles) => {
      if (FUNCTION_OF[name] !== undefined) {
        const { requests, writeUnits, readUnits } = now();
        const spent = {
          AwsRequests: requests - before.requests,
          WriteUnits: writeUnits - before.writeUnits,
          ReadUnits: readUnits - before.readUnits,
        };
        // Its digits are paid for, whatever it says.
        telemetry.end(spent, 2);
      }
      await remove(name, handles);
    };
  }

  reset(): void {
    this.lines = 0;
    this.bytes = 0;
  }

  #take(line: string): void {
    this.lines += 1;
    this.bytes += Buffer.byteLength(line);
    const told: Record<string, unknown> & { _aws: { CloudWatchMetrics: { Dimensions: string[][]; Metrics: { Name: string }[] }[] } } =
      JSON.parse(line);
    for (const { Dimensions, Metrics } of told['_aws'].CloudWatchMetrics)
      for (const dimensions of Dimensions)
        for (const { Name } of Metrics) this.series.add(JSON.stringify([Name, dimensions.map((name) => told[name])]));
  }
}
