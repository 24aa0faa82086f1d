// Preloaded into `farloop up` (node --import): its relay is not in it, but in a process of its own, as beside a cluster of AWS. In its
// place stand the queues, as a service that `farloop relay` reports to. The product knows nothing of it.
import { registerHooks } from 'node:module';

const STAND_IN = new URL('./relay-stand-in.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '../../relay/relay.ts' && context.parentURL?.endsWith('/lib/cli/local/local-instance.ts')
      ? { url: STAND_IN, shortCircuit: true, format: 'module-typescript' }
      : next(specifier, context),
});
