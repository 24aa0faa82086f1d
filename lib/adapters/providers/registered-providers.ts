// The providers behind virtual nodes of registered clusters, and the one of runs, as functions reach them: by https, at no address of a private network
// (R15), with a token of the secret store.
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { RemoteProvider } from '../../objects/placement/remote-provider.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import { TerminalError } from '../../ports/errors.ts';
import type { Provider } from '../../ports/provider.ts';
import { isForbiddenProvider, problemOfDistantProvider } from '../cluster-record/registered-access.ts';
import { ProviderTokens } from '../credentials/provider-tokens.ts';
import { RemoteProviders } from './remote-providers.ts';

/** No function lives long enough to be told of changes. */
const LOOK_AGAIN_SECONDS = 10;

export interface RegisteredProvidersOptions {
  client: () => Promise<SecretsManagerClient>;
  prefix: string;
  clock: Clock;
  allowLoopback: boolean;
}

/** @throws TerminalError nothing is sent to that address */
type Reached = (owner: string, node: string, way: RemoteProvider) => Provider;

function reached({ client, prefix, clock, allowLoopback }: RegisteredProvidersOptions, mend?: string): Reached {
  const tokens = new ProviderTokens({ client, prefix, clock, ...(mend !== undefined && { mend }) });
  const remote = new RemoteProviders(clock);
  return (owner, node, way) => {
    const problem = problemOfDistantProvider(way.address, { allowLoopback });
    if (problem !== undefined) throw new TerminalError(`the provider of ${node}: ${problem}`);
    return remote.of(`${owner} ${node}`, node, {
      ...way,
      refuses: (resolved) => isForbiddenProvider(resolved, { allowLoopback }),
      lookAgainSeconds: LOOK_AGAIN_SECONDS,
      auth: { kind: 'dynamic', credentials: async () => await tokens.of(owner, node), refused: () => tokens.forget(owner) },
    });
  };
}

export function providersOf(
  options: RegisteredProvidersOptions,
): (record: ClusterRecord, node: string, way: RemoteProvider | undefined) => Provider | undefined {
  const reach = reached(options);
  return ({ name: cluster }, node, way) => way && reach(cluster, node, way);
}

/** Its secret is `PREFIXruns/providers`. */
const OF_RUNS = 'runs';
const HTTP = 'http:';

/**
 * The provider of a run, by its word and its node.
 * @param own the word of the provider that the deployment names, as in `http:https://provider.example:9000`. Nothing is sent to another one: it would be
 * shown the token
 */
export function runProvidersOf(
  options: RegisteredProvidersOptions,
  own: string | undefined,
): (run: { provider: string; node: string }) => Provider {
  const reach = reached(options, 'docs/run-once.md says how');
  return ({ provider: word, node }) => {
    if (word !== own) return refusing(`its provider ${word} is not the one of this deployment: parameter runProvider`);
    try {
      return reach(OF_RUNS, node, { protocol: 'http', address: word.slice(HTTP.length) });
    } catch (error) {
      if (!(error instanceof TerminalError)) throw error;
      return refusing(error.message);
    }
  };
}

/** Calls fail for good, so a run comes to its end and says why. */
function refusing(why: string): Provider {
  const refuse = async (): Promise<never> => {
    throw new TerminalError(why);
  };
  return {
    start: refuse,
    update: refuse,
    stop: refuse,
    look: refuse,
    list: refuse,
    health: async () => ({ problem: why }),
    limits: () => ({ cannot: [] }),
  };
}
