// The same at a terminal, to copy.
import { Command, quoted } from '../../parts/command.tsx';
import type { ClusterSummary, Items } from '../../state/answers.ts';
import { useAnswer } from '../../state/resource.ts';
import { hasLogs, type TabProps } from './tab.ts';

export function Commands({ workload }: TabProps) {
  const { kind, objectKind, namespace, name, cluster } = workload;
  const what = quoted(`${kind.toLowerCase()}/${name}`);
  const object = quoted(`${objectKind.toLowerCase()}/${name}`);
  const clusters = useAnswer<Items<ClusterSummary>>('v1/clusters').data?.items ?? [];
  const inNamespace = namespace === '' ? '' : ` -n ${quoted(namespace)}`;
  const there = `${inNamespace}${clusters.length > 1 ? ` --cluster ${quoted(cluster)}` : ''}`;
  return (
    <>
      <h2>farloop</h2>
      <Command text={`farloop explain ${what}${there}`} />
      {hasLogs(workload) && <Command text={`farloop logs ${what}${there} --follow`} />}
      <h2>kubectl, with the kubeconfig of {cluster}</h2>
      <Command text={`kubectl get ${object}${inNamespace} -o yaml`} />
      <Command text={`kubectl describe ${object}${inNamespace}`} />
    </>
  );
}
