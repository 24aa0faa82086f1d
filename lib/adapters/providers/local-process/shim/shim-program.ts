// The program that runs one pod: it outlives Farloop for a while, holds the pod's logs, and writes down how its commands ended.
// Started as `node shim-program FOLDER`.
import process from 'node:process';
import { PodRun } from './pod-run.ts';
import { claimPod, readRecord } from '../folder/records.ts';
import { ShimLink } from './shim-link.ts';

const [, , folder = ''] = process.argv;
const order = readRecord(folder, 'order');
if (order && claimPod(folder)) {
  let link: ShimLink | undefined;
  const run = new PodRun(folder, order, () => link?.changed());
  link = new ShimLink(
    { folder, socket: order.socket, goneMs: order.goneMs },
    {
      look: () => run.readOrders(),
      gone: () =>
        run.end({
          reason: 'Terminated',
          message: `Farloop was gone for more than ${Math.round(order.goneMs / 1000)} s, so its pods were ended`,
          isDisruption: true,
        }),
    },
  );
  process.on('SIGTERM', () =>
    run.end({ reason: 'Terminated', message: 'The process that holds this pod was asked to end', isDisruption: true }),
  );
  process.on('SIGINT', () => {});
  process.on('SIGHUP', () => {});
  await run.run();
  await link.close();
}
// Nothing that is still open may hold it up.
process.exit(0);
