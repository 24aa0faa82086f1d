// Whose a Job is that Farloop does not manage, and what is said to do.
import { describe, expect, test } from '@jest/globals';
import { whoseText } from '../../../lib/cli/queries/whose-workload.ts';
import { jobShown } from '../../../lib/kinds/job/shown.ts';

const own = { manages: ['jobs'], namespaces: [] } as const;
const cases: { name: string; says: string[]; managedBy?: string; wanted?: string; takes?: Parameters<typeof whoseText>[2] }[] = [
  {
    name: 'no manager, on a cluster where Farloop takes its own',
    says: ['it names no manager, so the built-in', '"managedBy: farloop.dev/job"', 'cannot be changed', '--manage all-jobs'],
  },
  {
    name: 'the built-in controller by name',
    managedBy: 'kubernetes.io/job-controller',
    says: ['built-in Job controller', '--manage all-jobs'],
  },
  {
    name: 'another controller',
    managedBy: 'example.com/queue\u001b[31m',
    says: ['its spec.managedBy is "example.com/queue\\u001b[31m"', '"managedBy: farloop.dev/job"'],
  },
  { name: 'a cluster that drops the field', wanted: 'farloop.dev/job', says: ['dropped its spec.managedBy', '1.32'] },
  {
    name: 'a namespace that Farloop does not work in',
    takes: { manages: ['all-jobs'], namespaces: ['one', 'two'] },
    says: ['Farloop works in one, two only', '--namespace default'],
  },
];

describe('whose Job it is', () => {
  test.each(cases)('$name', ({ managedBy, wanted, takes = own, says }) => {
    const text = whoseText(jobShown, { namespace: 'default', ...(managedBy !== undefined && { managedBy }) }, takes, wanted);
    for (const part of says) expect(text).toContain(part);
    expect(text).not.toMatch(/\.$/);
  });
});
