// What is asked of `spec.scheduling` of a Job.
import { describe, expect, test } from '@jest/globals';
import { validateJobScheduling, validateJobSchedulingUpdate } from '../../../lib/admission/job/job-scheduling-validation.ts';
import type { JobScheduling } from '../../../lib/objects/scheduling-policy.ts';

const refusedFields = (scheduling: JobScheduling): string[] =>
  validateJobScheduling({ parallelism: 3, scheduling }).map(({ field }) => field.replace('spec.scheduling.', ''));
const claims = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `c${at}`, resourceClaimName: 'x' }));

describe('scheduling of a Job', () => {
  test.each<[string, JobScheduling, string[]]>([
    ['nothing', {}, []],
    ['basic', { schedulingPolicy: { basic: {} } }, []],
    ['a gang', { schedulingPolicy: { gang: {} } }, []],
    ['a gang of all', { schedulingPolicy: { gang: { minCount: 3 } } }, []],
    ['no policy in it', { schedulingPolicy: {} }, ['schedulingPolicy']],
    ['two policies', { schedulingPolicy: { basic: {}, gang: {} } }, ['schedulingPolicy']],
    ['a gang of nobody', { schedulingPolicy: { gang: { minCount: 0 } } }, ['schedulingPolicy.gang.minCount']],
    ['a gang larger than parallelism', { schedulingPolicy: { gang: { minCount: 4 } } }, ['schedulingPolicy.gang.minCount']],
    ['one place', { schedulingConstraints: { topology: [{ key: 'topology.kubernetes.io/zone' }] } }, []],
    ['two places', { schedulingConstraints: { topology: [{ key: 'a' }, { key: 'b' }] } }, ['schedulingConstraints.topology']],
    ['a place that is none', { schedulingConstraints: { topology: [{ key: 'a b' }] } }, ['schedulingConstraints.topology[0].key']],
    ['disrupted one by one', { disruptionMode: { single: {} } }, []],
    ['disrupted in both ways', { disruptionMode: { single: {}, all: {} } }, ['disruptionMode']],
    ['disrupted in no way', { disruptionMode: {} }, ['disruptionMode']],
    ['four claims', { resourceClaims: claims(4) }, []],
    ['five claims', { resourceClaims: claims(5) }, ['resourceClaims']],
    ['a claim twice', { resourceClaims: [...claims(1), ...claims(1)] }, ['resourceClaims[1]']],
    ['a claim of nothing', { resourceClaims: [{ name: 'a' }] }, ['resourceClaims[0]']],
  ])('%s', (_, scheduling, refused) => expect(refusedFields(scheduling)).toEqual(refused));

  const gang = (minCount?: number): JobScheduling => ({ schedulingPolicy: { gang: minCount === undefined ? {} : { minCount } } });
  test.each<[string, JobScheduling | undefined, JobScheduling | undefined, boolean]>([
    ['nothing', gang(2), gang(2), true],
    ['the size of a gang', gang(2), gang(3), true],
    ['a size where none was given', gang(), gang(3), true],
    ['the policy', gang(2), { schedulingPolicy: { basic: {} } }, false],
    ['all of it', gang(2), undefined, false],
    ['what was not there', undefined, gang(2), false],
    ['how it is disrupted', gang(2), { ...gang(2), disruptionMode: { all: {} } }, false],
  ])('changing %s', (_, previous, next, allowed) => {
    const refusals = validateJobSchedulingUpdate({ ...(next && { scheduling: next }) }, { ...(previous && { scheduling: previous }) });
    expect(refusals).toHaveLength(allowed ? 0 : 1);
  });
});
