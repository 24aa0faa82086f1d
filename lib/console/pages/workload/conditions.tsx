// The conditions of its status, as the cluster has them.
import { Table } from '../../parts/table.tsx';
import { Moment } from '../../parts/times.tsx';
import type { TabProps } from './tab.ts';

interface Condition {
  type?: string;
  status?: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
}

export function Conditions({ workload }: TabProps) {
  return (
    <>
      <Table<Condition>
        label="Conditions"
        columns={[
          { title: 'Type', cell: ({ type }) => type },
          { title: 'Status', cell: ({ status }) => status },
          { title: 'Reason', cell: ({ reason }) => reason },
          { title: 'Message', cell: ({ message }) => message },
          { title: 'Since', cell: ({ lastTransitionTime }) => <Moment time={lastTransitionTime} /> },
        ]}
        rows={workload.conditions as readonly Condition[]}
        idOf={({ type = '' }) => type}
        empty="None."
      />
      {workload.labels && Object.keys(workload.labels).length > 0 && (
        <>
          <h2>Labels</h2>
          <ul class="plain columns">
            {Object.entries(workload.labels).map(([name, value]) => (
              <li key={name}>
                {name}={value}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
