// Whether a node is one that a pod may run on, by its node selector and its required node affinity.
import type { Pod } from '../kubernetes.ts';
import { LabelSelectorError, matcherOfExpressions } from '../label-selector.ts';
import { fieldsOf, isFields, listOf, textOf, textsOf, type Fields } from '../values/untyped-fields.ts';

interface NodeIdentity {
  name: string;
  labels: Readonly<Record<string, string>>;
}

export function matchesNode({ spec }: Pod, node: NodeIdentity): boolean {
  const selector = Object.entries(fieldsOf(spec['nodeSelector']));
  if (!selector.every(([label, value]) => Object.hasOwn(node.labels, label) && node.labels[label] === value)) return false;
  const required = fieldsOf(fieldsOf(spec['affinity'])['nodeAffinity'])['requiredDuringSchedulingIgnoredDuringExecution'];
  return !isFields(required) || listOf(required['nodeSelectorTerms']).some((term) => matchesTerm(term, node));
}

/** A term that says nothing matches nothing, and so does one that cannot be read. */
function matchesTerm(term: Fields, { name, labels }: NodeIdentity): boolean {
  const [expressions, fields] = [listOf(term['matchExpressions']).map(expressionOf), listOf(term['matchFields']).map(expressionOf)];
  if (expressions.length === 0 && fields.length === 0) return false;
  try {
    return matcherOfExpressions(expressions)(labels) && fields.every((field) => matchesName(field, name));
  } catch (error) {
    if (error instanceof LabelSelectorError) return false;
    throw error;
  }
}

interface Expression {
  key: string;
  operator: string;
  values: string[];
}

const expressionOf = ({ key, operator, values }: Fields): Expression => ({
  key: textOf(key),
  operator: textOf(operator),
  values: textsOf(values),
});

/** The one field that can be asked for, of one value. */
function matchesName({ key, operator, values }: Expression, name: string): boolean {
  if (key !== 'metadata.name' || values.length !== 1) return false;
  return operator === 'In' ? values[0] === name : operator === 'NotIn' && values[0] !== name;
}
