// Custom resources in kubectl's hands: defined, shown, explained, patched, scaled, waited for and deleted with their definition.
import type { Command, Script } from './script.ts';

const definition = (more = '') => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.kubectl.example.com}
spec:
  group: kubectl.example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget, shortNames: [wd], categories: [all]}
  versions:
  - name: v1beta1
    served: true
    storage: false
    deprecated: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas, labelSelectorPath: .status.selector}
    additionalPrinterColumns:
    - {name: Replicas, type: integer, jsonPath: .spec.replicas}
    - {name: Color, type: string, jsonPath: .spec.color, priority: 1}
    - {name: Ready, type: string, jsonPath: '.status.conditions[?(@.type=="Ready")].status'}
    - {name: Last, type: string, jsonPath: '.status.conditions[-1:].type'}
    - {name: Parts, type: string, jsonPath: .spec.parts, priority: 1}
    selectableFields: [{jsonPath: .spec.color}]
    schema:
      openAPIV3Schema:
        description: A widget.
        type: object
        properties:
          spec:
            description: What is wanted.
            type: object
            properties:
              replicas: {type: integer, default: 1, description: How many.}
              color: {type: string, description: Of the outside.}
              parts: {type: array, items: {type: object, properties: {name: {type: string}, size: {type: integer}}}}
              ${more}
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
`;

const widget = (name: string, spec: string, version = 'v1') =>
  `{apiVersion: kubectl.example.com/${version}, kind: Widget, metadata: {name: ${name}}, spec: ${spec}}`;

const say = (args: string, ...files: string[]): Command => ({ args, ...(files.length > 0 && { files }) });

const red = widget('a', '{color: red, parts: [{name: x, size: 1}]}');
const ready = '{"status":{"replicas":3,"conditions":[{"type":"Made","status":"True"},{"type":"Ready","status":"True"}]}}';

export const customScripts: Script[] = [
  {
    name: 'a definition comes, its objects are used, and both go',
    commands: [
      say('get widgets.kubectl.example.com'),
      say('apply --server-side -f {0}', definition()),
      say('wait --for=condition=Established crd/widgets.kubectl.example.com --timeout=20s'),
      say('get crd widgets.kubectl.example.com -o name'),
      say('api-resources --api-group=kubectl.example.com -o wide'),
      say('apply -f {0}', red),
      say('apply -f {0}', red),
      say('get widgets'),
      say('get wd -o wide'),
      say('get all'),
      say('get widget/a -o jsonpath={.spec}'),
      // The prose of fields that every object has is each server's own.
      { args: 'explain widget', keep: /</ },
      say('explain widget.spec'),
      say('explain widget.spec.parts --recursive'),
      say('explain widget.spec.none'),
      say('scale widget/a --replicas=3'),
      say('scale widget/a --replicas=2 --current-replicas=1'),
      say('get widget a --subresource=scale -o jsonpath={.spec.replicas}'),
      say(`patch widget a --subresource=status --type=merge -p ${ready}`),
      say('get widgets'),
      say('wait --for=condition=Ready widget/a --timeout=20s'),
      say('patch widget a --type=merge -p {"spec":{"color":"blue"}}'),
      say('patch widget a -p {"spec":{"color":"green"}}'),
      say('patch widget a --type=json -p [{"op":"replace","path":"/spec/parts/0/size","value":2}]'),
      say('get widgets --field-selector=spec.color=blue -o name'),
      say('get widgets --field-selector=spec.replicas=3 -o name'),
      say('diff -f {0}', widget('a', '{color: blue, replicas: 3, parts: [{name: x, size: 2}]}')),
      say('apply --server-side -f {0}', red),
      say('apply --server-side --force-conflicts -f {0}', red),
      say('get widget a -o jsonpath={.spec}'),
      say('create -f {0}', widget('b', '{colour: red}')),
      say('create -f {0} --validate=ignore', widget('b', '{colour: red}')),
      say('create -f {0}', widget('c', '{}', 'v2')),
      say('get widgets.v1beta1.kubectl.example.com -o name'),
      say('label widget a tier=top'),
      say('get widgets -l tier=top -o name'),
      say('apply --server-side -f {0}', definition('size: {type: string, default: small}')),
      say('get widget a -o jsonpath={.spec.size}'),
      say('delete widget b'),
      say('delete crd widgets.kubectl.example.com'),
      say('get widgets.kubectl.example.com'),
    ],
  },
];
