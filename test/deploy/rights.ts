// Who may do what in a template: every allowed action of every role, on one resource each.
import type { Template } from './packaged.ts';

export interface Right {
  role: string;
  /** As the policy has it: it may be a pattern. */
  action: string;
  /** Its ARN; references in it as `${Name.Arn}`, pseudo parameters resolved to nothing. */
  resource: string;
}

interface Statement {
  Effect: string;
  Action?: string | string[];
  Resource?: unknown;
}

const listOf = <Item>(value: Item | Item[]): Item[] => (Array.isArray(value) ? value : [value]);

const textOf = (resource: unknown): string => {
  if (typeof resource === 'string') return resource;
  const [call, given] = Object.entries(Object(resource))[0] ?? [];
  if (call === 'Fn::Sub' && typeof given === 'string') return given.replaceAll(/\$\{AWS::\w+\}/g, '');
  if (call === 'Fn::GetAtt' && Array.isArray(given)) return `\${${given.join('.')}}`;
  throw new Error(`a right on ${JSON.stringify(resource)} is not understood`);
};

/** What a policy's action stands for: `*` means any letters, `?` one, and case does not count. */
const patternOf = (action: string): RegExp => {
  const text = action
    .replaceAll(/[^\w*?]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${text}$`, 'i');
};

/** Who may do that, on whatever. @throws Error as rightsIn does */
export const rightsTo = (action: string, template: Template): Right[] =>
  rightsIn(template).filter((right) => patternOf(right.action).test(action));

/** @throws Error a role has rights that the template does not tell, or tells in a way that is not read here */
export function rightsIn({ Resources: resources }: Template): Right[] {
  const rights: Right[] = [];
  const add = (role: string, document: unknown): void => {
    for (const statement of listOf(Reflect.get(Object(document), 'Statement') as Statement | Statement[])) {
      const { Effect, Action, Resource } = statement;
      if (Effect !== 'Allow') continue;
      if (Action === undefined || Resource === undefined)
        throw new Error(`${role}: the right ${JSON.stringify(statement)} is not understood`);
      for (const action of listOf(Action))
        for (const resource of listOf(Resource)) rights.push({ role, action, resource: textOf(resource) });
    }
  };
  for (const [name, { Type, Properties }] of Object.entries(resources)) {
    if (Type.startsWith('AWS::IAM::') && !['AWS::IAM::Role', 'AWS::IAM::Policy'].includes(Type))
      throw new Error(`${name}: the rights of a ${Type} are not read`);
    if (Type === 'AWS::IAM::Role' && Properties['ManagedPolicyArns'] !== undefined)
      throw new Error(`${name}: what its ManagedPolicyArns allow stands in no template: give it policies of its own`);
    if (Type === 'AWS::IAM::Role')
      for (const policy of (Properties['Policies'] ?? []) as { PolicyDocument: unknown }[]) add(name, policy.PolicyDocument);
    if (Type === 'AWS::IAM::Policy')
      for (const role of Properties['Roles'] as { Ref: string }[]) add(role.Ref, Properties['PolicyDocument']);
  }
  return rights;
}
