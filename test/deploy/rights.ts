// Who may do what in a template: every allowed action of every role, on one resource each.
import type { Template } from './packaged.ts';

export interface Right {
  role: string;
  action: string;
  /** Its ARN; references in it as `${Name.Arn}`, pseudo parameters resolved to nothing. */
  resource: string;
}

interface Statement {
  Effect: string;
  Action: string | string[];
  Resource: unknown;
}

const listOf = <Item>(value: Item | Item[]): Item[] => (Array.isArray(value) ? value : [value]);

const textOf = (resource: unknown): string => {
  if (typeof resource === 'string') return resource;
  const [call, given] = Object.entries(Object(resource))[0] ?? [];
  if (call === 'Fn::Sub' && typeof given === 'string') return given.replaceAll(/\$\{AWS::\w+\}/g, '');
  if (call === 'Fn::GetAtt' && Array.isArray(given)) return `\${${given.join('.')}}`;
  throw new Error(`a right on ${JSON.stringify(resource)} is not understood`);
};

export function rightsIn({ Resources: resources }: Template): Right[] {
  const rights: Right[] = [];
  const add = (role: string, document: unknown): void => {
    for (const { Effect, Action, Resource } of Reflect.get(Object(document), 'Statement') as Statement[])
      if (Effect === 'Allow')
        for (const action of listOf(Action))
          for (const resource of listOf(Resource)) rights.push({ role, action, resource: textOf(resource) });
  };
  for (const [name, { Type, Properties }] of Object.entries(resources)) {
    if (Type === 'AWS::IAM::Role')
      for (const policy of (Properties['Policies'] ?? []) as { PolicyDocument: unknown }[]) add(name, policy.PolicyDocument);
    if (Type === 'AWS::IAM::Policy')
      for (const role of Properties['Roles'] as { Ref: string }[]) add(role.Ref, Properties['PolicyDocument']);
  }
  return rights;
}
