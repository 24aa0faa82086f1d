// What people do with kubectl, verb by verb. The same commands go to the sandbox and to a real server; what they say must be the
// same. Each script has a namespace of its own and a simulated node to run its pods.
import { customScripts } from './custom-scripts.ts';
import type { Command, Script } from './script.ts';

const main = (image = 'busybox'): string => `{name: main, image: ${image}, command: [sh, -c, "sleep 1"]}`;

const jobText = (spec = '', metadata = ''): string => `apiVersion: batch/v1
kind: Job
metadata:
  name: demo
${metadata}
spec:
  completions: 2
${spec}
  template:
    spec:
      restartPolicy: Never
      containers: [${main()}]
`;

const podText = (name: string, more = '', metadata = ''): string =>
  `{apiVersion: v1, kind: Pod, metadata: {name: ${name}${metadata}}, spec: {restartPolicy: Never${more}, containers: [${main()}]}}\n`;

/** A pod that runs until it is stopped. */
const staying = (name: string, metadata = ''): string =>
  `{apiVersion: v1, kind: Pod, metadata: {name: ${name}${metadata}}, spec: {terminationGracePeriodSeconds: 1, containers: [{name: main, image: busybox}]}}\n`;

const configText = (data = 'a: "1"'): string => `{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {${data}}}\n`;

const say = (args: string, ...files: string[]): Command => ({ args, ...(files.length > 0 && { files }) });

/** Fields with their types, and what a field may hold: the prose is each server's own. */
const explained = (args: string): Command => ({
  args: `explain ${args}`,
  keep: /^(GROUP|KIND|VERSION|FIELD|FIELDS):|^ *\S+\t<|^ *\S+ {2}<|^ *enum:|^error|-required-/,
});

export const scripts: Script[] = [
  {
    name: 'apply: creates, leaves, changes',
    commands: [
      say('apply -f {0}', jobText()),
      say('apply -f {0}', jobText()),
      say('apply -f {0}', jobText('  parallelism: 2')),
      say('apply -f {0}', jobText()),
      say('get job demo -o yaml'),
      say('apply view-last-applied job/demo'),
      say('apply -f {0} --dry-run=server', jobText('  suspend: true')),
      say('apply -f {0} --dry-run=client', jobText('  suspend: true')),
      say('apply -f {0} --dry-run=server -o yaml', jobText('  suspend: true')),
      say('apply -f {0}', `${configText()}---\n${podText('p')}`),
      say('apply -f {0}', jobText('  completionMode: Indexed')),
      say('patch job demo --type=merge -p \'{"spec":{"suspend":true}}\''),
      // Where the patch does not go, both objects are told as JSON, whose keys stand in any order; and once more by the older OpenAPI.
      { args: 'apply -f {0} --overwrite=false', files: [jobText('  suspend: false')], keep: /^error/ },
    ],
  },
  {
    name: 'apply: what is wrong',
    commands: [
      say('apply -f {0}', jobText('  parallelismm: 2')),
      say('apply -f {0} --validate=warn', jobText('  parallelismm: 2')),
      say('apply -f {0} --validate=ignore', jobText('  parallelismm: 3')),
      say('apply -f {0}', jobText('  parallelism: two')),
      say('apply -f {0}', jobText().replace('Never', 'Always').replace('demo', 'other')),
      say('apply -f {0}', jobText().replace('batch/v1', 'batch/v7')),
      say('apply -f {0}', '{apiVersion: v1, kind: Nonsense, metadata: {name: x}}'),
      say('apply -f {0}', '{apiVersion: v1, kind: ConfigMap, metadata: {name: UPPER}}'),
      say('apply -f {0}', '{apiVersion: v1, kind: ConfigMap}'),
      say('apply --server-side -f {0}', jobText('  parallelismm: 2')),
      say('apply --server-side -f {0}', jobText().replace('Never', 'Always')),
    ],
  },
  {
    name: 'apply --server-side: owners, conflicts, force',
    commands: [
      say('apply --server-side -f {0}', configText()),
      say('apply --server-side -f {0}', configText()),
      say('apply --server-side --field-manager=other -f {0}', configText('a: "2"')),
      say('apply --server-side --field-manager=other -f {0}', configText('a: "2", b: "3"')),
      say('apply --server-side --field-manager=other --force-conflicts -f {0}', configText('a: "2", b: "3"')),
      say('apply --server-side -f {0}', configText()),
      say('get configmap settings -o yaml --show-managed-fields'),
      say('apply --server-side --dry-run=server -f {0} -o yaml', configText('c: "4"')),
      say('apply --server-side --field-manager=third -f {0}', jobText()),
      say('get job demo -o yaml --show-managed-fields'),
    ],
  },
  {
    name: 'apply: from the client to the server',
    commands: [
      say('apply -f {0}', configText('a: "1", b: "2"')),
      say('apply --server-side -f {0}', configText('a: "5"')),
      say('get configmap settings -o yaml --show-managed-fields'),
      say('apply -f {0}', configText('a: "6"')),
      say('get configmap settings -o yaml --show-managed-fields'),
    ],
  },
  {
    name: 'diff',
    commands: [
      say('diff -f {0}', jobText()),
      say('apply -f {0}', jobText()),
      say('diff -f {0}', jobText()),
      say('diff -f {0}', jobText('  parallelism: 2', '  labels: {a: b}')),
      say('diff --server-side -f {0}', jobText('  suspend: true')),
      say('diff --server-side --force-conflicts -f {0}', jobText('  suspend: true')),
      say('get job demo -o jsonpath={.spec.parallelism},{.spec.suspend}'),
    ],
  },
  {
    name: 'get',
    commands: [
      say('get pods'),
      say('apply -f {0}', podText('one', '', ', labels: {app: a, tier: x}')),
      say('apply -f {0}', podText('two', '', ', labels: {app: b}')),
      say('wait --for=jsonpath={.status.phase}=Succeeded pod/one pod/two --timeout=20s'),
      say('get pods'),
      say('get pods -o wide'),
      say('get pods --show-labels'),
      say('get pods -L app,tier'),
      say('get pods -l app=a'),
      say('get pods -l app!=a,tier'),
      say('get pods -l app=a=b'),
      say('get pods --field-selector=status.phase=Succeeded,metadata.name!=two'),
      say('get pods --field-selector=status.fase=x'),
      say('get pods --sort-by=.metadata.name --no-headers'),
      say('get pods -o name'),
      say('get pods -o custom-columns=NAME:.metadata.name,PHASE:.status.phase,IMAGE:.spec.containers[*].image'),
      say("get pods -o jsonpath='{range .items[*]}{.metadata.name}{end}'"),
      say('get pod one -o yaml'),
      say('get pod one -o json'),
      say('get pod three'),
      say('get pods one three'),
      say('get po/one cm,sa'),
      say('get all'),
      say('get nonsense'),
      say('apply -f {0}', jobText('  suspend: true')),
      say('get jobs'),
      say('get jobs -o wide'),
      say('get job demo --subresource=status -o jsonpath={.metadata.name}'),
      say('get -f {0}', jobText()),
      say('get jobs --chunk-size=1 -o name'),
      say('get node simulated-node'),
      say('get leases'),
      say('get events'),
      say('get pdb'),
      say('get jobs --ignore-not-found nosuch'),
      say('get --raw /apis/batch/v1/namespaces/default/jobs/nosuch'),
    ],
  },
  {
    name: 'describe',
    commands: [
      say('apply -f {0}', podText('one', '', ', labels: {app: a}, annotations: {x: y}')),
      say('wait --for=jsonpath={.status.phase}=Succeeded pod/one --timeout=20s'),
      say('describe pod one'),
      say('apply -f {0}', jobText('  suspend: true\n  backoffLimitPerIndex: 1\n  completionMode: Indexed')),
      say('describe job demo'),
      say('create configmap settings --from-literal=a=b'),
      say('describe configmap settings'),
      say('create secret generic hidden --from-literal=a=b'),
      say('describe secret hidden'),
      say('create service clusterip web --tcp=80:8080'),
      say('create poddisruptionbudget keep --selector=app=a --min-available=1'),
      say('create serviceaccount robot'),
      say('describe serviceaccount robot'),
      say('describe pod nosuch'),
      say('describe pods -l app=nosuch'),
    ],
  },
  {
    name: 'logs, where there are none',
    commands: [
      say(
        'apply -f {0}',
        podText('unbound', ', schedulerName: nobody, initContainers: [{name: first, image: busybox}]', ', labels: {app: a}'),
      ),
      say('logs unbound'),
      say('logs unbound -c first --tail=3 --timestamps'),
      say('logs unbound -c other'),
      say('logs unbound --all-containers --prefix'),
      say('logs -l app=a'),
      say('logs -l app=nosuch'),
      say('logs nosuch'),
      say('logs unbound --limit-bytes=-1'),
      say('logs unbound --since=1s --since-time=2026-01-01T00:00:00Z'),
      say('get --raw /api/v1/namespaces/default/pods/nosuch/log'),
    ],
  },
  {
    name: 'wait',
    commands: [
      say('wait --for=create configmap/later --timeout=1s'),
      say('create configmap later'),
      say('wait --for=create configmap/later --timeout=5s'),
      say('apply -f {0}', staying('stays')),
      say('wait --for=condition=Ready pod/stays --timeout=20s'),
      say('wait --for=condition=Ready=false pod/stays --timeout=1s'),
      say('wait --for=jsonpath={.status.phase}=Running pod/stays --timeout=20s'),
      say('wait --for=condition=Ready pod/nosuch --timeout=1s'),
      say('delete pod stays --wait=false'),
      say('wait --for=delete pod/stays --timeout=20s'),
      say('wait --for=delete pod/stays --timeout=5s'),
      say('apply -f {0}', jobText('  suspend: true')),
      say(
        'patch job demo --subresource=status --type=merge -p \'{"status":{"conditions":[{"type":"Suspended","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}\'',
      ),
      say('wait --for=condition=Suspended job/demo --timeout=5s'),
      say('wait --for=condition=Complete job/demo --timeout=1s'),
    ],
  },
  {
    name: 'watch',
    commands: [
      say('create configmap a'),
      say('get configmap a -w --output-watch-events --request-timeout=2s'),
      say('get configmaps --field-selector=metadata.name=a -w -o name --request-timeout=2s'),
      say('get configmap a --watch-only --request-timeout=1s'),
    ],
  },
  {
    name: 'patch',
    commands: [
      say('apply -f {0}', jobText()),
      say('patch job demo -p \'{"spec":{"suspend":true}}\''),
      say('patch job demo -p \'{"spec":{"suspend":true}}\''),
      say('patch job demo --type=merge -p \'{"spec":{"parallelism":3}}\''),
      say('patch job demo --type=json -p \'[{"op":"replace","path":"/spec/backoffLimit","value":2}]\''),
      say('patch job demo --type=json -p \'[{"op":"test","path":"/spec/backoffLimit","value":9}]\''),
      say('patch job demo -p \'{"spec":{"completions":9}}\''),
      say('patch job demo -p \'{"spec":{"unknown":9}}\''),
      say('patch job demo -p \'{"spec":{"suspend":false}}\' --dry-run=server'),
      say("patch job demo -p 'no: [json'"),
      say("patch job nosuch -p '{}'"),
      say('patch -f {0} -p \'{"metadata":{"labels":{"x":"y"}}}\'', jobText()),
      say('get job demo -o jsonpath={.spec.suspend},{.spec.parallelism},{.spec.backoffLimit},{.metadata.labels}'),
    ],
  },
  {
    name: 'scale',
    commands: [
      say('apply -f {0}', jobText('  suspend: true')),
      say('scale job/demo --replicas=3'),
      say('scale --replicas=3 -f {0}', jobText()),
      say('scale job/nosuch --replicas=3'),
      say('autoscale job/demo --max=3'),
    ],
  },
  {
    name: 'label and annotate',
    commands: [
      say('create configmap a'),
      say('create configmap b'),
      say('label configmap a x=1'),
      say('label configmap a x=2'),
      say('label configmap a x=2 --overwrite'),
      say('label configmap a x=2'),
      say('label configmap a x-'),
      say('label configmap a x-'),
      say('label configmap a b all=yes'),
      say('label configmap a -- -bad=1'),
      say("label configmap a 'x=not valid'"),
      say('label configmap a x=3 --resource-version=1'),
      say('label configmap a --list'),
      say('label configmap a y=1 --dry-run=server'),
      say('label configmap nosuch y=1'),
      say('annotate configmap a note=hello'),
      say('annotate configmap a note=again'),
      say('annotate configmap a note=again --overwrite'),
      say('annotate configmap a note-'),
      say('annotate configmap a --list'),
      say('get configmaps -l all=yes -o name'),
    ],
  },
  {
    name: 'delete',
    commands: [
      say('create configmap a'),
      say('delete configmap a'),
      say('delete configmap a'),
      say('delete configmap a --ignore-not-found'),
      say('apply -f {0}', jobText('  suspend: true')),
      say('delete job demo --dry-run=server'),
      say('delete job demo --cascade=orphan'),
      say('apply -f {0}', jobText('  suspend: true')),
      say('delete job demo --cascade=foreground --timeout=20s'),
      say('apply -f {0}', jobText('  suspend: true')),
      say('delete -f {0} --timeout=20s', jobText()),
      say('apply -f {0}', staying('one', ', labels: {app: a}')),
      say('wait --for=condition=Ready pod/one --timeout=20s'),
      say('delete pods -l app=a --timeout=20s'),
      say('apply -f {0}', staying('two')),
      say('wait --for=condition=Ready pod/two --timeout=20s'),
      say('delete pod two --now --timeout=20s'),
      say('apply -f {0}', staying('three')),
      say('delete pod three --force --grace-period=0 --timeout=20s'),
      say('delete pods --all'),
      say('delete nonsense x'),
      say('delete configmaps,secrets --all -o name --field-selector=metadata.name!=kube-root-ca.crt'),
    ],
  },
  {
    name: 'create, run, replace, set, expose',
    commands: [
      say('create job quick --image=busybox -- true'),
      say('create job quick --image=busybox -- true'),
      say('get job quick -o yaml'),
      say('create -f {0}', jobText()),
      say('create -f {0}', jobText()),
      say('create -f {0} --dry-run=server -o name', jobText().replace('demo', 'other')),
      say('run p --image=busybox --restart=Never --command -- true'),
      say('wait --for=jsonpath={.status.phase}=Succeeded pod/p --timeout=20s'),
      say('set image pod/p p=busybox:2'),
      say('get pod p -o jsonpath={.spec.containers[0].image}'),
      say('expose pod p --port=80 --name=web -l run=p'),
      say('get service web -o jsonpath={.spec.ports}{.spec.selector}{.spec.type}'),
      say('replace --force -f {0} --timeout=20s', podText('p')),
      say('replace -f {0}', podText('nosuch')),
      say('create secret generic s --from-literal=a=b'),
      say('get secret s -o yaml'),
      say('create service clusterip c --clusterip=None'),
      say('create poddisruptionbudget b --selector=a=b --max-unavailable=50%'),
      say('get pdb'),
      say('create namespace UPPER'),
    ],
  },
  {
    name: 'drain and cordon',
    commands: [
      say('apply -f {0}', staying('one')),
      say('wait --for=condition=Ready pod/one --timeout=20s'),
      say('cordon simulated-node'),
      say('get node simulated-node --no-headers'),
      say('drain simulated-node --pod-selector=nosuch=x --force --ignore-daemonsets --timeout=20s'),
      say('uncordon simulated-node'),
      say('taint node simulated-node key=value:NoSchedule'),
      say('taint node simulated-node key=value:NoSchedule'),
      say('taint node simulated-node key-'),
    ],
  },
  {
    name: 'auth',
    commands: [
      say('auth can-i create jobs'),
      say('auth can-i create jobs.batch --subresource=status'),
      say('auth can-i get /healthz'),
      say('auth can-i frobnicate nonsense'),
      say('auth can-i create jobs -q'),
      say('auth whoami'),
      say('auth whoami -o yaml'),
    ],
  },
  {
    name: 'explain: names and types of fields, not the prose',
    commands: [
      explained('job'),
      explained('job.spec'),
      explained('job.spec --recursive'),
      explained('job.spec.completionMode'),
      explained('job.spec.podFailurePolicy.rules.onExitCodes'),
      explained('job.status'),
      explained('job.status.conditions'),
      explained('job.metadata'),
      explained('job.metadata.ownerReferences'),
      explained('pod.spec.containers'),
      explained('pod.spec --recursive'),
      explained('pods.spec.containers.ports.protocol'),
      explained('pod.spec.containers.resources'),
      explained('configmap'),
      explained('secret.data'),
      explained('lease.spec'),
      explained('node.status.conditions'),
      explained('service.spec.ports'),
      explained('poddisruptionbudget.spec'),
      explained('events --api-version=events.k8s.io/v1'),
      explained('event --api-version=v1'),
      explained('job.spec.nosuch'),
      explained('nonsense'),
      explained('job --api-version=batch/v2'),
    ],
  },
  {
    name: 'what the server offers',
    commands: [
      { args: 'api-resources --api-group=batch', keep: /^NAME|^jobs / },
      { args: 'api-resources --api-group=coordination.k8s.io', keep: /^NAME|^leases / },
      { args: 'api-resources --api-group=policy' },
      { args: 'api-resources --api-group=authorization.k8s.io', keep: /^NAME|^self|^subject/ },
      { args: 'api-resources --api-group=authentication.k8s.io' },
      { args: 'api-resources --api-group=events.k8s.io' },
      {
        // A metrics server, which the control plane has none of, names nodes and pods as well.
        args: 'api-resources -o wide --no-headers',
        keep: /^(?!.* metrics\.k8s\.io)(configmaps|events|namespaces|nodes|pods|secrets|serviceaccounts|services|jobs|leases|poddisruptionbudgets) /,
      },
      { args: 'api-versions', keep: /^(v1|batch\/v1|policy\/v1|coordination.k8s.io\/v1|events.k8s.io\/v1|auth.*)$/ },
    ],
  },
  ...customScripts,
];
