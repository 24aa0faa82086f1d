// The kustomize base, its overlay for relayed access, and the Helm chart: the relay's part of the manifests that `farloop cluster add`
// applies. `npm run relay:manifests` writes them. Functions' account and rights are not in them: these `farloop cluster add --no-relay` makes.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dump } from 'js-yaml';
import type { Manifest, RelayValues } from '../../lib/onboarding/relay-manifests.ts';
import { AWS_KEY_SECRET, OURS_LABEL, RELAY, commandsRole, functionsManifests, relayAlone } from '../../lib/onboarding/relay-manifests.ts';

const WRITTEN_BY = '# Written by `npm run relay:manifests` from lib/onboarding: change it there.\n';
const SETTINGS = 'farloop-relay-settings';

/** Kept by whoever deploys; a cluster that is registered by `farloop cluster add --no-relay` tells all of them. */
const SETTING_NAMES = ['CLUSTER', 'EVENTS_QUEUE_URL', 'ASKS_QUEUE_URL', 'MANAGE', 'ERA', 'COMMANDER', 'AWS_REGION'] as const;

const common: Pick<RelayValues, 'functions' | 'namespaces' | 'identity'> = {
  functions: 'none',
  namespaces: [],
  // The key of an IAM user is read where there is one, else the pod's own role counts.
  identity: { kind: 'podIdentity' },
};

const baseValues: RelayValues = {
  ...common,
  cluster: '$(CLUSTER)',
  namespace: 'farloop',
  ownsNamespace: true,
  manages: ['jobs'],
  access: 'direct',
  commander: '$(COMMANDER)',
  era: 0,
  image: 'farloop-relay',
  region: '$(AWS_REGION)',
  eventsQueueUrl: '$(EVENTS_QUEUE_URL)',
  asksQueueUrl: '$(ASKS_QUEUE_URL)',
};

const required = (name: string): string => `{{ required "${name} is missing" .Values.${name} }}`;

const chartValues: RelayValues = {
  ...baseValues,
  cluster: required('cluster'),
  namespace: '{{ .Release.Namespace }}',
  // Helm makes it: --create-namespace.
  ownsNamespace: false,
  image: required('image'),
  region: required('region'),
  eventsQueueUrl: required('eventsQueueUrl'),
  asksQueueUrl: required('asksQueueUrl'),
  // Of no use with direct access. With relayed access a relay without it says so and carries out nothing.
  commander: '{{ .Values.commander }}',
};

/** A label by which registrations know what they made: not on what somebody else installs, and removes. */
const unmarked = (manifests: readonly Manifest[]): string =>
  JSON.stringify(manifests, (key, value) => (key === OURS_LABEL ? undefined : value));

/** Choices that are no texts in the manifests' values are put in as texts behind them. */
const withChoices = (
  manifests: readonly Manifest[],
  { manage, access, era }: Record<'manage' | 'access' | 'era', string>,
  settings: boolean,
): Manifest[] => {
  const replaced = unmarked(manifests)
    .replaceAll('"--manage=own"', JSON.stringify(`--manage=${manage}`))
    .replaceAll('"--access=direct"', JSON.stringify(`--access=${access}`))
    .replaceAll('"--era=0"', JSON.stringify(`--era=${era}`));
  const parsed: Manifest[] = JSON.parse(replaced);
  for (const manifest of parsed.filter(({ kind }) => kind === 'Deployment')) {
    const { spec }: { spec: DeploymentSpec } = JSON.parse(JSON.stringify({ spec: manifest['spec'] }));
    for (const container of spec.template.spec.containers) {
      container.envFrom = [
        ...(settings ? [{ configMapRef: { name: SETTINGS } }] : []),
        { secretRef: { name: AWS_KEY_SECRET, optional: true } },
      ];
      if (settings) container.env = container.env.filter(({ name }) => name !== 'AWS_REGION');
    }
    manifest['spec'] = spec;
  }
  return parsed;
};

interface DeploymentSpec {
  template: { spec: { containers: { args: string[]; env: { name: string }[]; envFrom?: object[] }[] } };
}

const baseManifests = (): Manifest[] =>
  withChoices(
    [...functionsManifests(baseValues), ...relayAlone(baseValues)],
    { manage: '$(MANAGE)', access: 'direct', era: '$(ERA)' },
    true,
  );

const chartManifests = (): Manifest[] =>
  withChoices(relayAlone(chartValues), { manage: required('manage'), access: required('access'), era: '{{ .Values.era }}' }, false);

/** What a relay has beside the others where access is relayed. */
const commandsManifests = (values: RelayValues): Manifest[] =>
  JSON.parse(
    unmarked(relayAlone({ ...values, access: 'relayed' }).filter(({ metadata }) => metadata.name === commandsRole(values.namespace))),
  );

/** JSON patch: the base's relay, told that it carries out commands. */
function accessPatch(): object[] {
  const [deployment] = baseManifests().filter(({ kind }) => kind === 'Deployment');
  const spec: DeploymentSpec = JSON.parse(JSON.stringify(deployment?.['spec']));
  const at = spec.template.spec.containers[0]?.args.indexOf('--access=direct') ?? -1;
  const path = `/spec/template/spec/containers/0/args/${at}`;
  return [
    { op: 'test', path, value: '--access=direct' },
    { op: 'replace', path, value: '--access=relayed' },
  ];
}

const yamlOf = (manifests: readonly Manifest[]): string =>
  WRITTEN_BY +
  manifests.map((manifest) => dump(manifest, { lineWidth: -1, noRefs: true, forceQuotes: true, quoteStyle: 'single' })).join('---\n');

const KUSTOMIZATION = { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization' };

/** Path below this folder → content. */
export function files(version: string): Record<string, string> {
  return {
    'base/relay.yaml': yamlOf(baseManifests()),
    'base/kustomization.yaml': `${WRITTEN_BY}${dump({
      ...KUSTOMIZATION,
      resources: ['relay.yaml'],
      configMapGenerator: [
        {
          name: SETTINGS,
          namespace: 'farloop',
          literals: SETTING_NAMES.map((name) => `${name}=${{ MANAGE: 'own', ERA: '0' }[name as string] ?? ''}`),
        },
      ],
    })}`,
    'relayed/commands.yaml': yamlOf(commandsManifests(baseValues)),
    'relayed/kustomization.yaml': `${WRITTEN_BY}# The base with its settings, for a cluster that is registered with --access relayed.\n${dump(
      {
        ...KUSTOMIZATION,
        resources: ['../base', 'commands.yaml'],
        patches: [{ target: { kind: 'Deployment', name: RELAY }, patch: dump(accessPatch()) }],
      },
    )}`,
    'chart/Chart.yaml': `${WRITTEN_BY}${dump({
      apiVersion: 'v2',
      name: 'farloop-relay',
      description: 'Watches one cluster and reports to Farloop',
      type: 'application',
      version,
      appVersion: version,
    })}`,
    'chart/values.yaml':
      `${WRITTEN_BY}# As farloop cluster add --no-relay tells them.\n` +
      dump({
        cluster: '',
        image: '',
        region: '',
        eventsQueueUrl: '',
        asksQueueUrl: '',
        manage: 'own',
        access: 'direct',
        commander: '',
        era: 0,
      }),
    'chart/templates/relay.yaml': yamlOf(chartManifests()),
    'chart/templates/commands.yaml': `{{ if eq .Values.access "relayed" }}\n${yamlOf(commandsManifests(chartValues))}{{ end }}\n`,
  };
}

if (import.meta.main) {
  const { packageVersion } = await import('../../lib/package-files.ts');
  for (const [path, content] of Object.entries(files(packageVersion()))) writeFileSync(join(import.meta.dirname, path), content);
}
