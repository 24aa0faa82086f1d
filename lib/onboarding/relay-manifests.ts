// All our objects on a cluster, as manifests: the relay with its rights, and the account whose token functions use.
import { SWITCHED_ON, type KindOptions } from '../objects/kind-options.ts';
import type { Manages } from '../objects/manages.ts';
import type { Json, KubernetesObject } from '../objects/kubernetes.ts';
import type { KindFacts } from '../kinds/rows/kind.ts';
import { managedKinds, relayOptions, relayWords } from '../kinds/settings.ts';
import { relayNetworkSpec } from './relay-network.ts';
import type { PolicyRule } from './rights.ts';
import { NODE_LEASES } from '../objects/placement/lease.ts';
import { CLIENT_SIGNERS, NODE_API_PORT } from '../objects/placement/node-callers.ts';
import {
  clientSignersRule,
  functionRules,
  identityRule,
  leaseRules,
  nodeCallerRules,
  nodeLeaseRules,
  placedRules,
  relayRules,
  tokenRules,
} from './rights.ts';

export type Manifest = KubernetesObject & { apiVersion: string; kind: string } & Record<string, unknown>;

/** How the relay's pods authenticate to AWS. */
export type SenderIdentity =
  /** An IAM user of its own. Its key is in a Secret in the relay's namespace. */
  | { kind: 'user' }
  /** A role, assumed with the token of the relay's service account (on EKS: IRSA). */
  | { kind: 'webIdentity'; roleArn: string }
  /** A role that EKS gives to the relay's service account. The manifests do not contain it. */
  | { kind: 'podIdentity' };

export interface RelayValues {
  /** Registered name of the cluster. */
  cluster: string;
  /** Namespace of the relay. Cluster-wide names begin with it. */
  namespace: string;
  /** False if the namespace existed before: then we may neither make nor remove it. */
  ownsNamespace: boolean;
  manages: Manages;
  /** All kinds; absent: the kinds that this build knows. */
  kinds?: readonly KindFacts[];
  /** Empty: all namespaces. */
  namespaces: readonly string[];
  /** Identity of functions on the cluster: an account of their own, a group that EKS gives their role, or none that we give rights to. */
  functions: 'account' | 'group' | 'none';
  /** How passes reach the API server. `relayed`: the relay carries out their commands, and needs the rights for it. */
  access: 'direct' | 'relayed';
  /** Unique id of the role under which passes run. The relay refuses commands of other senders. */
  commander: string;
  /** People may act on workloads through Farloop. */
  actions?: boolean;
  /** Options of kinds. */
  options?: KindOptions;
  era: number;
  image: string;
  region: string;
  eventsQueueUrl: string;
  asksQueueUrl: string;
  /** Endpoint of AWS if not a public one. */
  awsEndpointUrl?: string;
  /** Port of the API server if not a usual one. */
  apiServerPort?: number;
  identity: SenderIdentity;
  /** Id of the key in the IAM user's Secret, once known. Pods read the key only at their start, so a new id must restart them. */
  awsKeyId?: string;
}

export const RELAY = 'farloop-relay';
export const FUNCTIONS_ACCOUNT = 'farloop-functions';
/** EKS's group for the functions' role. @param namespace the relay's, so that two installations have two groups */
export const functionsGroup = (namespace: string): string => `${namespace}-functions`;
/** The Secret with the key of an IAM user. */
export const AWS_KEY_SECRET = 'farloop-relay-aws';
const PROBE_PORT = 8081;
/** On every object of a registration. The value is the relay's namespace, which distinguishes two installations. */
export const OURS_LABEL = 'farloop.dev/relay';

const TOKEN_FOLDER = '/var/run/secrets/farloop';
/** Audience of service account tokens for AWS. */
export const AWS_AUDIENCE = 'sts.amazonaws.com';
const RBAC = 'rbac.authorization.k8s.io';
/** A user id without an account. Must equal the image's. */
const USER_ID = 65_532;

/** In the order of applying. The Secret of an IAM user has no key here: registration finds or makes the key. */
export const relayManifests = (values: RelayValues): Manifest[] => [
  ...functionsManifests(values),
  ...(values.identity.kind === 'user' ? [awsKeySecret(values)] : []),
  ...relayAlone(values),
];

/** The identity of functions, their rights, and the namespace for both. Sufficient where somebody else runs the relay. */
export function functionsManifests(values: RelayValues): Manifest[] {
  const { namespace, ownsNamespace } = values;
  const hasAccount = values.functions === 'account';
  const functions = hasAccount ? account(FUNCTIONS_ACCOUNT, namespace) : group(functionsGroup(namespace));
  return [
    ...(ownsNamespace ? [namespaceOf(values)] : []),
    ...(values.functions === 'none'
      ? []
      : [
          ...(hasAccount ? [named('v1', 'ServiceAccount', FUNCTIONS_ACCOUNT, values, { automountServiceAccountToken: false })] : []),
          ...clusterRole(values, `${namespace}-functions-identity`, [identityRule()], functions),
          ...rightsOfPasses(values, `${namespace}-functions`, functions),
          ...(hasAccount ? role(values, { name: FUNCTIONS_ACCOUNT, namespace }, tokenRules(FUNCTIONS_ACCOUNT), functions) : []),
        ]),
  ];
}

/**
 * The relay with its rights, in an existing namespace. Shares no object with `functionsManifests`, so that each may have another installer:
 * Helm adopts no object that it has not made.
 */
export function relayAlone(values: RelayValues): Manifest[] {
  const { namespace, access } = values;
  const relay = account(RELAY, namespace);
  return [
    named('v1', 'ServiceAccount', RELAY, values, { automountServiceAccountToken: false }),
    ...clusterRole(values, `${namespace}-relay-identity`, [identityRule()], relay),
    ...rights(values, `${namespace}-relay`, rulesOfRelay(values), relay),
    ...(access === 'relayed' ? rightsOfPasses(values, commandsRole(namespace), relay) : []),
    ...role(values, { name: RELAY, namespace }, leaseRules(RELAY), relay),
    ...roleWhere(values, { name: `${namespace}-relay`, namespace: NODE_LEASES }, nodeLeaseRules(kindsOf(values), values), relay),
    ...(nodesOf(values).length === 0 ? [] : nodeCallers(values, relay)),
    named('coordination.k8s.io/v1', 'Lease', RELAY, values),
    named('policy/v1', 'PodDisruptionBudget', RELAY, values, {
      spec: { minAvailable: 1, selector: { matchLabels: selectorLabels } },
    }),
    networkPolicy(values),
    deployment(values),
  ];
}

/** The virtual nodes for which the relay answers API servers. */
const nodesOf = (values: RelayValues): readonly string[] => kindsOf(values).flatMap(({ nodes }) => nodes?.namesIn(values) ?? []);

function nodeCallers(values: RelayValues, relay: Subject): Manifest[] {
  const name = nodeCallersRole(values.namespace);
  return [
    ...clusterRole(values, name, nodeCallerRules(), relay),
    ...role(values, { name, namespace: CLIENT_SIGNERS.namespace }, [clientSignersRule()], relay),
  ];
}

/** With the rights to ask who asks a virtual node. @param namespace the relay's */
export const nodeCallersRole = (namespace: string): string => `${namespace}-relay-node-callers`;

/** Relay and passes have rights to the resources of the managed kinds, and to nothing else. */
const kindsOf = ({ manages, kinds, options }: RelayValues): KindFacts[] => managedKinds(manages, kinds, { options });
const rulesOfRelay = (values: RelayValues): PolicyRule[] => relayRules(kindsOf(values));

function rightsOfPasses(values: RelayValues, name: string, subject: Subject): Manifest[] {
  const kinds = kindsOf(values);
  return [
    ...rights(values, name, functionRules(kinds, values), subject),
    ...[...placedRules(kinds, values)].flatMap(([namespace, rules]) => roleWhere(values, { name, namespace }, rules, subject)),
  ];
}

/** Role with the rights for passes' commands, held by the relay. @param namespace the relay's */
export const commandsRole = (namespace: string): string => `${namespace}-relay-commands`;

/** @param namespace the relay's. @returns whether an object of that name gives rights to passes */
export const givesToPasses = (name: string, namespace: string): boolean =>
  [FUNCTIONS_ACCOUNT, `${namespace}-functions`, `${namespace}-functions-identity`, commandsRole(namespace)].includes(name);

/** @param key of the relay's own IAM user. Applied without it, the Secret keeps its present key */
export const awsKeySecret = (values: Pick<RelayValues, 'namespace'>, key?: { accessKeyId: string; secretAccessKey: string }): Manifest =>
  named('v1', 'Secret', AWS_KEY_SECRET, values, {
    type: 'Opaque',
    ...(key && { stringData: { AWS_ACCESS_KEY_ID: key.accessKeyId, AWS_SECRET_ACCESS_KEY: key.secretAccessKey } }),
  });

const selectorLabels = { 'app.kubernetes.io/name': RELAY };
/** Selects a relay's Deployment, however it was made. */
export const RELAY_SELECTOR = `app.kubernetes.io/name=${RELAY}`;

const labelsOf = (namespace: string): Record<string, string> => ({
  ...selectorLabels,
  'app.kubernetes.io/managed-by': 'farloop',
  [OURS_LABEL]: namespace,
});

function namespaceOf({ namespace }: RelayValues): Manifest {
  // The relay's pods meet the restricted standard anyway. The label enforces it for all other pods of the namespace.
  const labels = { ...labelsOf(namespace), 'pod-security.kubernetes.io/enforce': 'restricted' };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } };
}

const named = (
  apiVersion: string,
  kind: string,
  name: string,
  { namespace }: Pick<RelayValues, 'namespace'>,
  rest: Record<string, Json | object> = {},
): Manifest => ({ apiVersion, kind, metadata: { name, namespace, labels: labelsOf(namespace) }, ...rest });

/** The subject of a binding. */
type Subject = { kind: 'ServiceAccount'; name: string; namespace: string } | { kind: 'Group'; apiGroup: string; name: string };

const account = (name: string, namespace: string): Subject => ({ kind: 'ServiceAccount', name, namespace });
const group = (name: string): Subject => ({ kind: 'Group', apiGroup: RBAC, name });

/** Additional rights of the relay's account. */
export const relayRights = (values: RelayValues, name: string, rules: PolicyRule[]): Manifest[] =>
  rights(values, name, rules, account(RELAY, values.namespace));

/** Cluster-wide, or in the chosen namespaces only. */
const rights = (values: RelayValues, name: string, rules: PolicyRule[], subject: Subject): Manifest[] =>
  values.namespaces.length === 0
    ? clusterRole(values, name, rules, subject)
    : values.namespaces.flatMap((namespace) => role(values, { name, namespace }, rules, subject));

function clusterRole({ namespace }: RelayValues, name: string, rules: PolicyRule[], subject: Subject): Manifest[] {
  const metadata = { name, labels: labelsOf(namespace) };
  return [
    { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata, rules },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
      subjects: [subject],
    },
  ];
}

function role(values: RelayValues, place: { name: string; namespace: string }, rules: PolicyRule[], subject: Subject): Manifest[] {
  const metadata = { ...place, labels: labelsOf(values.namespace) };
  return [
    { apiVersion: `${RBAC}/v1`, kind: 'Role', metadata, rules },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: RBAC, kind: 'Role', name: place.name },
      subjects: [subject],
    },
  ];
}

/** Nothing where there is no rule. */
const roleWhere = (values: RelayValues, place: { name: string; namespace: string }, rules: PolicyRule[], subject: Subject): Manifest[] =>
  rules.length === 0 ? [] : role(values, place, rules, subject);

const networkPolicy = (values: RelayValues): Manifest =>
  named('networking.k8s.io/v1', 'NetworkPolicy', RELAY, values, {
    spec: relayNetworkSpec(values, { selector: selectorLabels, probePort: PROBE_PORT, nodes: nodesOf(values).length }),
  });

/** Two replicas: one leads and sends, the other watches and is ready to take over. */
function deployment(values: RelayValues): Manifest {
  const hasNodes = nodesOf(values).length > 0;
  const probe = (path: string, rest: object): object => ({ httpGet: { path, port: 'probes' }, ...rest });
  const container = {
    name: 'relay',
    image: values.image,
    args: relayArguments({ ...values, hasNodes }),
    env: environmentOf({ ...values, hasNodes }),
    ports: [{ name: 'probes', containerPort: PROBE_PORT }],
    // The first list of a large cluster takes long; no probe may end it early.
    startupProbe: probe('/healthz', { periodSeconds: 2, failureThreshold: 30 }),
    livenessProbe: probe('/healthz', { periodSeconds: 10, failureThreshold: 3 }),
    readinessProbe: probe('/readyz', { periodSeconds: 5, failureThreshold: 2 }),
    resources: { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '512Mi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: true,
    },
    volumeMounts: [
      { name: 'cluster-token', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount', readOnly: true },
      ...(values.identity.kind === 'webIdentity' ? [{ name: 'aws-token', mountPath: TOKEN_FOLDER, readOnly: true }] : []),
    ],
  };
  return named('apps/v1', 'Deployment', RELAY, values, {
    spec: {
      replicas: 2,
      selector: { matchLabels: selectorLabels },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: {
        metadata: {
          labels: labelsOf(values.namespace),
          ...(values.awsKeyId !== undefined && { annotations: { 'farloop.dev/aws-key-id': values.awsKeyId } }),
        },
        spec: {
          serviceAccountName: RELAY,
          automountServiceAccountToken: false,
          terminationGracePeriodSeconds: 20,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: USER_ID,
            runAsGroup: USER_ID,
            fsGroup: USER_ID,
            seccompProfile: { type: 'RuntimeDefault' },
          },
          affinity: {
            podAntiAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [
                { weight: 100, podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: selectorLabels } } },
              ],
            },
          },
          containers: [container],
          volumes: [clusterTokenVolume, ...(values.identity.kind === 'webIdentity' ? [awsTokenVolume] : [])],
        },
      },
    },
  });
}

/** The same token as the kubelet's automatic mount, but for this container only. */
const clusterTokenVolume = {
  name: 'cluster-token',
  projected: {
    defaultMode: 0o440,
    sources: [
      { serviceAccountToken: { path: 'token', expirationSeconds: 3_607 } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    ],
  },
};

const awsTokenVolume = {
  name: 'aws-token',
  projected: {
    defaultMode: 0o440,
    sources: [{ serviceAccountToken: { path: 'token', audience: AWS_AUDIENCE, expirationSeconds: 3_600 } }],
  },
};

const relayArguments = ({
  cluster,
  manages,
  namespaces,
  era,
  access,
  commander,
  eventsQueueUrl,
  asksQueueUrl,
  namespace,
  options,
  kinds,
  hasNodes,
}: RelayValues & { hasNodes: boolean }): string[] => [
  'relay',
  `--cluster=${cluster}`,
  `--events-queue-url=${eventsQueueUrl}`,
  `--asks-queue-url=${asksQueueUrl}`,
  ...relayWords(manages).map((word) => `--manage=${word}`),
  ...flagsOf(relayOptions(manages, options, kinds)),
  ...namespaces.map((name) => `--namespace=${name}`),
  `--era=${era}`,
  `--access=${access}`,
  `--commander=${commander}`,
  `--lease=${namespace}/${RELAY}`,
  '--replica=$(POD_NAME)',
  `--probe-port=${PROBE_PORT}`,
  ...(hasNodes ? [`--node-api-port=${NODE_API_PORT}`, '--node-api-address=$(POD_IP)'] : []),
];

/** As a command is given them. */
export const flagsOf = (options: KindOptions): string[] =>
  Object.entries(options).flatMap(([name, value]) =>
    // An option that is given several times is kept with blanks between its values, and no value has one.
    value === SWITCHED_ON ? `--${name}` : value.split(' ').map((each) => `--${name}=${each}`),
  );

function environmentOf({ region, awsEndpointUrl, identity, hasNodes }: RelayValues & { hasNodes: boolean }): object[] {
  const fromPod = (name: string, fieldPath: string): object => ({ name, valueFrom: { fieldRef: { fieldPath } } });
  const fromSecret = (name: string): object => ({ name, valueFrom: { secretKeyRef: { name: AWS_KEY_SECRET, key: name } } });
  return [
    fromPod('POD_NAME', 'metadata.name'),
    ...(hasNodes ? [fromPod('POD_IP', 'status.podIP')] : []),
    { name: 'NODE_OPTIONS', value: '--max-old-space-size=384' },
    { name: 'AWS_REGION', value: region },
    ...(awsEndpointUrl === undefined ? [] : [{ name: 'AWS_ENDPOINT_URL', value: awsEndpointUrl }]),
    ...(identity.kind === 'user' ? ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'].map(fromSecret) : []),
    ...(identity.kind === 'webIdentity'
      ? [
          { name: 'AWS_ROLE_ARN', value: identity.roleArn },
          { name: 'AWS_WEB_IDENTITY_TOKEN_FILE', value: `${TOKEN_FOLDER}/token` },
        ]
      : []),
  ];
}
