// Admission policies, requests that meet them, and what a kube-apiserver answers; the real one is the judge (test/cluster/custom-resources.test.ts).

type Fields = Record<string, unknown>;

export interface PolicyRequest {
  operation?: 'create' | 'update' | 'patch' | 'apply' | 'status' | 'delete';
  /** Config maps where nothing is said. */
  resource?: 'configmaps' | 'jobs' | 'trainings';
  /** Of the object, besides its name and namespace. */
  object?: Fields;
  status: number;
  reason?: string;
  /** Behind `denied request: `, or the whole message. */
  message?: string;
  warnings?: readonly string[];
}

export interface PolicyCase {
  name: string;
  policy: Fields;
  binding?: Fields;
  /** Config maps that are there before the policy is. */
  before?: readonly Fields[];
  namespaceLabels?: Record<string, string>;
  requests: readonly PolicyRequest[];
}

const rules = (resource = 'configmaps', apiGroup = '', operations = ['CREATE', 'UPDATE']): Fields => ({
  resourceRules: [{ apiGroups: [apiGroup], apiVersions: ['v1'], operations, resources: [resource] }],
});
const onConfigMaps = { matchConstraints: rules() };
const onJobs = { matchConstraints: rules('jobs', 'batch') };
const data = (values: Record<string, string>): Fields => ({ data: values });
const labelled = (labels: Record<string, string>): Fields => ({ metadata: { labels } });
const invalid = (message: string): Pick<PolicyRequest, 'status' | 'reason' | 'message'> => ({ status: 422, reason: 'Invalid', message });

const aJob = (containers: readonly Fields[], spec: Fields = {}): Fields => ({
  spec: { ...spec, template: { spec: { restartPolicy: 'Never', containers } } },
});

/** A resource of its own definition, whose spec takes everything. */
const aTraining = (replicas: Record<string, { replicas?: number; containers?: readonly Fields[] }>): Fields => ({
  spec: {
    replicaSpecs: Object.fromEntries(
      Object.entries(replicas).map(([name, { containers = [{ name: 'pytorch' }], ...more }]) => [
        name,
        { ...more, template: { spec: { containers } } },
      ]),
    ),
  },
});

export const policyCases: readonly PolicyCase[] = [
  {
    name: 'a message',
    policy: { ...onConfigMaps, validations: [{ expression: 'has(object.data) && object.data.size() < 2', message: ' too much ' }] },
    requests: [
      { object: data({ a: '1' }), status: 201 },
      { object: data({ a: '1', b: '2' }), ...invalid('too much') },
    ],
  },
  {
    name: 'no message',
    policy: { ...onConfigMaps, validations: [{ expression: " object.data.a == '1' " }] },
    requests: [{ object: data({ a: '2' }), ...invalid("failed expression: object.data.a == '1'") }],
  },
  {
    name: 'a message expression',
    policy: {
      ...onConfigMaps,
      validations: [
        {
          expression: 'object.data.all(k, k.size() < 3)',
          messageExpression: "'long: ' + object.data.filter(k, k.size() >= 3).map(k, '%s=%s'.format([k, object.data[k]])).join(', ')",
        },
      ],
    },
    requests: [{ object: data({ aaa: '1', b: '2' }), ...invalid('long: aaa=1') }],
  },
  {
    name: 'a message expression that fails',
    policy: { ...onConfigMaps, validations: [{ expression: 'false', message: 'fallback', messageExpression: "'x' + object.data.zz" }] },
    requests: [{ object: data({ a: '1' }), ...invalid('fallback') }],
  },
  {
    name: 'reasons',
    policy: { ...onConfigMaps, validations: [{ expression: 'false', message: 'no', reason: 'Forbidden' }] },
    requests: [{ object: {}, status: 403, reason: 'Forbidden', message: 'no' }],
  },
  {
    name: 'the reason of too much',
    policy: { ...onConfigMaps, validations: [{ expression: 'false', message: 'no', reason: 'RequestEntityTooLarge' }] },
    requests: [{ object: {}, status: 413, reason: 'RequestEntityTooLarge', message: 'no' }],
  },
  {
    name: 'the first of two',
    policy: {
      ...onConfigMaps,
      validations: [{ expression: 'true' }, { expression: 'false', message: 'b' }, { expression: 'false', message: 'c' }],
    },
    requests: [{ object: {}, ...invalid('b') }],
  },
  {
    name: 'an error fails',
    policy: { ...onConfigMaps, validations: [{ expression: "object.data.zz == 'x'" }] },
    requests: [{ object: data({ a: '1' }), ...invalid(`expression 'object.data.zz == 'x'' resulted in error`) }],
  },
  {
    name: 'an error is ignored',
    policy: { ...onConfigMaps, failurePolicy: 'Ignore', validations: [{ expression: "object.data.zz == 'x'" }] },
    requests: [{ object: data({ a: '1' }), status: 201 }],
  },
  {
    name: 'an ignoring policy denies all the same',
    policy: { ...onConfigMaps, failurePolicy: 'Ignore', validations: [{ expression: 'false', message: 'no' }] },
    requests: [{ object: {}, ...invalid('no') }],
  },
  {
    name: 'a warning',
    policy: { ...onConfigMaps, validations: [{ expression: 'false', message: 'mind' }] },
    binding: { validationActions: ['Warn', 'Audit'] },
    requests: [{ object: {}, status: 201, warnings: ['mind'] }],
  },
  {
    name: 'an audit',
    policy: { ...onConfigMaps, validations: [{ expression: 'false', message: 'mind' }] },
    binding: { validationActions: ['Audit'] },
    requests: [{ object: {}, status: 201, warnings: [] }],
  },
  {
    name: 'variables',
    policy: {
      ...onConfigMaps,
      variables: [
        { name: 'keys', expression: 'object.data.map(k, k)' },
        { name: 'count', expression: 'size(variables.keys)' },
        { name: 'broken', expression: '1 / 0' },
      ],
      validations: [
        { expression: 'variables.count < 2', messageExpression: "'%d keys: %s'.format([variables.count, variables.keys.sort()])" },
      ],
    },
    requests: [
      { object: data({ a: '1' }), status: 201 },
      { object: data({ a: '1', b: '2' }), ...invalid('2 keys: ["a", "b"]') },
    ],
  },
  {
    name: 'a variable that fails',
    policy: {
      ...onConfigMaps,
      variables: [{ name: 'broken', expression: '1 / 0' }],
      validations: [{ expression: 'variables.broken > 0' }],
    },
    requests: [
      {
        object: {},
        ...invalid(`expression 'variables.broken > 0' resulted in error`),
      },
    ],
  },
  {
    name: 'an update',
    policy: {
      ...onConfigMaps,
      validations: [{ expression: "oldObject == null || object.data['a'] == oldObject.data['a']", message: 'a stays' }],
    },
    requests: [
      { object: data({ a: '1' }), status: 201 },
      { operation: 'update', object: data({ a: '1', b: '2' }), status: 200 },
      { operation: 'update', object: data({ a: '2' }), ...invalid('a stays') },
    ],
  },
  {
    name: 'a deletion',
    policy: {
      matchConstraints: rules('configmaps', '', ['DELETE']),
      validations: [
        { expression: "object == null && !(has(oldObject.metadata.labels) && 'keep' in oldObject.metadata.labels)", message: 'kept' },
      ],
    },
    requests: [
      { object: labelled({ keep: '' }), status: 201 },
      { operation: 'delete', ...invalid('kept') },
      { operation: 'update', object: {}, status: 200 },
      { operation: 'delete', status: 200 },
    ],
  },
  {
    name: 'the request',
    policy: {
      ...onConfigMaps,
      validations: [
        {
          expression: 'false',
          messageExpression:
            "[request.operation, request.kind.kind, request.resource.resource, request.requestKind.version, request.userInfo.username, request.name, string(request.dryRun), string(has(request.subResource))].join(' ')",
        },
      ],
    },
    requests: [{ object: {}, ...invalid('CREATE ConfigMap configmaps v1 admin thing true false') }],
  },
  {
    name: 'the namespace',
    policy: {
      ...onConfigMaps,
      validations: [{ expression: "namespaceObject.metadata.labels['team'] == object.data['team']", message: 'another team' }],
    },
    namespaceLabels: { team: 'red' },
    requests: [
      { object: data({ team: 'red' }), status: 201 },
      { operation: 'update', object: data({ team: 'blue' }), ...invalid('another team') },
    ],
  },
  {
    name: 'conditions that keep a policy away',
    policy: {
      ...onConfigMaps,
      matchConditions: [
        { name: 'labelled', expression: "has(object.metadata.labels) && 'checked' in object.metadata.labels" },
        { name: 'not-ours', expression: "!request.name.startsWith('x')" },
      ],
      validations: [{ expression: 'false', message: 'no' }],
    },
    requests: [
      { object: {}, status: 201 },
      { operation: 'update', object: labelled({ checked: '' }), ...invalid('no') },
    ],
  },
  {
    name: 'a condition that fails',
    policy: {
      ...onConfigMaps,
      matchConditions: [{ name: 'a', expression: "object.data.zz == 'x'" }],
      validations: [{ expression: 'true' }],
    },
    requests: [{ object: data({ a: '1' }), ...invalid(`expression 'object.data.zz == 'x'' resulted in error`) }],
  },
  {
    name: 'a condition that fails beside one that does not hold',
    policy: {
      ...onConfigMaps,
      matchConditions: [
        { name: 'a', expression: "object.data.zz == 'x'" },
        { name: 'b', expression: 'false' },
      ],
      validations: [{ expression: 'false' }],
    },
    requests: [{ object: data({ a: '1' }), status: 201 }],
  },
  {
    name: 'an object selector',
    policy: {
      matchConstraints: { ...rules(), objectSelector: { matchLabels: { checked: 'yes' } } },
      validations: [{ expression: 'false', message: 'no' }],
    },
    requests: [
      { object: labelled({ checked: 'no' }), status: 201 },
      { operation: 'update', object: labelled({ checked: 'yes' }), ...invalid('no') },
    ],
  },
  {
    name: 'an excluded resource',
    policy: {
      matchConstraints: {
        resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }],
        excludeResourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }],
      },
      validations: [{ expression: 'false', message: 'no' }],
    },
    requests: [
      { object: {}, status: 201 },
      { resource: 'jobs', object: aJob([{ name: 'main', image: 'a' }]), ...invalid('no') },
    ],
  },
  {
    name: 'names of resources',
    policy: {
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'], resourceNames: ['another'] }],
      },
      validations: [{ expression: 'false', message: 'no' }],
    },
    requests: [{ object: {}, status: 201 }],
  },
  {
    name: 'another scope',
    policy: {
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'], scope: 'Cluster' }],
      },
      validations: [{ expression: 'false', message: 'no' }],
    },
    requests: [{ object: {}, status: 201 }],
  },
  {
    name: 'the pods of a Job',
    policy: {
      ...onJobs,
      validations: [
        {
          expression: 'object.spec.template.spec.containers.all(c, has(c.resources.limits) && "memory" in c.resources.limits)',
          messageExpression:
            "'without a limit: ' + object.spec.template.spec.containers.filter(c, !has(c.resources.limits)).map(c, string(c.name)).join(', ')",
        },
        { expression: 'object.spec.?parallelism.orValue(1) <= 3', messageExpression: "'%d at a time'.format([object.spec.parallelism])" },
        {
          expression:
            'object.spec.template.spec.containers.all(c, quantity(c.resources.?limits[?"memory"].orValue("0")).isLessThan(quantity("2Gi")))',
          message: 'too much memory',
        },
      ],
    },
    requests: [
      { resource: 'jobs', object: aJob([{ name: 'main', image: 'a', resources: { limits: { memory: '1Gi' } } }]), status: 201 },
      { resource: 'jobs', object: aJob([{ name: 'main', image: 'a' }]), ...invalid('without a limit: main') },
      {
        resource: 'jobs',
        object: aJob([{ name: 'main', image: 'a', resources: { limits: { memory: '1Gi' } } }], { parallelism: 5 }),
        ...invalid('5 at a time'),
      },
      {
        resource: 'jobs',
        object: aJob([{ name: 'main', image: 'a', resources: { limits: { memory: '3Gi' } } }]),
        ...invalid('too much memory'),
      },
    ],
  },
  {
    name: 'a map of an unknown resource',
    policy: {
      matchConstraints: rules('trainings', 'policies.example.com'),
      variables: [{ name: 'replicas', expression: 'object.spec.?replicaSpecs.orValue({})' }],
      validations: [
        {
          expression: "variables.replicas.all(k, k in ['Master', 'Worker'])",
          messageExpression: "'unknown: ' + variables.replicas.map(k, string(k)).filter(k, !(k in ['Master', 'Worker'])).join(', ')",
        },
        {
          expression: 'variables.replicas.all(k, v, v.?replicas.orValue(1) >= 0 && (k != "Master" || v.?replicas.orValue(1) == 1))',
          messageExpression: "'%d masters'.format([variables.replicas[?'Master'].optMap(m, m.?replicas.orValue(1)).orValue(0)])",
        },
        {
          expression: "variables.replicas.all(k, variables.replicas[k].template.spec.containers.exists(c, c.name == 'pytorch'))",
          messageExpression:
            "'no container pytorch in ' + variables.replicas.map(k, !variables.replicas[k].template.spec.containers.exists(c, c.name == 'pytorch'), string(k)).join(', ')",
        },
      ],
    },
    requests: [
      { resource: 'trainings', object: aTraining({ Worker: {} }), status: 201 },
      { operation: 'update', resource: 'trainings', object: aTraining({ Evaluator: {} }), ...invalid('unknown: Evaluator') },
      { operation: 'patch', resource: 'trainings', object: aTraining({ Master: { replicas: 2 } }), ...invalid('2 masters') },
      {
        operation: 'apply',
        resource: 'trainings',
        object: aTraining({ Master: { containers: [{ name: 'main' }] } }),
        ...invalid('no container pytorch in Master'),
      },
      { operation: 'patch', resource: 'trainings', object: aTraining({ Master: { replicas: 1 } }), status: 200 },
    ],
  },
  {
    name: 'a status',
    policy: {
      matchConstraints: rules('trainings/status', 'policies.example.com', ['UPDATE']),
      validations: [
        {
          expression: "object.status.phase != 'Lost'",
          messageExpression: "'%s of %s: %s'.format([request.subResource, request.requestKind.kind, string(object.status.phase)])",
        },
      ],
    },
    requests: [
      { resource: 'trainings', object: aTraining({}), status: 201 },
      { operation: 'status', resource: 'trainings', object: { status: { phase: 'Running' } }, status: 200 },
      { operation: 'status', resource: 'trainings', object: { status: { phase: 'Lost' } }, ...invalid('status of Training: Lost') },
    ],
  },
  {
    name: 'rules before policies',
    policy: { ...onJobs, validations: [{ expression: 'false', message: 'no' }] },
    requests: [
      {
        resource: 'jobs',
        object: aJob([{ name: 'main', image: 'a' }], { parallelism: -1 }),
        status: 422,
        reason: 'Invalid',
        message: 'Job.batch "thing" is invalid: spec.parallelism: Invalid value: -1: must be greater than or equal to 0',
      },
    ],
  },
  {
    name: 'parameters',
    policy: {
      ...onConfigMaps,
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      matchConditions: [{ name: 'not-the-parameters', expression: "request.name == 'thing'" }],
      validations: [
        { expression: 'size(object.data) <= int(params.data.most)', messageExpression: "'more than ' + string(params.data.most)" },
      ],
    },
    binding: { paramRef: { name: 'limits', parameterNotFoundAction: 'Deny' } },
    before: [{ metadata: { name: 'limits' }, data: { most: '1' } }],
    requests: [
      { object: data({ a: '1' }), status: 201 },
      { operation: 'update', object: data({ a: '1', b: '2' }), ...invalid('more than 1') },
    ],
  },
  {
    name: 'parameters by their labels',
    policy: {
      ...onConfigMaps,
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      validations: [
        {
          expression: "!(params.data.forbidden in object.data) || request.name != 'thing'",
          messageExpression: "'not ' + string(params.data.forbidden)",
        },
      ],
    },
    binding: { paramRef: { selector: { matchLabels: { limit: '' } }, parameterNotFoundAction: 'Allow' } },
    before: [
      { metadata: { name: 'limit-a', labels: { limit: '' } }, data: { forbidden: 'a' } },
      { metadata: { name: 'limit-b', labels: { limit: '' } }, data: { forbidden: 'b' } },
    ],
    requests: [
      { object: data({ c: '1' }), status: 201 },
      { operation: 'update', object: data({ b: '2' }), ...invalid('not b') },
    ],
  },
  {
    name: 'missing parameters',
    policy: { ...onConfigMaps, paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, validations: [{ expression: 'true' }] },
    binding: { paramRef: { name: 'limits', parameterNotFoundAction: 'Deny' } },
    requests: [
      { object: {}, ...invalid('failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction') },
    ],
  },
  {
    name: 'missing parameters of a binding that only warns',
    policy: { ...onConfigMaps, paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, validations: [{ expression: 'true' }] },
    binding: { validationActions: ['Warn'], paramRef: { name: 'limits', parameterNotFoundAction: 'Deny' } },
    requests: [
      { object: {}, ...invalid('failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction') },
    ],
  },
  {
    name: 'missing parameters that are no matter',
    policy: { ...onConfigMaps, paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, validations: [{ expression: 'false' }] },
    binding: { paramRef: { name: 'limits', parameterNotFoundAction: 'Allow' } },
    requests: [{ object: {}, status: 201 }],
  },
  {
    name: 'a binding for other objects',
    policy: { ...onConfigMaps, validations: [{ expression: 'false', message: 'no' }] },
    binding: { matchResources: { objectSelector: { matchLabels: { checked: 'yes' } } } },
    requests: [
      { object: {}, status: 201 },
      { operation: 'update', object: labelled({ checked: 'yes' }), ...invalid('no') },
    ],
  },
  {
    name: 'an expression that costs too much',
    policy: {
      ...onConfigMaps,
      variables: [{ name: 'many', expression: 'lists.range(1000)' }],
      validations: [{ expression: 'variables.many.all(a, variables.many.all(b, a + b >= 0))' }],
    },
    requests: [
      {
        object: {},
        ...invalid(
          "expression 'variables.many.all(a, variables.many.all(b, a + b >= 0))' resulted in error: operation cancelled: actual cost limit exceeded",
        ),
      },
    ],
  },
];
