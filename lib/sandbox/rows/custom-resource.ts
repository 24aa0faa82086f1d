// Rows of resources that no table here describes: those of definitions.
import type { ApiObject } from '../objects/api-object.ts';
import type { ResourceRow, Rules } from './resource-row.ts';
import { readAndWrite, row } from './row.ts';

/** Names of a custom resource, and where its objects are. */
interface CustomNames {
  group: string;
  version: string;
  kind: string;
  plural: string;
  singular?: string;
  shortNames?: readonly string[];
  categories?: readonly string[];
  namespaced: boolean;
  /** The status is written through its own path: each of the two writes leaves the other part as it is. */
  hasStatus: boolean;
  /** Run on top of those of every custom resource. */
  rules?: Partial<Rules>;
}

type CustomRow = CustomNames & Pick<ResourceRow, 'schema' | 'columns'> & Partial<Pick<ResourceRow, 'selectable' | 'fieldsOf' | 'defined'>>;

const scaleOf = { name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: readAndWrite };

export function customRow({ hasStatus, rules = {}, ...given }: CustomRow): ResourceRow {
  return row({
    ...given,
    isCustom: true,
    countsGenerations: true,
    needsVersion: true,
    subresources: [
      ...(hasStatus ? [{ name: 'status', kind: given.kind, verbs: readAndWrite }] : []),
      ...(given.defined?.scale ? [scaleOf] : []),
    ],
    keptByStatus: ['metadata'],
    rules: {
      qualifiesFinalizers: false,
      ...rules,
      create: (object) => {
        const { status, ...others } = object;
        const made: ApiObject = { ...others, ...(!hasStatus && status !== undefined && { status }) };
        return rules.create?.(made) ?? made;
      },
      update: (next, previous) => {
        const { status, ...others } = next;
        const kept = hasStatus ? previous.status : status;
        const merged: ApiObject = { ...others, ...(kept !== undefined && { status: kept }) };
        return rules.update?.(merged, previous) ?? merged;
      },
      updateStatus: ({ status, metadata }, previous) => {
        const { status: _, ...others } = previous;
        const { resourceVersion } = metadata;
        const kept = { ...previous.metadata, ...(resourceVersion !== undefined && { resourceVersion }) };
        return { ...others, metadata: kept, ...(status !== undefined && { status }) };
      },
    },
  });
}
