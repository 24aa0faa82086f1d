// Admission of training jobs without a webhook: a ValidatingAdmissionPolicy of each kind, which the API server itself evaluates.
//
// Where a kind had a webhook upstream, all faults are told at once, as that told them. MPIJob and MXJob had none: the first fault is told
// in the words in which their controller would tell it.
import type { ControllerWords, Framework } from '../terms/framework.ts';
import { MULTI_KUEUE } from '../names/settings.ts';
import { OWN_MANAGER } from '../terms/validation.ts';
import { problemsOfOlderDnsLabel } from '../../../objects/names.ts';
import { policyOf, type Policy } from '../../rows/kind-definition.ts';
import { trainingFacts } from '../facts.ts';

/** CEL of type list(string): the faults that it finds. */
type Faults = string;

/** A text in CEL. */
const said = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
const listOf = (texts: readonly string[]): string => `[${texts.map(said).join(', ')}]`;
/** @param fault CEL of type string */
const faultIf = (condition: string, fault: string): Faults => `(${condition} ? [${fault}] : [])`;
/** A text with expressions in it: those at odd places. */
const joined = (...parts: readonly string[]): string => parts.map((part, at) => (at % 2 === 0 ? said(part) : part)).join(' + ');

/** CEL of the field, or of something else where it is not there. @param path without `object` */
const fieldOr = (path: string, otherwise: string, root = 'object', found = (whole: string): string => whole): string => {
  const words = path.split('.');
  const asked = words.map((_, at) => `has(${[root, ...words.slice(0, at + 1)].join('.')})`);
  return `${asked.join(' && ')} ? ${found([root, ...words].join('.'))} : ${otherwise}`;
};

const NAME = `(has(object.metadata.name) ? object.metadata.name : '')`;
const [TOO_LONG = ''] = problemsOfOlderDnsLabel('a'.repeat(64));
const [NO_LABEL = ''] = problemsOfOlderDnsLabel('0');

const variablesOf = ({ replicasField, types }: Framework): { name: string; expression: string }[] => [
  {
    name: 'nameProblems',
    expression:
      faultIf(`size(${NAME}) > 63`, said(TOO_LONG)) + ' + ' + faultIf(`!${NAME}.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')`, said(NO_LABEL)),
  },
  { name: 'specs', expression: fieldOr(`spec.${replicasField}`, '{}') },
  // Those of the API first and in its order: a map has none.
  {
    name: 'types',
    expression: `${listOf(types)}.filter(t, t in variables.specs) + variables.specs.map(t, t).filter(t, !(t in ${listOf(types)}))`,
  },
  { name: 'managers', expression: fieldOr('spec.runPolicy.managedBy', '[]', 'object', (whole) => `[${whole}]`) },
  {
    name: 'managersBefore',
    expression: `oldObject == null ? variables.managers : (${fieldOr('spec.runPolicy.managedBy', '[]', 'oldObject', (whole) => `[${whole}]`)})`,
  },
];

/** Faults of each type. @param faults of the type `t` with the containers `c` */
const ofTypes = (faults: readonly Faults[]): string => {
  const containers = fieldOr('template.spec.containers', '[]', 'variables.specs[t]');
  return `variables.types.map(t, [${containers}].map(c, ${faults.join(' + ')})[0])`;
};

function managerFaults({ isOfBase }: Framework): Faults[] {
  if (isOfBase) return [];
  const path = 'spec.runPolicy.managedBy';
  const supported = `: supported values: "${MULTI_KUEUE}", "${OWN_MANAGER}"`;
  return [
    `variables.managers.filter(m, !(m in ${listOf([MULTI_KUEUE, OWN_MANAGER])}))` +
      `.map(m, ${joined(`${path}: Unsupported value: `, 'strings.quote(m)', supported)})`,
    faultIf(
      'variables.managers != variables.managersBefore',
      joined(
        `${path}: Invalid value: `,
        "(size(variables.managers) > 0 ? strings.quote(variables.managers[0]) : 'null')",
        ': field is immutable',
      ),
    ),
  ];
}

/** The rules of the webhook. CEL of type list(list(string)). */
function webhookFaults(framework: Framework): string {
  const { kind, replicasField, types, container, validation } = framework;
  const field = `spec.${replicasField}`;
  const path = [`${field}[`, 't', '].template.spec.containers'] as const;
  const supported = types.map((type) => JSON.stringify(type)).join(', ');
  const quoted = kind === 'PaddleJob' ? JSON.stringify(container) : container;
  const perType = [
    ...(validation.takesAnyType
      ? []
      : [
          faultIf(
            `!(t in ${listOf(types)})`,
            joined(`${field}[`, 't', ']: Unsupported value: ', 'strings.quote(t)', `: supported values: ${supported}`),
          ),
        ]),
    faultIf('size(c) == 0', joined(path[0], path[1], `${path[2]}: Required value: must be specified`)),
    `c.filter(x, !has(x.image) || x.image == '').map(x, ${joined(path[0], path[1], `${path[2]}[`, 'string(c.indexOf(x))', '].image: Required value: must be required')})`,
    faultIf(
      `!c.exists(x, x.name == ${said(container)})`,
      joined(path[0], path[1], `${path[2]}: Required value: must have at least one container with name ${quoted}`),
    ),
    ...countFaults(framework),
  ];
  const whole = [
    `(size(variables.nameProblems) == 0 ? [] : [${joined('metadata.name: Invalid value: ', `strings.quote(${NAME})`, ': should match: ', "variables.nameProblems.join(', ')")}])`,
    faultIf(`!(${fieldOr(field, 'false', 'object', () => 'true')})`, said(`${field}: Required value: must be required`)),
  ];
  const further = [...(furtherFaults[kind]?.(field) ?? []), ...neededFault(framework), ...managerFaults(framework)];
  return `[${whole.join(', ')}] + ${ofTypes(perType)} + [${further.join(', ')}]`;
}

function countFaults({ replicasField, validation: { single, leastReplicas } }: Framework): Faults[] {
  const replicas = 'variables.specs[t].replicas';
  const told = (words: string): string => joined(`spec.${replicasField}[`, 't', `].replicas: Forbidden: ${words}`);
  if (!single?.isRequired) return [];
  const isSingle = `t == ${said(single.type)}`;
  return [
    faultIf(`${isSingle} && (!has(${replicas}) || ${replicas} != 1)`, told('must be 1')),
    ...(leastReplicas === undefined
      ? []
      : [faultIf(`!(${isSingle}) && has(${replicas}) && ${replicas} < ${leastReplicas}`, told(`must be at least ${leastReplicas}`))]),
  ];
}

const neededFault = ({ replicasField, validation: { needs } }: Framework): Faults[] => {
  if (!needs) return [];
  const at = `spec.${replicasField}`;
  const isThere = fieldOr(at, 'false', 'object', () => 'true');
  return [
    faultIf(
      `(${isThere}) && !(${said(needs.type)} in variables.specs)`,
      said(`spec.${replicasField}[${needs.type}]: Required value: must be present`),
    ),
  ];
};

const elasticWithoutWorker = (field: string): Faults =>
  faultIf(
    `(${fieldOr('spec.elasticPolicy', 'false', 'object', () => 'true')}) && !('Worker' in variables.specs)`,
    said(`${field}[Worker]: Required value: must be configured if elastic policy is used`),
  );

const hasOldCount = fieldOr('spec.elasticPolicy.nProcPerNode', 'false', 'object', () => 'true');

/** By kind: rules that no other kind has. */
const furtherFaults: Readonly<Record<string, (field: string) => Faults[]>> = {
  TFJob: (field) => [
    faultIf(
      "['chief', 'master'].all(role, variables.types.exists(t, t.lowerAscii() == role))",
      said(`${field}: Forbidden: must not have more than 1 Chief or Master role`),
    ),
  ],
  PyTorchJob: (field) => [
    elasticWithoutWorker(field),
    faultIf(
      `(${hasOldCount}) && has(object.spec.nprocPerNode)`,
      said('spec.elasticPolicy.nProcPerNode: Forbidden: must not be used with spec.nprocPerNode'),
    ),
  ],
  PaddleJob: (field) => [elasticWithoutWorker(field)],
};

/** The rules of the controller. CEL of type list(list(string)), in the order in which it looks. */
function controllerFaults(framework: Framework, words: ControllerWords): string {
  const { kind, replicasField, types, renamed, container, validation } = framework;
  const { single, needs, takesAnyName, takesAnyContainer } = validation;
  const inAnyCase = listOf(renamed.map((type) => type.toLowerCase()));
  const ofType = (...parts: readonly string[]): string => (words.isTerse ? said(words.spec) : joined(...parts));
  const perType = [
    faultIf('size(c) == 0', ofType(`${words.spec}: containers definition expected in `, 't')),
    faultIf(
      `!(t in ${listOf(types)} || t.lowerAscii() in ${inAnyCase})`,
      ofType(`${words.type ?? kind} is `, 't', ` but must be one of [${types.join(' ')}]`),
    ),
    faultIf("c.exists(x, !has(x.image) || x.image == '')", ofType(`${words.container}: Image is undefined in the container of `, 't')),
    takesAnyContainer
      ? faultIf("c.exists(x, x.name == '')", ofType(`${words.container}: ImageName is undefined in the container of `, 't'))
      : faultIf(
          `!c.exists(x, x.name == ${said(container)})`,
          ofType(`${words.container}: There is no container named ${container} in `, 't'),
        ),
    ...(single
      ? [
          faultIf(
            `t == ${said(single.type)} && has(variables.specs[t].replicas) && variables.specs[t].replicas != 1`,
            said(single.otherwise),
          ),
        ]
      : []),
  ];
  const name = faultIf('size(variables.nameProblems) > 0', joined(`${kind} name is invalid: [`, "variables.nameProblems.join(' ')", ']'));
  const missing = faultIf(`!(${fieldOr(`spec.${replicasField}`, 'false', 'object', () => 'true')})`, said(words.spec));
  const further = [
    ...(needs ? [faultIf(`!(${said(needs.type)} in variables.specs)`, said(needs.otherwise))] : []),
    ...(kind === 'MXJob'
      ? [faultIf("size(variables.types.filter(t, t.lowerAscii() == 'scheduler')) > 1", said('more than 1 scheduler found'))]
      : []),
    ...managerFaults(framework),
  ];
  return `[${[...(takesAnyName ? [] : [name]), missing].join(', ')}] + ${ofTypes(perType)} + [${further.join(', ')}]`;
}

const all = `variables.faults.filter(f, size(f) > 0).map(f, f.join(', ')).join(', ')`;
const EVERY_FAULT = `variables.faults.map(f, size(f)).sum() > 1 ? '[' + ${all} + ']' : ${all}`;
const FIRST_FAULT = 'variables.faults.filter(f, size(f) > 0)[0][0]';

function denialOf(framework: Framework): Policy {
  const { plural, validation } = framework;
  const words = validation.hadNoWebhook ? validation.controller : undefined;
  return policyOf(trainingFacts(framework), `${plural}.farloop.dev`, 'Deny', {
    variables: [
      ...variablesOf(framework),
      { name: 'faults', expression: words ? controllerFaults(framework, words) : webhookFaults(framework) },
    ],
    validations: [
      {
        expression: 'variables.faults.all(f, size(f) == 0)',
        messageExpression: words ? FIRST_FAULT : EVERY_FAULT,
        reason: 'Forbidden',
      },
    ],
  });
}

const deprecationOf = (framework: Framework): Policy =>
  policyOf(trainingFacts(framework), `${framework.plural}.warnings.farloop.dev`, 'Warn', {
    validations: [
      {
        expression: `!(${hasOldCount})`,
        message: 'spec.elasticPolicy.nProcPerNode is deprecated, use spec.nprocPerNode instead',
      },
    ],
  });

/** PyTorchJob has another one that only warns. */
export const trainingPolicies = (framework: Framework): Policy[] => [
  denialOf(framework),
  ...(framework.kind === 'PyTorchJob' ? [deprecationOf(framework)] : []),
];
