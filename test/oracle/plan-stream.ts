// `farloop plan --stream` alone: what the oracle is compared with.
import { planStream } from '../../lib/cli/manifests/plan-stream.ts';

await planStream(process.stdin, process.stdout);
