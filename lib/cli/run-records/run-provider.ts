// The provider of a run, by the word of `--provider`. A new provider is a line in PROVIDERS and a case in `openProvider`.
import type { Clock } from '../../ports/clock.ts';
import type { Limits, Provider } from '../../ports/provider.ts';
import { problemOfProviderAddress } from '../../kinds/virtual-pod/provider-address.ts';
import { UsageError } from '../terminal/exit.ts';

export const PROVIDERS = ['simulated', 'local-process', 'podman', 'docker', 'http:ADDRESS'] as const;

/** Those that run pods on this machine. */
const HERE = ['local-process', 'podman', 'docker'] as const;
const hereIn = (word: string): (typeof HERE)[number] | undefined => HERE.find((each) => each === word);

export interface OpenProvider {
  provider: Provider;
  /** Changes of tasks. @returns how to end it */
  onChange: (listener: (change: { uid: string }) => void) => () => void;
  /** For people, before anything runs. */
  says: readonly string[];
  close(): void;
}

export interface ProviderGiven {
  /** As in the run's record. */
  word: string;
  node: string;
  /** The run's own; held by this process. */
  folder: string;
  clock: Clock;
  tokenFile?: string | undefined;
}

/** @returns why no run can be given to it, for people; undefined if it can */
export function providerProblem(word: string): string | undefined {
  if (word === 'simulated') return undefined;
  if (hereIn(word))
    return process.platform === 'linux' ? undefined : `Pods run on this machine on Linux alone, and this is ${process.platform}.`;
  const address = addressIn(word);
  if (address !== undefined) return problemOfProviderAddress(address);
  return `There is no provider ${JSON.stringify(word)}. Expected ${PROVIDERS.join(', ')}, as in http:http://127.0.0.1:9000.`;
}

/** Through the API nobody runs programs on this machine. */
export const problemThroughApi = (word: string): string | undefined =>
  hereIn(word)
    ? `${word} is for farloop run-once alone, which runs as the person who types it: expected simulated or http:ADDRESS.`
    : word === 'simulated' || addressIn(word) !== undefined
      ? providerProblem(word)
      : `There is no provider ${JSON.stringify(word)}. Expected simulated or http:ADDRESS, as in http:http://127.0.0.1:9000.`;

export const isHere = (word: string): boolean => hereIn(word) !== undefined;

/** Its tasks do not lie in the folder of the run. */
export const isElsewhere = (word: string): boolean => addressIn(word) !== undefined;

const addressIn = (word: string): string | undefined => (word.startsWith('http:') ? word.slice('http:'.length) : undefined);

/** Before anything is written: a token that cannot be shown. @throws UsageError */
export async function checkTokenFile({ word, tokenFile }: Pick<ProviderGiven, 'word' | 'tokenFile'>): Promise<void> {
  if (tokenFile === undefined) return;
  if (addressIn(word) === undefined) throw new UsageError('--provider-token-file is for a provider that is reached by HTTP');
  await (await import('../terminal/virtual-nodes.ts')).tokenIn(tokenFile);
}

/** Fields that no pod of it can have. @throws UsageError */
export async function limitsOf(given: Omit<ProviderGiven, 'folder'>): Promise<Limits['cannot']> {
  if (hereIn(given.word)) return (await import('../../adapters/providers/local-process/pod-limits.ts')).LIMITS.cannot;
  if (given.word === 'simulated') return [];
  const opened = await openProvider({ ...given, folder: '' });
  opened.close();
  return opened.provider.limits().cannot;
}

/** @throws UsageError */
export async function openProvider({ word, node, folder, clock, tokenFile }: ProviderGiven): Promise<OpenProvider> {
  const problem = providerProblem(word);
  if (problem !== undefined) throw new UsageError(problem);
  const address = addressIn(word);
  const here = hereIn(word);
  await checkTokenFile({ word, tokenFile });
  if (here) {
    const { LocalProcessProvider } = await import('../../adapters/providers/local-process/provider.ts');
    const engine = here === 'local-process' ? undefined : here;
    const processes = LocalProcessProvider.open({ folder, clock, ways: new Set([engine ?? 'processes']) });
    return followed(processes.of(node, engine), processes, processes.describe());
  }
  if (address === undefined) {
    const { SimulatedProvider } = await import('../../adapters/providers/simulated.ts');
    const simulated = SimulatedProvider.open({ folder, clock });
    return followed(simulated.of(node), simulated);
  }
  const [{ RemoteProviders }, { tokenIn }] = await Promise.all([
    import('../../adapters/providers/remote-providers.ts'),
    import('../terminal/virtual-nodes.ts'),
  ]);
  const remote = new RemoteProviders(clock);
  const provider = remote.of(node, node, {
    protocol: 'http',
    address,
    auth:
      tokenFile === undefined
        ? { kind: 'none' }
        : { kind: 'dynamic', credentials: async () => ({ authorization: `Bearer ${await tokenIn(tokenFile)}` }) },
  });
  return followed(provider, remote);
}

interface Followed {
  onChange(listener: (change: { uid: string }) => void): void;
  close(): void;
}

function followed(provider: Provider, source: Followed, says: readonly string[] = []): OpenProvider {
  return {
    provider,
    says,
    onChange: (listener) => {
      let isWanted = true;
      source.onChange((change) => isWanted && listener(change));
      return () => (isWanted = false);
    },
    close: () => source.close(),
  };
}
