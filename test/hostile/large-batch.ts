// A process of its own, whose heap is as large as a function's: a batch of nine messages of a few KB that unpack to as much as they can, and
// a good one. Prints what came of it.
import { listWorkloads } from '../../lib/api/workloads.ts';
import { ingestBatch } from '../../lib/reconciler/ingest.ts';
import { encodeEvents } from '../../lib/wire/events.ts';
import { embeddedPorts } from '../api/embedded-ports.ts';
import { sound } from './ingest-inputs.ts';
import { sealed } from './sealed.ts';

const UNPACKED_BYTES = 16 * 1_048_576 - 64;

/** What was within all limits of bytes, and parsed to several hundred MB. */
const hostile = (repeated: string, beginning: string): string =>
  sealed(`${beginning}${repeated.repeat(Math.floor((UNPACKED_BYTES - beginning.length - 8) / repeated.length))}0]}`);

const bodies = ['{},', '0,', '[],'].flatMap((repeated) =>
  ['{"reports":[', '{"\\u0072eports":[', '{"cluster":"local","reports":['].map((beginning) => hostile(repeated, beginning)),
);
const [report] = sound().reports;
if (!report?.observed) throw new Error('nothing to tell');
const owner = { ...report.owner, name: 'good' };
const object = { ...report.observed.object, metadata: { ...report.observed.object.metadata, name: 'good' } };
const good = encodeEvents(sound({ reports: [{ ...report, owner, observed: { ...report.observed, object } }] }));

const ports = await embeddedPorts('local');
const deliveries = [...bodies, good].map((body, at) => ({
  messageId: `${at}`,
  receiptHandle: 'none',
  receiveCount: 2,
  sentAtMs: Date.now(),
  body,
  senderId: 'local',
}));
const undone = await ingestBatch(deliveries, ports);
const { items } = await listWorkloads(ports, {}, { limit: 10 });
console.log(JSON.stringify({ undone: undone.length, known: items.map(({ name }) => name) }));
ports.close();
