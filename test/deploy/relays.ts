// Relays as a registration leaves them: without a container engine, but as their manifests or the printed command say.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KubernetesAdministration } from '../../lib/adapters/kubernetes/kubernetes-administration.ts';
import { resourceOf } from '../../lib/onboarding/ours.ts';
import { kubeconfigFor } from '../../lib/sandbox/http/kubeconfig.ts';
import type { RemoteCluster } from './remote-cluster.ts';

export interface RelayStart {
  args: string[];
  environment: Record<string, string>;
}

interface Container {
  args: string[];
  env: { name: string; value?: string; valueFrom?: { secretKeyRef?: { name: string; key: string } } }[];
}

const NAMESPACE = 'farloop';
const POD_NAME = 'farloop-relay-0';

/** From the Deployment on the cluster: its arguments, its environment with what the Secret holds, the token of its account. */
export async function relayOfDeployment(cluster: RemoteCluster, folder: string): Promise<RelayStart> {
  const administration = new KubernetesAdministration(cluster.access);
  try {
    const deployment = await administration.get(resourceOf({ apiVersion: 'apps/v1', kind: 'Deployment' }), {
      namespace: NAMESPACE,
      name: 'farloop-relay',
    });
    const { spec } = (deployment ?? {}) as { spec?: { template: { spec: { containers: Container[]; serviceAccountName: string } } } };
    const [container] = spec?.template.spec.containers ?? [];
    if (!spec || !container) throw new Error(`no Deployment of the relay on ${cluster.name}`);
    const { token } = await administration.tokenOf({ namespace: NAMESPACE, name: spec.template.spec.serviceAccountName }, 3_600);
    const kubeconfig = join(folder, `${cluster.name}-relay.kubeconfig`);
    writeFileSync(kubeconfig, kubeconfigFor({ url: cluster.access.server, caPem: cluster.caPem, token }), { mode: 0o600 });
    const environment: Record<string, string> = { POD_NAME };
    for (const { name, value, valueFrom } of container.env) {
      if (value !== undefined) environment[name] = value;
      const { secretKeyRef: from } = valueFrom ?? {};
      if (!from) continue;
      const secret = await administration.get(resourceOf({ apiVersion: 'v1', kind: 'Secret' }), { namespace: NAMESPACE, name: from.name });
      const { data = {} } = (secret ?? {}) as { data?: Record<string, string> };
      environment[name] = Buffer.from(data[from.key] ?? '', 'base64').toString('utf8');
    }
    const args = container.args.map((argument) =>
      // Nobody asks for probes here, and another test may have that port.
      argument
        .replace('$(POD_NAME)', POD_NAME)
        .replace('$(POD_IP)', '127.0.0.1')
        .replace(/^--probe-port=.*$/, '--probe-port=0')
        .replace(/^--node-api-port=.*$/, '--node-api-port=0'),
    );
    return { args: [...args, '--kubeconfig', kubeconfig], environment };
  } finally {
    administration.close();
  }
}

/** From what `farloop cluster add --no-relay` printed. @param key of the relay's user */
export function relayOfCommand(cluster: RemoteCluster, printed: string, key: { accessKeyId: string; secretAccessKey: string }): RelayStart {
  const command = /^ {2}farloop (relay .*)$/m.exec(printed)?.[1];
  if (command === undefined) throw new Error(`no command for the relay in: ${printed}`);
  return {
    // Where it answers for virtual nodes only who starts it knows.
    args: [...command.split(' '), '--node-api-port=0', '--node-api-address=127.0.0.1', '--kubeconfig', cluster.kubeconfigPath],
    environment: { AWS_ACCESS_KEY_ID: key.accessKeyId, AWS_SECRET_ACCESS_KEY: key.secretAccessKey },
  };
}
