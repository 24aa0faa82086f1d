// What of an EKS cluster stops a registration before anything is made. The EKS API is a stand-in that tells of one cluster.
import { describe, expect, test } from '@jest/globals';
import type { EksClusterFacts } from '../../lib/adapters/eks/eks-access.ts';
import { refuseUnfitEksCluster } from '../../lib/onboarding/eks.ts';
import { planEks } from '../../lib/onboarding/eks.ts';

const CLUSTER = { name: 'shop', region: 'eu-central-1' };
const INSTALLATION = { stackName: 'farloop-prod', functionsRoleArn: 'arn:aws:iam::123456789012:role/functions' };

const refusalOf = async (
  facts: Partial<EksClusterFacts>,
  { needsEntry = true, functionsRoleArn = INSTALLATION.functionsRoleArn }: { needsEntry?: boolean; functionsRoleArn?: string } = {},
): Promise<string> => {
  const standIn = { describe: async (): Promise<EksClusterFacts> => ({ caPem: 'ours\n', takesEntries: true, ...facts }) };
  try {
    await refuseUnfitEksCluster(standIn, {
      eks: CLUSTER,
      installation: { ...INSTALLATION, functionsRoleArn },
      caPem: 'ours',
      needsEntry,
    });
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

describe('an EKS cluster', () => {
  test('that is the one behind the kubeconfig and asks its access entries is taken', async () => {
    expect(await refusalOf({})).toBe('');
  });

  test('that is not yet told its authority is taken: there is nothing to compare', async () => {
    expect(await refusalOf({ caPem: undefined })).toBe('');
  });

  test('with another authority than the kubeconfig is refused, with the command that writes the right one', async () => {
    expect(await refusalOf({ caPem: 'theirs' })).toContain('the kubeconfig leads to another cluster than shop of EKS in eu-central-1');
  });

  test('that asks no access entries is refused where one is needed, with the command that changes it', async () => {
    expect(await refusalOf({ takesEntries: false })).toContain('authenticationMode=API_AND_CONFIG_MAP');
    expect(await refusalOf({ takesEntries: false }, { needsEntry: false })).toBe('');
  });

  test('is refused by a stack that does not tell its role', async () => {
    expect(await refusalOf({}, { functionsRoleArn: '' })).toContain('deploy this version of Farloop over it');
  });
});

test('EKS is told only of the parts that it has', () => {
  const names = { relayNamespace: 'farloop', roleArn: 'arn:of:relay', functionsRoleArn: 'arn:of:functions' };
  expect(planEks(CLUSTER, { accessEntry: false, podIdentity: true }, names)).toEqual({
    cluster: CLUSTER,
    podIdentity: { namespace: 'farloop', serviceAccount: 'farloop-relay', roleArn: 'arn:of:relay' },
  });
  expect(planEks(CLUSTER, { accessEntry: true, podIdentity: false }, names)).toEqual({
    cluster: CLUSTER,
    accessEntry: { principalArn: 'arn:of:functions', group: 'farloop-functions' },
  });
});
