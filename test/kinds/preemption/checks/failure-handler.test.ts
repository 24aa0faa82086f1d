// The worked cases H1 to H4, H6 to H9, H11, H13 and H14: which failures are left, and who makes room.
import { describe, expect, test } from '@jest/globals';
import type { Pod } from '../../../../lib/objects/kubernetes.ts';
import { isInsufficient, type AdmissionFailure } from '../../../../lib/kinds/preemption/checks/admission-failures.ts';
import { handleFailures } from '../../../../lib/kinds/preemption/checks/failure-handler.ts';
import { asking, FILE_SOURCE, fixtures, podOf } from '../fixtures.ts';

const { be, b, hrb, g, hrg, cc } = fixtures;
const fromFile = podOf('static', { requests: asking(100, 100), annotations: FILE_SOURCE });
const high = podOf('high', { requests: asking(100, 100), priority: 1_000_000_000 });

/** So much is missing. */
function lacking(resource: string, missing: bigint): AdmissionFailure {
  const capacity = resource === 'pods' ? missing + 1n : (missing * 5n) / 4n;
  return { resource, requested: missing, used: capacity, capacity };
}
const memory = (mebibytes: bigint): AdmissionFailure => lacking('memory', mebibytes * 2n ** 20n);
const other = { predicate: 'mock predicate error name', message: 'mock predicate error reason' };
const other2 = { predicate: 'other2', message: 'other2' };

interface Row {
  incoming: Pod;
  candidates: Pod[];
  failures: AdmissionFailure[];
  remaining: AdmissionFailure[] | 'error';
  victims?: string[];
}

const rows: Record<string, Row> = {
  H1: { incoming: cc, candidates: [cc], failures: [lacking('pods', 1n)], remaining: 'error' },
  H2: { incoming: g, candidates: [b], failures: [memory(1n)], remaining: [memory(1n)] },
  H3: { incoming: cc, candidates: [be], failures: [memory(1n)], remaining: 'error' },
  H4: { incoming: cc, candidates: [cc, be, b, hrb, g, hrg], failures: [memory(550n)], remaining: [], victims: ['hrb', 'hrg'] },
  H6: { incoming: g, candidates: [b], failures: [memory(1n), other], remaining: [memory(1n), other] },
  H7: { incoming: cc, candidates: [cc], failures: [lacking('pods', 1n), other], remaining: [other] },
  H8: { incoming: cc, candidates: [b], failures: [], remaining: [] },
  H9: { incoming: cc, candidates: [b], failures: [other, other2], remaining: [other, other2] },
  H11: { incoming: cc, candidates: [be, b], failures: [lacking('pods', 1n), lacking('cpu', 50n)], remaining: [], victims: ['b'] },
  H13: { incoming: fromFile, candidates: [b], failures: [lacking('cpu', 100n)], remaining: [], victims: ['b'] },
  H14: { incoming: high, candidates: [b], failures: [lacking('cpu', 100n)], remaining: [lacking('cpu', 100n)] },
};

describe('the failure handler', () => {
  test.each(Object.entries(rows))('%s', (_, { incoming, candidates, failures, remaining, victims = [] }) => {
    const handled = handleFailures({ incoming, candidates, failures, ordering: 'qos' });
    if ('error' in handled) {
      const [first] = failures.filter(isInsufficient);
      const text = `[(res: ${first?.resource}, q: ${first?.requested}), ]`;
      expect(handled.error).toBe(
        `preemption: error finding a set of pods to preempt: no set of running pods found to reclaim resources: ${text}`,
      );
      expect(remaining).toBe('error');
    } else {
      expect(handled.remaining).toEqual(remaining);
      expect(handled.victims.map(({ metadata }) => metadata.name)).toEqual(victims);
    }
  });
});
