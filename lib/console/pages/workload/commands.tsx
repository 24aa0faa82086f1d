// The same at a terminal, to copy.
import { Command, quoted } from '../../parts/command.tsx';
import type { TabProps } from './tab.ts';

export function Commands({ workload }: TabProps) {
  const { kind, namespace, name, cluster } = workload;
  const what = quoted(`${kind.toLowerCase()}/${name}`);
  const inNamespace = namespace === '' ? '' : ` -n ${quoted(namespace)}`;
  return (
    <>
      <h2>farloop</h2>
      <Command text={`farloop explain ${what}${inNamespace}`} />
      {workload.hasPods && <Command text={`farloop logs ${what}${inNamespace} --follow`} />}
      <h2>kubectl, with the kubeconfig of {cluster}</h2>
      <Command text={`kubectl get ${what}${inNamespace} -o yaml`} />
      <Command text={`kubectl describe ${what}${inNamespace}`} />
    </>
  );
}
