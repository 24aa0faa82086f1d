// A cluster that is registered again: what it was registered with and is not said this time.
import { describe, expect, test } from '@jest/globals';
import type { RegistrationRequest } from '../../lib/onboarding/registration-plan.ts';
import { unaskedChanges } from '../../lib/onboarding/unasked-changes.ts';
import { registered } from './registered.ts';

const SHOP = { name: 'shop', region: 'eu-west-1' };

const given =
  (...options: string[]) =>
  (option: string): boolean =>
    options.includes(option);

const cases: [string, Partial<RegistrationRequest>, string[]][] = [
  ['relayed access', { credential: { kind: 'none' } }, ['--access relayed']],
  ['all Jobs', { manages: ['all-jobs'] }, ['--manage all-jobs']],
  ['some namespaces', { namespaces: ['etl', 'batch'] }, ['--namespaces batch,etl']],
  ['a budget', { budget: { writesPerSecond: 500, burst: 1_000 } }, ['--budget 500']],
  ['groups of pods', { options: { 'workload-with-job': 'on' } }, ['--workload-with-job']],
  [
    "the kubeconfig's credential",
    { credential: { kind: 'given', credential: { kind: 'token', token: 't' } } },
    ['--credential kubeconfig'],
  ],
  ['IRSA', { identity: { kind: 'irsa' } }, ['--identity irsa']],
  [
    'another address',
    { server: { server: 'https://far.example.com', caPem: 'ca', tlsServerName: 'kubernetes' } },
    ['--server https://far.example.com', '--tls-server-name kubernetes'],
  ],
  ['EKS', { identity: { kind: 'podIdentity' }, credential: { kind: 'eks' }, eks: SHOP }, ['--identity pod-identity', '--credential eks']],
];

describe('registered again', () => {
  test.each(cases)('%s is not lost by being left out; as before, or by another word, it is no fault', (_name, change, options) => {
    const known = registered(change);
    expect(unaskedChanges(known, registered(), given())).toEqual(options);
    expect(unaskedChanges(known, registered(change), given())).toEqual([]);
    const names = options.map((option) => option.split(' ')[0]?.slice(2) ?? '');
    expect(unaskedChanges(known, registered(), given(...names))).toEqual([]);
  });

  test('what is asked for now that was not before is no fault', () => {
    for (const [, change, options] of cases) {
      const names = options.map((option) => option.split(' ')[0]?.slice(2) ?? '');
      expect(unaskedChanges(registered(), registered(change), given(...names, 'eks-cluster', 'eks-region'))).toEqual([]);
    }
  });

  test('what the way of before brought with it goes with it', () => {
    const dialled = registered({ server: { server: 'https://far.example.com', caPem: 'ca' } });
    expect(unaskedChanges(dialled, registered({ credential: { kind: 'none' } }), given('access'))).toEqual([]);
  });

  test('the region of a cluster of EKS is not that of the installation by silence', () => {
    const eks: Partial<RegistrationRequest> = { credential: { kind: 'eks' }, eks: SHOP };
    const elsewhere = registered({ ...eks, eks: { ...SHOP, region: 'eu-central-1' } });
    expect(unaskedChanges(registered(eks), elsewhere, given('credential', 'eks-cluster'))).toEqual(['--eks-region eu-west-1']);
  });

  test('what a record of an earlier version does not tell is not asked about', () => {
    const { record, access } = registered({ identity: { kind: 'irsa' } });
    const { identity: _identity, credential: _credential, ...earlier } = record;
    expect(unaskedChanges({ record: earlier, access }, registered(), given())).toEqual([]);
  });
});
