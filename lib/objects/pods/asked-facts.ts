// Facts of a pod that only some kinds read: a kind names them, and to all others they cost no byte. Rows of the table of pod facts
// (fact-table.ts), all optional.
import * as v from 'valibot';
import { dictionary, type FactRows } from './fact-row.ts';

export interface AskedFacts {
  /** The node it is bound to. */
  node?: string;
}

const NAME_MAX = 253;

/** A new one goes to the end: builds before pass over the columns behind those that they know. */
export const ASKED_FACTS: FactRows<AskedFacts> = {
  node: {
    dictionary: dictionary({
      bit: 1_024,
      schema: v.pipe(v.string(), v.maxLength(NAME_MAX)),
      valueOf: ({ node }) => node,
      give: (facts, node) => void (facts.node = node),
      encode: (node) => node,
      decode: (node) => node,
      bytesMax: 1_024,
    }),
    fields: { spec: { nodeName: true } },
    read: ({ spec }, facts) => {
      if (spec?.nodeName && spec.nodeName.length <= NAME_MAX) facts.node = spec.nodeName;
    },
  },
};
