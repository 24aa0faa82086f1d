// The init container that keeps a worker waiting until its master's name resolves.
import type { Container } from '../../../objects/kubernetes.ts';
import { jsonIn, isFields } from '../../../objects/values/untyped-fields.ts';
import { ClusterSpecError } from '../terms/framework.ts';
import type { TrainingSettings } from '../names/settings.ts';

/** One, or as many as the installation's template has. @throws ClusterSpecError if that is no list of containers */
export function initContainersFor(masterAddress: string, settings: TrainingSettings): Container[] {
  const { pytorchInitImage: image, pytorchInitMaxTries: tries, pytorchInitTemplate: template } = settings;
  if (template === '') return [usualContainer(masterAddress, { image, tries })];
  const text = template
    .replaceAll('{{.MasterAddr}}', masterAddress)
    .replaceAll('{{.InitContainerImage}}', image)
    .replaceAll('{{.MaxTries}}', String(tries));
  const containers = jsonIn(text);
  if (!Array.isArray(containers) || !containers.every(isFields))
    throw new ClusterSpecError('the template of the init container is no list of containers');
  return containers as Container[];
}

const usualContainer = (masterAddress: string, { image, tries }: { image: string; tries: number }): Container => ({
  name: 'init-pytorch',
  image,
  imagePullPolicy: 'IfNotPresent',
  resources: { limits: { cpu: '100m', memory: '20Mi' }, requests: { cpu: '50m', memory: '10Mi' } },
  command: ['sh', '-c', waitScript(masterAddress, tries)],
});

const waitScript = (address: string, tries: number): string =>
  [
    'tried=0',
    `while [ "$tried" -lt ${tries} ]; do`,
    `  if nslookup ${address}; then exit 0; fi`,
    '  tried=$((tried + 1))',
    '  echo waiting for master',
    '  sleep 2',
    'done',
    'exit 1',
  ].join('\n');
