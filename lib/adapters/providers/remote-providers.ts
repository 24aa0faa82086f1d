// Providers beyond this process, each made when it is first asked for.
import { isLoopback } from '../../objects/values/loopback.ts';
import type { RemoteProvider } from '../../objects/placement/remote-provider.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Provider } from '../../ports/provider.ts';
import { HttpProvider } from './http.ts';
import { InterLinkProvider } from './interlink.ts';
import type { ServiceOptions } from './service.ts';
import type { TaskChange } from './simulated.ts';

/** The way to a provider, and how it lets one in. */
export type RemoteChoice = RemoteProvider &
  Pick<ServiceOptions, 'auth' | 'refuses'> & {
    /** Of a process that lives too short to be told of changes. */
    lookAgainSeconds?: number;
  };

type Known = RemoteProvider & { provider: HttpProvider | InterLinkProvider };

export class RemoteProviders {
  readonly #clock: Clock;
  readonly #byKey = new Map<string, Known>();
  readonly #listeners: ((change: TaskChange) => void)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param key of the node among all that this process serves. @throws TerminalError the address cannot be used */
  of(key: string, node: string, { protocol, lookAgainSeconds, ...way }: RemoteChoice): Provider {
    const known = this.#byKey.get(key);
    if (known?.address === way.address && known.protocol === protocol) return known.provider;
    known?.provider.close();
    const options = { ...way, node, clock: this.#clock };
    const provider =
      protocol === 'http'
        ? new HttpProvider({ ...options, ...(lookAgainSeconds === undefined ? toldBy(way) : { lookAgainSeconds }) })
        : new InterLinkProvider(options);
    for (const listener of this.#listeners) follow(provider, listener);
    this.#byKey.set(key, { protocol, address: way.address, provider });
    return provider;
  }

  onChange(listener: (change: TaskChange) => void): void {
    this.#listeners.push(listener);
    for (const { provider } of this.#byKey.values()) follow(provider, listener);
  }

  close(): void {
    for (const { provider } of this.#byKey.values()) provider.close();
  }
}

/** One elsewhere cannot reach this process. */
const toldBy = ({ address }: Pick<RemoteProvider, 'address'>): { isTold?: true } => (isLoopback(new URL(address)) ? { isTold: true } : {});

/** One that tells nobody is looked at again by its node's pass. */
function follow(provider: HttpProvider | InterLinkProvider, listener: (change: TaskChange) => void): void {
  if (provider instanceof HttpProvider) provider.onChange(listener);
}
