// `farloop cluster`: contradictions are told before a file is read or anything is contacted.
import { expect, jest, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runWithin, temporaryFolder } from '../farloop-process.ts';

// Each starts a process of its own.
jest.setTimeout(120_000);

const NOWHERE = { AWS_REGION: 'us-east-1', AWS_ENDPOINT_URL: 'http://127.0.0.1:1', AWS_EC2_METADATA_DISABLED: 'true' };
const add = ['add', 'a', '--stage', 'prod', '--kubeconfig', '/nowhere'];

const cases: [string, string[], string][] = [
  ['no image', add, '--image is missing'],
  ['an image and no relay', [...add, '--image', 'i', '--no-relay'], '--image and --no-relay contradict each other'],
  ['Pod Identity of no cluster', [...add, '--image', 'i', '--identity', 'pod-identity'], 'needs --eks-cluster'],
  ['an EKS cluster for a user', [...add, '--image', 'i', '--eks-cluster', 'e'], '--eks-cluster is for --identity pod-identity'],
  ['a role for no EKS cluster', [...add, '--image', 'i', '--credential', 'eks'], '--credential eks needs --eks-cluster'],
  ['a region of no EKS cluster', [...add, '--image', 'i', '--eks-region', 'eu-central-1'], '--eks-region needs --eks-cluster'],
  ['an EKS cluster that cannot be', [...add, '--image', 'i', '--eks-cluster', 'a/b'], 'Expected the name of a cluster in EKS'],
  [
    'a role for what nothing dials',
    [...add, '--image', 'i', '--access', 'relayed', '--credential', 'eks', '--eks-cluster', 'e'],
    '--access relayed and --credential',
  ],
  [
    'Pod Identity elsewhere',
    [...add, '--no-relay', '--identity', 'pod-identity', '--eks-cluster', 'e'],
    '--identity pod-identity and --no-relay contradict',
  ],
  ["the relay's own namespace", [...add, '--image', 'i', '--namespaces', 'x,farloop'], 'where the relay itself lives'],
  [
    'more namespaces than are watched one by one',
    [...add, '--image', 'i', '--namespaces', Array.from({ length: 501 }, (_, at) => `team-${at}`).join(',')],
    '--namespaces names 501 namespaces, and at most 500 are watched one by one: leave it out',
  ],
  [
    'an address of what nothing dials',
    [...add, '--image', 'i', '--access', 'relayed', '--server', 'https://a'],
    '--access relayed and --server',
  ],
  ['a name that cannot be', ['add', 'Not_A_Name', '--stage', 'prod', '--kubeconfig', 'f'], 'Expected lower case letters'],
  ["a name whose queue is another's dead letters", ['add', 'a-dead', '--stage', 'prod', '--kubeconfig', 'f'], 'no -dead at the end'],
  [
    'a name that is too long together with its stage',
    ['add', 'n'.repeat(40), '--stage', 'production', '--kubeconfig', 'f', '--image', 'i'],
    'at most 39 letters',
  ],
  ['a kubeconfig that is not there', [...add, '--image', 'i'], 'kubeconfig /nowhere: it cannot be read'],
  ['removal with neither', ['remove', 'a', '--stage', 'prod'], 'give --kubeconfig'],
  [
    'removal with both',
    ['remove', 'a', '--stage', 'prod', '--kubeconfig', 'f', '--unreachable'],
    '--unreachable and --kubeconfig contradict',
  ],
  ['waiting blindly', ['drain', 'a', '--stage', 'prod', '--wait-minutes', '5'], '--wait-minutes needs --kubeconfig'],
  ['waiting for nothing', ['drain', 'a', '--stage', 'prod', '--undo', '--kubeconfig', 'f'], '--undo contradicts'],
  ['two installations', ['list', '--stage', 'prod', '--state', '/s'], '--state and --stage contradict each other'],
  ['a region of this machine', ['list', '--region', 'eu-central-1'], '--region needs --stage'],
];

test.each(cases)('%s is refused in a sentence', async (_name, args, sentence) => {
  const { exitCode, stdout, stderr } = await runWithin(['cluster', ...args], { environment: NOWHERE });
  expect(stderr).toContain(sentence);
  expect([stdout, exitCode === 2 || exitCode === 1]).toEqual(['', true]);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

const login = { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'login', interactiveMode: 'Never' } };
const authority = { 'certificate-authority-data': 'YQ==' };

test.each([
  ['a login plugin is no credential that a function could use', authority, login, 'none of which a function can use'],
  ['without an authority functions would believe any', {}, { token: 't' }, 'it names no certificate authority'],
  [
    'a function uses no proxy',
    { ...authority, 'proxy-url': 'http://p:1' },
    { token: 't' },
    'it leads through a proxy (proxy-url p:1), which functions never use',
  ],
  ['a function checks certificates', { 'insecure-skip-tls-verify': true }, { token: 't' }, 'which functions never do'],
])('%s', async (_name, cluster, user, sentence) => {
  const folder = temporaryFolder();
  const file = join(folder.path, 'kubeconfig');
  writeFileSync(
    file,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server: 'https://api.example.com', ...cluster } }],
      users: [{ name: 'u', user }],
    }),
  );
  try {
    const args = ['cluster', 'add', 'a', '--stage', 'prod', '--kubeconfig', file, '--image', 'i', '--credential', 'kubeconfig'];
    const { exitCode, stderr } = await runWithin(args, { environment: NOWHERE });
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(sentence) });
  } finally {
    folder.remove();
  }
});
