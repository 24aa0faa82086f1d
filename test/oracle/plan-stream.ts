// `farloop plan --stream` alone: what the oracle is compared with.
import { planStream } from '../../lib/cli/plan-stream.ts';

await planStream(process.stdin, process.stdout);
