// The image, the kustomize base and the chart of the relay say what `farloop cluster add` applies.
import { describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { files } from '../../infra/relay/manifests.ts';
import type { Manifest, RelayValues } from '../../lib/onboarding/relay-manifests.ts';
import { AWS_KEY_SECRET, OURS_LABEL, functionsManifests, relayAlone, relayManifests } from '../../lib/onboarding/relay-manifests.ts';
import { functionRules } from '../../lib/onboarding/rights.ts';
import { packageVersion } from '../../lib/files/package-files.ts';
import { managedKinds } from '../../lib/kinds/settings.ts';
import { allowedTo } from '../../lib/relay/commands/commands.ts';
import { RELAY_FOLDER, kustomized, renderChart } from './rendered-chart.ts';

const VALUES: RelayValues = {
  cluster: 'staging',
  namespace: 'relays',
  ownsNamespace: false,
  manages: ['all-jobs'],
  namespaces: [],
  functions: 'account',
  access: 'direct',
  commander: 'AROARECONCILE',
  era: 3,
  image: 'example/farloop-relay:1',
  region: 'eu-central-1',
  eventsQueueUrl: 'https://sqs.eu-central-1.amazonaws.com/123456789012/farloop-prod-events',
  asksQueueUrl: 'https://sqs.eu-central-1.amazonaws.com/123456789012/farloop-prod-relay-staging',
  identity: { kind: 'podIdentity' },
};

const JOBS_ALONE = managedKinds(VALUES.manages);

const chartValues = (): Record<string, string | number> => {
  const { cluster, era, image, region, eventsQueueUrl, asksQueueUrl, access, commander } = VALUES;
  return { cluster, era, image, region, eventsQueueUrl, asksQueueUrl, access, commander, manage: 'all-jobs' };
};

interface PodTemplate {
  spec: {
    automountServiceAccountToken: boolean;
    securityContext: object;
    containers: {
      image: string;
      args: string[];
      env: { name: string }[];
      securityContext: object;
      resources: object;
      envFrom?: object[];
    }[];
  };
}
const templateIn = (manifests: readonly Manifest[]): PodTemplate => {
  const deployment = manifests.find(({ kind }) => kind === 'Deployment');
  if (!deployment) throw new Error('no Deployment');
  return (deployment['spec'] as { template: PodTemplate }).template;
};

test('base and chart in the repository are those that their source gives: npm run relay:manifests', () => {
  for (const [path, content] of Object.entries(files(packageVersion())))
    expect([path, readFileSync(join(RELAY_FOLDER, path), 'utf8')]).toEqual([path, content]);
});

/** As `farloop cluster add` applies it, but for the label by which it knows its own. */
const relayAs = (values: Partial<RelayValues>): Manifest[] => {
  const { namespace = VALUES.namespace, ownsNamespace = false } = values;
  const ofNamespace = functionsManifests({ ...VALUES, namespace, ownsNamespace, functions: 'none' });
  return JSON.parse(
    JSON.stringify([...ofNamespace, ...relayAlone({ ...VALUES, ...values })], (key, value) => (key === OURS_LABEL ? undefined : value)),
  );
};
const nameOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;
const inOrder = (manifests: readonly Manifest[]): Manifest[] => manifests.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));

describe.each(['direct', 'relayed'] as const)('with %s access', (access) => {
  test('the rendered chart is the relay of farloop cluster add, but for the key of an IAM user, which it takes where there is one', () => {
    const rendered = renderChart({ ...chartValues(), access }, 'relays');
    const [container] = templateIn(rendered).spec.containers;
    expect(container?.envFrom).toEqual([{ secretRef: { name: AWS_KEY_SECRET, optional: true } }]);
    delete container?.envFrom;
    expect(inOrder(rendered)).toEqual(inOrder(relayAs({ access })));
  });

  test('R15: with virtual nodes the chart gives the rights of farloop cluster add, named node by node, and the relay their names', () => {
    const nodes = ['edge=http:https://one.example', 'far=http:https://two.example'];
    const manages = ['all-jobs', 'virtual-nodes'];
    const rendered = renderChart({ ...chartValues(), access, manage: manages.join(','), virtualNodes: nodes }, 'relays');
    const wanted = relayAs({ access, manages, options: { 'virtual-node': nodes.join(' ') } });
    const [container] = templateIn(rendered).spec.containers;
    delete container?.envFrom;
    expect(container?.args).toEqual(expect.arrayContaining(nodes.map((node) => `--virtual-node=${node}`)));
    const [theirs] = templateIn(wanted).spec.containers;
    // One argument tells all words there.
    if (theirs) theirs.args = [...theirs.args.filter((word) => !word.startsWith('--manage=')), `--manage=${manages.join(',')}`].toSorted();
    if (container) container.args = container.args.toSorted();
    expect(inOrder(rendered)).toEqual(inOrder(wanted));
    const named = rulesGivenTo('farloop-relay', rendered).filter(({ resources }) => /^(nodes|leases)/.test(resources[0] ?? ''));
    const onNodes = named.filter(({ verbs, resourceNames = [] }) => !verbs.includes('create') && !resourceNames.includes('farloop-relay'));
    expect(onNodes.length).toBeGreaterThan(1);
    for (const { resourceNames } of onNodes) expect(resourceNames).toEqual(['edge', 'far']);
  });

  test('R15: without virtual nodes no right to a node or to its lease is given, whatever is managed', () => {
    for (const virtualNodes of [[], undefined]) {
      const manage = 'all-jobs,virtual-nodes';
      const rendered = renderChart({ ...chartValues(), access, manage, ...(virtualNodes && { virtualNodes }) }, 'relays');
      const rules = rulesGivenTo('farloop-relay', rendered).flatMap(({ resources }) => resources);
      expect(rules.filter((resource) => /^nodes|^secrets|^configmaps/.test(resource))).toEqual([]);
      expect(rendered.filter(({ metadata }) => metadata.namespace === 'kube-node-lease')).toEqual([]);
    }
  });

  test('kustomize, with the settings filled in, makes the relay of farloop cluster add, in the namespace farloop', () => {
    const { cluster, era, image, region, eventsQueueUrl, asksQueueUrl, commander } = VALUES;
    const settings = {
      CLUSTER: cluster,
      EVENTS_QUEUE_URL: eventsQueueUrl,
      ASKS_QUEUE_URL: asksQueueUrl,
      MANAGE: 'all-jobs',
      ERA: String(era),
      COMMANDER: commander,
      AWS_REGION: region,
    };
    const kustomization = load(readFileSync(join(RELAY_FOLDER, 'base', 'kustomization.yaml'), 'utf8')) as {
      configMapGenerator: { name: string; literals: string[] }[];
    };
    const [generated] = kustomization.configMapGenerator;
    expect(generated?.literals.map((literal) => literal.split('=')[0])).toEqual(Object.keys(settings));
    // As the kubelet puts variables into arguments.
    const made = JSON.stringify(kustomized(access === 'direct' ? 'base' : 'relayed'));
    const filled = JSON.parse(
      made.replaceAll(/\$\((\w+)\)/g, (whole, name: string) => settings[name as keyof typeof settings] ?? whole),
    ) as Manifest[];
    const wanted = relayAs({ access, namespace: 'farloop', ownsNamespace: true });
    const [ours, theirs] = [templateIn(filled).spec.containers[0], templateIn(wanted).spec.containers[0]];
    expect(ours?.envFrom).toEqual([{ configMapRef: { name: generated?.name } }, { secretRef: { name: AWS_KEY_SECRET, optional: true } }]);
    expect(theirs?.env).toContainEqual({ name: 'AWS_REGION', value: region });
    if (ours && theirs) {
      delete ours.envFrom;
      // It comes with the other settings; which image it is, kustomize says.
      theirs.env = theirs.env.filter(({ name }) => name !== 'AWS_REGION');
      expect(ours.image).toBe('farloop-relay');
      ours.image = image;
    }
    expect(inOrder(filled)).toEqual(inOrder(wanted));
  });

  test('Helm takes over nothing that it has not made: the chart has no object that farloop cluster add --no-relay has made before', () => {
    const made = functionsManifests({ ...VALUES, ownsNamespace: true, functions: 'account', access }).map(nameOf);
    expect(made).toContain('ServiceAccount relays/farloop-functions');
    expect(renderChart({ ...chartValues(), access }, 'relays').filter((manifest) => made.includes(nameOf(manifest)))).toEqual([]);
  });

  test("the relay's rights in the chart, the base and its overlay are those that it needs: all that it carries out, or to read only", () => {
    const makes = {
      chart: renderChart({ ...chartValues(), access }, 'relays'),
      kustomize: kustomized(access === 'direct' ? 'base' : 'relayed'),
    };
    for (const manifests of Object.values(makes)) {
      const rules = rulesGivenTo('farloop-relay', manifests);
      const may = (verb: string, resource: string): boolean =>
        rules.some(({ resources, verbs }) => resources.includes(resource) && verbs.includes(verb));
      expect([may('watch', 'pods'), may('create', 'pods'), may('patch', 'jobs/status')]).toEqual([
        true,
        access === 'relayed',
        access === 'relayed',
      ]);
      expect(templateIn(manifests).spec.containers[0]?.args).toContain(`--access=${access}`);
    }
  });
});

interface Rule {
  apiGroups: string[];
  resources: string[];
  resourceNames?: string[];
  verbs: string[];
}

/** @param account a service account */
function rulesGivenTo(account: string, manifests: readonly Manifest[]): Rule[] {
  const bindings = manifests.filter(
    ({ kind, subjects }) => kind.endsWith('Binding') && (subjects as { name: string }[])[0]?.name === account,
  );
  const roles = new Set(bindings.map(({ roleRef }) => (roleRef as { name: string }).name));
  return manifests.flatMap(({ metadata, rules }) => (rules !== undefined && roles.has(metadata.name ?? '') ? (rules as Rule[]) : []));
}

test('the chart asks for what it cannot know, by name', () => {
  const defaults = load(readFileSync(join(RELAY_FOLDER, 'chart', 'values.yaml'), 'utf8')) as Record<string, string>;
  expect(() => renderChart({ ...chartValues(), image: '' }, 'relays')).toThrow('image is missing');
  expect(() => renderChart(defaults, 'relays')).toThrow('is missing');
});

describe('pods scheduled as a group: rights for it', () => {
  const rulesOf = (account: string, values: Partial<RelayValues>): Rule[] =>
    rulesGivenTo(account, relayManifests({ ...VALUES, ...values }));
  const ofScheduling = (rules: readonly Rule[]): Rule[] => rules.filter(({ apiGroups }) => apiGroups.includes('scheduling.k8s.io'));
  const granted = ['workloads', 'podgroups'].map((resource) => ({
    apiGroups: ['scheduling.k8s.io'],
    resources: [resource],
    verbs: ['get', 'list', 'create', 'patch'],
  }));

  test('whoever carries out what passes want has them where the switch is on, and nobody else', () => {
    expect(ofScheduling(rulesOf('farloop-functions', { options: { 'workload-with-job': 'on' } }))).toEqual(granted);
    expect(ofScheduling(rulesOf('farloop-relay', { options: { 'workload-with-job': 'on' } }))).toEqual([]);
    const relayed = { functions: 'none', access: 'relayed' } as const;
    expect(ofScheduling(rulesOf('farloop-relay', { ...relayed, options: { 'workload-with-job': 'on' } }))).toEqual(granted);
    for (const role of ['farloop-functions', 'farloop-relay'])
      for (const values of [{}, relayed]) expect(ofScheduling(rulesOf(role, values))).toEqual([]);
  });

  test('the rights that docs/clusters.md names for a relay with relayed access are those that cluster add gives it', () => {
    const page = readFileSync(join(RELAY_FOLDER, '..', '..', 'docs', 'clusters.md'), 'utf8').replaceAll('\n', ' ');
    const [, sentence = ''] = /what passes do, beside the watches: (.*?); with `--namespace`/.exec(page) ?? [];
    const named = [...sentence.matchAll(/`([\w/]+)` ((?:[a-z]+, )*?[a-z]+)(?=;|$|, for)/g)].map(([, resource = '', verbs = '']) => [
      resource,
      verbs.split(', '),
    ]);
    const rules = functionRules(JOBS_ALONE).map(({ resources, verbs }) => [resources[0], verbs]);
    expect(named).toEqual(rules);
  });

  test('what a relay carries out, its rights allow', () => {
    const rules = rulesOf('farloop-relay', { functions: 'none', access: 'relayed', actions: true, options: { 'workload-with-job': 'on' } });
    for (const { resource, verbs } of allowedTo(JOBS_ALONE)) {
      const group = resource.apiVersion.includes('/') ? resource.apiVersion.replace(/\/.*/, '') : '';
      const allowed = rules.filter(
        ({ apiGroups, resources }) =>
          apiGroups.includes(group) &&
          resources.some((name) => [name.replace(/\/.*/, ''), name.replace('/', '.')].includes(resource.plural)),
      );
      expect({ resource, missing: verbs.filter((verb) => !allowed.some((rule) => rule.verbs.includes(verb))) }).toEqual({
        resource,
        missing: [],
      });
    }
  });
});

describe('the relay on a cluster', () => {
  const { spec } = templateIn(relayManifests(VALUES));

  test('runs as nobody, on a read-only root, without capabilities, within limits', () => {
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 65_532, seccompProfile: { type: 'RuntimeDefault' } });
    expect(spec.automountServiceAccountToken).toBe(false);
    for (const { securityContext, resources } of spec.containers) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
        readOnlyRootFilesystem: true,
      });
      expect(resources).toMatchObject({ requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '512Mi' } });
    }
    expect(readFileSync(join(RELAY_FOLDER, 'Dockerfile'), 'utf8')).toContain('USER 65532:65532');
  });

  interface NetworkRule {
    to?: { ipBlock: { cidr: string } }[];
    ports: { protocol: string; port: number }[];
  }
  interface NetworkSpec {
    ingress: NetworkRule[];
    egress: NetworkRule[];
    podSelector: object;
    policyTypes: string[];
  }
  const networkOf = (values: Partial<RelayValues> = {}): NetworkSpec => {
    const policy = relayManifests({ ...VALUES, ...values }).find(({ kind }) => kind === 'NetworkPolicy');
    return policy?.['spec'] as NetworkSpec;
  };
  const portsOf = (rules: readonly NetworkRule[]): string[] =>
    rules.flatMap(({ ports }) => ports.map(({ protocol, port }) => `${protocol} ${port}`));

  /** Of the Service, and behind it on most clusters, on OpenShift and on Gardener's, for networks that see that one. */
  const dns = ['UDP 53', 'TCP 53', 'UDP 5353', 'TCP 5353', 'UDP 8053', 'TCP 8053'];

  test('speaks with nobody but names, AWS and the API server, and is asked for its probes alone', () => {
    const { ingress, egress, podSelector, policyTypes } = networkOf({ identity: { kind: 'user' } });
    expect(policyTypes).toEqual(['Ingress', 'Egress']);
    expect(portsOf(ingress)).toEqual(['TCP 8081']);
    expect(portsOf(egress)).toEqual([...dns, 'TCP 443', 'TCP 6443']);
    const deployment = relayManifests(VALUES).find(({ kind }) => kind === 'Deployment');
    expect(deployment).toMatchObject({ spec: { selector: podSelector } });
  });

  test('reaches an API server and an AWS endpoint at ports of their own, and the agent of EKS where that gives it its role', () => {
    const others = { identity: { kind: 'user' }, apiServerPort: 16_443, awsEndpointUrl: 'http://aws.test:4566' } as const;
    expect(portsOf(networkOf(others).egress).slice(dns.length)).toEqual(['TCP 443', 'TCP 6443', 'TCP 16443', 'TCP 4566']);
    const agent = networkOf({ identity: { kind: 'podIdentity' } }).egress.at(-1);
    expect(agent).toMatchObject({
      to: [{ ipBlock: { cidr: '169.254.170.23/32' } }, { ipBlock: { cidr: 'fd00:ec2::23/128' } }],
      ports: [{ protocol: 'TCP', port: 80 }],
    });
    // By no rule can a pod ask the node's metadata for the node's own role.
    for (const kind of ['user', 'podIdentity'] as const)
      for (const { to, ports } of networkOf({ identity: { kind } }).egress)
        if (ports.some(({ port }) => port === 80)) expect(to).not.toContainEqual({ ipBlock: { cidr: '169.254.169.254/32' } });
    expect(portsOf(networkOf({ identity: { kind: 'user' } }).egress)).not.toContain('TCP 80');
  });

  test('its image is built on a base image that is named by its digest, or not at all', () => {
    const dockerfile = readFileSync(join(RELAY_FOLDER, 'Dockerfile'), 'utf8');
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    expect(bases).toEqual(['${NODE_IMAGE}', '${NODE_IMAGE}']);
    const [, check = ''] = /^RUN (echo "\$NODE_IMAGE".*)$/m.exec(dockerfile) ?? [];
    const build = (NODE_IMAGE: string) =>
      spawnSync('/bin/sh', ['-c', check], { env: { PATH: '/usr/bin:/bin', NODE_IMAGE }, encoding: 'utf8' });
    const digest = 'a'.repeat(64);
    expect(build(`node:24.21.0-slim@sha256:${digest}`)).toMatchObject({ status: 0, stderr: '' });
    for (const image of ['node:24.21.0-slim', '', `node@sha256:${digest.slice(1)}`, `node@sha256:${digest}:latest`])
      expect(build(image)).toMatchObject({ status: 1, stderr: expect.stringContaining('give the base image by its digest') });
  });

  test('another key in the Secret, which pods read as they begin, begins them anew', () => {
    const template = (awsKeyId?: string): string =>
      JSON.stringify(templateIn(relayManifests({ ...VALUES, ...(awsKeyId !== undefined && { awsKeyId }) })));
    expect(template('AKIAONE')).toBe(template('AKIAONE'));
    expect(template('AKIAOTHER')).not.toBe(template('AKIAONE'));
  });

  test('R15: no rule of its rights names everything, secrets or the rights themselves', () => {
    const rules = relayManifests(VALUES).flatMap((manifest) => (manifest['rules'] as Record<string, string[]>[] | undefined) ?? []);
    expect(rules.length).toBeGreaterThan(5);
    for (const rule of rules) {
      expect(Object.values(rule).flat()).not.toContain('*');
      for (const forbidden of ['secrets', 'configmaps', 'roles', 'clusterroles']) expect(rule['resources']).not.toContain(forbidden);
    }
  });
});
