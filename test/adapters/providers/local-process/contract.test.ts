// The contract of a provider, for pods that run as processes.
import { afterAll } from '@jest/globals';
import { until } from '../../../claims.ts';
import { providerContract, type ProviderUnderTest } from '../../../contracts/provider.ts';
import { LONG_MS, Opened, podOf, shell } from './opened.ts';

const closing: Promise<void>[] = [];
afterAll(async () => void (await Promise.all(closing)));

providerContract('local-process', (): ProviderUnderTest => {
  const opened = new Opened();
  return {
    provider: opened.node,
    other: opened.provider.of('other'),
    podOf: (uid) => podOf(uid, shell('sleep 1000')),
    until: async (condition) => await until('the condition', condition, LONG_MS),
    told: opened.changes,
    close: () => void closing.push(opened.close()),
  };
});
