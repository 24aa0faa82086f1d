// `podReplacementPolicy`: whether terminating pods are replaced at once (sections 16.5, 23.2).
import { describe, expect, test } from '@jest/globals';
import { aJob } from '../builders.ts';
import { claimed, outcomeOf, planOf, type Case } from '../outcome.ts';

const cases: Case[] = [
  {
    name: 'case 37: replace failed pods alone',
    job: aJob({ parallelism: 1, podReplacementPolicy: 'Failed' }),
    pods: '1A 1F 1T',
    creates: 0,
    strips: 1,
    status: '1/0/0/1/1',
  },
  { name: 'case 38: replace terminating ones too', job: aJob({ parallelism: 1 }), pods: '1A 1F 1T', strips: 2, status: '1/0/0/2/1' },
  {
    name: 'case 39: a terminating pod holds its place',
    job: aJob({ completions: 5, podReplacementPolicy: 'Failed' }),
    pods: '1A 1T',
    creates: 0,
    status: '1/0/0/0/1',
  },
  { name: 'case 40: or does not', job: aJob({ completions: 5 }), pods: '1A 1T', creates: 1, strips: 1, status: '2/0/0/1/1' },
  {
    name: 'case 41: too many, replacing failed alone',
    job: aJob({ parallelism: 1, completions: 1, podReplacementPolicy: 'Failed' }),
    pods: '2A 4T',
    deletes: 1,
    strips: 1,
    status: '1/0/0/0/5',
  },
];

describe('pod replacement', () => {
  test.each(cases)('$name', (row) => {
    const [found, wanted] = claimed(row, planOf(row));
    expect(found).toEqual(wanted);
  });

  test('with a failure policy a missing replacement policy means Failed', () => {
    const rules = [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [5] } }];
    const { podReplacementPolicy: _, ...spec } = aJob({ parallelism: 1, completions: 2, podFailurePolicy: { rules } }).spec;
    const job = { ...aJob(), spec };
    expect(outcomeOf(planOf({ job, pods: '1T' }))).toMatchObject({ creates: 0, status: '0/0/0/0/1' });
  });
});
