// A process that holds a local-process provider, to be killed: `node provider-host.ts FOLDER GONE_MS [PODS]`. It starts the pods, as JSON, and then
// waits.
import { LocalProcessProvider } from '../../../../lib/adapters/providers/local-process/provider.ts';
import type { ResolvedPod } from '../../../../lib/objects/environment/sources.ts';
import { FAR, taskOf } from './opened.ts';

const [, , folder = '', goneMs = '', pods = '[]'] = process.argv;
const provider = LocalProcessProvider.open({ folder, clock: { nowMs: () => Date.now() }, goneMs: Number(goneMs), firstBackoffMs: 50 });
for (const pod of JSON.parse(pods) as ResolvedPod[]) await provider.of('here').start(taskOf(pod.metadata.uid ?? ''), pod, FAR);
process.stdout.write('started\n');
setInterval(() => {}, 1_000_000);
