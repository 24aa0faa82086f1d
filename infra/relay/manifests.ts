// The kustomize base, its overlay for relayed access, and the Helm chart: the relay's part of the manifests that `farloop cluster add`
// applies. `npm run relay:manifests` writes them. Functions' account and rights are not in them: these `farloop cluster add --no-relay` makes.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { dump } from 'js-yaml';
import { ALL_FACTS } from '../../lib/kinds/facts.ts';
import type { KindFacts } from '../../lib/kinds/rows/kind.ts';
import { NODE_OPTIONS, VIRTUAL_NODES } from '../../lib/kinds/virtual-pod/node-options.ts';
import type { KindOptions } from '../../lib/objects/kind-options.ts';
import { NODE_LEASES } from '../../lib/objects/placement/lease.ts';
import { NODE_API_PORT } from '../../lib/objects/placement/node-callers.ts';
import { managedKinds, managesAll, relayWords, settingsOf } from '../../lib/kinds/settings.ts';
import type { Manages } from '../../lib/objects/manages.ts';
import { functionRules, relayRules } from '../../lib/onboarding/rights.ts';
import type { Manifest, RelayValues } from '../../lib/onboarding/relay-manifests.ts';
import {
  AWS_KEY_SECRET,
  OURS_LABEL,
  RELAY,
  commandsRole,
  functionsManifests,
  nodeCallersRole,
  relayAlone,
  relayRights,
} from '../../lib/onboarding/relay-manifests.ts';

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

/** The base gives rights for these; further words have a component of their own. */
const BASE_WORDS: Manages = ['jobs'];

const baseValues: RelayValues = {
  ...common,
  cluster: '$(CLUSTER)',
  namespace: 'farloop',
  ownsNamespace: true,
  manages: BASE_WORDS,
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
  // Rights that only some words need are left out by the templates where none of these is given.
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
    .replaceAll(/"--manage=[^"]*"/g, JSON.stringify(`--manage=${manage}`))
    .replaceAll('"--access=direct"', JSON.stringify(`--access=${access}`))
    .replaceAll('"--era=0"', JSON.stringify(`--era=${era}`));
  const parsed: Manifest[] = JSON.parse(replaced);
  for (const manifest of parsed.filter(({ kind }) => kind === 'Deployment')) {
    const { spec }: { spec: DeploymentSpec } = JSON.parse(JSON.stringify({ spec: manifest['spec'] }));
    for (const container of spec.template.spec.containers) {
      // One text says all words that are managed.
      container.args = [...new Set(container.args)];
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

const chartManifests = (kinds: readonly KindFacts[]): Manifest[] =>
  withChoices(relayAlone(chartOf(kinds)), { manage: required('manage'), access: required('access'), era: '{{ .Values.era }}' }, false);

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

/** Stands for each node of the chart's value `virtualNodes`. */
const ANY_NODE = 'any-node';
const NODE_FLAG = `${ANY_NODE}=http:https://provider.example`;
const OPTIONS: KindOptions = { [NODE_OPTIONS.node]: NODE_FLAG };

const chartOf = (kinds: readonly KindFacts[]): RelayValues => ({ ...chartValues, manages: managesAll(kinds), kinds, options: OPTIONS });

const textOf = (rule: object): string => JSON.stringify(rule);
/** All that relay and passes may do where one word is given. */
const rulesBy = (word: string, kinds: readonly KindFacts[], options: KindOptions = {}): string[] => {
  const managed = managedKinds([word], kinds, { options });
  return [...relayRules(managed), ...functionRules(managed, { options })].map(textOf);
};

/** The chart's templates: a rule that not every word of --manage gives stands there under the condition that one that gives it does. */
function templateOf(manifests: readonly Manifest[], kinds: readonly KindFacts[]): string {
  const words = settingsOf(kinds).map(({ word }) => word);
  const givenBy = words.map((word) => ({ word, rules: rulesBy(word, kinds, OPTIONS) }));
  const marked = manifests.map((manifest) => ({
    ...manifest,
    ...(Array.isArray(manifest['rules']) && {
      rules: manifest['rules'].map((rule: object) => {
        const when = givenBy.filter(({ rules }) => rules.includes(textOf(rule))).map(({ word }) => word);
        return when.length === 0 || when.length === words.length ? rule : { ...rule, when: when.join(',') };
      }),
    }),
  }));
  const template = yamlOf(marked).replaceAll(
    /^( {2}- apiGroups:\n(?: {4,}.*\n)*?) {4}when: '(.*)'\n/gm,
    (_whole, rule: string, when: string) => `{{ if ${conditionOf(when.split(','))} }}\n${rule}{{ end }}\n`,
  );
  return withNodes(template);
}

/** A rule that names no object is about all of them, so one about nodes needs some. */
const conditionOf = (words: readonly string[]): string =>
  words.every((word) => word === VIRTUAL_NODES.word) ? '.Values.virtualNodes' : `or ${namesOf(words).map(isGiven).join(' ')}`;

const isForNodes = (document: string): boolean =>
  [`namespace: '${NODE_LEASES}'`, `name: '${nodeCallersRole(chartValues.namespace)}'`].some((text) => document.includes(text));

/** The ports of API servers that ask for nodes: as many as there are. */
const NODE_PORTS = new RegExp(`^ {4}- ports:\\n {8}- protocol: 'TCP'\\n {10}port: ${NODE_API_PORT}\\n {10}endPort: \\d+\\n`, 'm');

/** A line about the node that stands for all becomes one for each; objects that are for nodes alone are left out without one. */
const withNodes = (template: string): string =>
  template
    .split('---\n')
    .map((document) => (isForNodes(document) ? `{{ if .Values.virtualNodes }}\n${document}{{ end }}\n` : document))
    .join('---\n')
    .replaceAll(
      /(?:^ +- '--node-api-.*'\n)+|^ +- name: 'POD_IP'\n(?: +.*\n){2} +fieldPath: .*\n/gm,
      (lines) => `{{ if .Values.virtualNodes }}\n${lines}{{ end }}\n`,
    )
    .replace(NODE_PORTS, (ports) => {
      const last = `endPort: {{ add ${NODE_API_PORT - 1} (len .Values.virtualNodes) }}`;
      return `{{ if .Values.virtualNodes }}\n${ports.replace(/endPort: \d+/, last)}{{ end }}\n`;
    })
    .replaceAll(
      new RegExp(`^( +- '[^']*?)${ANY_NODE}(=[^']*)?'\\n`, 'gm'),
      (_whole, before: string, flag?: string) =>
        `{{ range .Values.virtualNodes }}\n${before}${flag === undefined ? '{{ index (splitList "=" .) 0 }}' : '{{ . }}'}'\n{{ end }}\n`,
    );

/** With the words of before that mean one of them. */
const namesOf = (words: readonly string[]): string[] => (words.includes('jobs') ? [...words, 'own'] : [...words]);
const isGiven = (word: string): string => `(has "${word}" (splitList "," .Values.manage))`;

/** For words whose kinds the base has no rights for: a component each, and within it one for relayed access. */
function componentFiles(kinds: readonly KindFacts[]): Record<string, string> {
  const known = BASE_WORDS.flatMap((word) => rulesBy(word, kinds));
  const found: Record<string, string> = {};
  for (const { word } of settingsOf(kinds)) {
    const managed = managedKinds([word], kinds);
    const isFurther = (rule: object): boolean => !known.includes(textOf(rule));
    const parts = { [`manages/${word}`]: relayRules(managed), [`manages/${word}/relayed`]: functionRules(managed) };
    for (const [folder, rules] of Object.entries(parts)) {
      const further = rules.filter(isFurther);
      if (further.length === 0) continue;
      const name = folder.replaceAll('/', '-').replace(/^manages/, RELAY);
      const kustomization = { apiVersion: 'kustomize.config.k8s.io/v1alpha1', kind: 'Component', resources: ['rights.yaml'] };
      found[`${folder}/kustomization.yaml`] = `${WRITTEN_BY}${dump(kustomization)}`;
      found[`${folder}/rights.yaml`] = yamlOf(JSON.parse(unmarked(relayRights(baseValues, name, further))));
    }
  }
  return found;
}

const KUSTOMIZATION = { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization' };

/** Path below this folder → content. */
export function files(version: string, kinds: readonly KindFacts[] = ALL_FACTS): Record<string, string> {
  return {
    'base/relay.yaml': yamlOf(baseManifests()),
    'base/kustomization.yaml': `${WRITTEN_BY}${dump({
      ...KUSTOMIZATION,
      resources: ['relay.yaml'],
      configMapGenerator: [
        {
          name: SETTINGS,
          namespace: 'farloop',
          literals: SETTING_NAMES.map((name) => `${name}=${{ MANAGE: relayWords(BASE_WORDS).join(','), ERA: '0' }[name as string] ?? ''}`),
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
        manage: relayWords(BASE_WORDS).join(','),
        access: 'direct',
        commander: '',
        era: 0,
        // As --virtual-node of farloop cluster add, each.
        virtualNodes: [],
      }),
    'chart/templates/relay.yaml': templateOf(chartManifests(kinds), kinds),
    'chart/templates/commands.yaml': `{{ if eq .Values.access "relayed" }}\n${templateOf(commandsManifests(chartOf(kinds)), kinds)}{{ end }}\n`,
    ...componentFiles(kinds),
  };
}

if (import.meta.main) {
  const { packageVersion } = await import('../../lib/files/package-files.ts');
  for (const [path, content] of Object.entries(files(packageVersion()))) {
    const file = join(import.meta.dirname, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}
