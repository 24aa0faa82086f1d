// Faults of a provider: of its calls, and of the words that it gives by itself.
import { NotDoneError, ThrottledError, UnknownOutcomeError } from '../../lib/ports/errors.ts';
import type { Call } from './calls.ts';
import type { Fault } from './faults.ts';

const isCall = ({ port, method }: Call): boolean => port === 'provider' && method !== 'tell';
const isOrder = ({ port, method }: Call): boolean => port === 'provider' && ['start', 'update', 'stop'].includes(method);
const isWord = ({ port, method }: Call): boolean => port === 'provider' && method === 'tell';

export const PROVIDER_FAULTS = {
  providerBreaks: {
    says: 'the provider answers 500 and did nothing',
    applies: isCall,
    strike: () => ({ failBefore: new UnknownOutcomeError('internal error of the provider') }),
    lastsMs: 0,
    waits: ['sending'],
  },
  providerTimesOut: {
    says: 'the provider does as it is told, and its answer is lost',
    applies: isOrder,
    strike: () => ({ slowMs: 9_000, failAfter: new UnknownOutcomeError('no answer of the provider') }),
    lastsMs: 10_000,
    waits: ['sending'],
  },
  providerThrottles: {
    says: 'the provider asks to come again in 5 s',
    applies: isCall,
    strike: () => ({ failBefore: new ThrottledError('too many requests to the provider', { retryAfterSeconds: 5 }) }),
    lastsMs: 5_000,
    waits: [],
  },
  providerIsDown: {
    says: 'nobody reaches the provider',
    applies: isCall,
    strike: () => ({ failBefore: new NotDoneError('the provider refuses connections') }),
    lastsMs: 0,
    waits: [],
  },
  wordIsLost: {
    says: 'a word of the provider about a task does not arrive',
    applies: isWord,
    strike: () => ({ instead: async () => undefined }),
    lastsMs: 0,
    waits: ['comparison'],
  },
  wordComesTwice: {
    says: 'a word of the provider about a task comes twice',
    applies: isWord,
    strike: () => ({
      instead: async (effect) => {
        await effect();
        return await effect();
      },
    }),
    lastsMs: 0,
    waits: [],
  },
  wordIsLate: {
    says: 'a word of the provider about a task comes two minutes late',
    applies: isWord,
    strike: () => ({ slowMs: 120_000 }),
    lastsMs: 120_000,
    waits: [],
  },
} satisfies Record<string, Fault>;
