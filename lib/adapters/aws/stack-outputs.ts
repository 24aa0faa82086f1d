// Outputs of a deployed stack: the names of what `farloop cluster` works on.
import type { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { TerminalError } from '../../ports/errors.ts';
import { nameOf, translated } from './aws-errors.ts';

const NEEDED = ['EventsQueueUrl', 'EventsQueueArn', 'ViewsTable', 'ClustersTable', 'ClusterSecretPrefix'] as const;

export interface Installation {
  stage: string;
  /** `farloop-STAGE`: every name of ours begins with it. */
  stackName: string;
  eventsQueueUrl: string;
  eventsQueueArn: string;
  viewsTable: string;
  clustersTable: string;
  /** Before a cluster's name in the name of its secret. */
  secretPrefix: string;
  /** ARN of the role under which functions dial clusters; empty where a stack of an earlier version has no such output. */
  functionsRoleArn: string;
  /** Unique id of that role, by which relays know whose commands to take (R15); empty where a stack of an earlier version has no such output. */
  functionsRoleId: string;
  /** Only a stage that tests remove again. */
  allowLoopback: boolean;
}

export const stackNameOf = (stage: string): string => `farloop-${stage}`;

/** @throws TerminalError there is no such stack, or it is of another version; the errors of aws-errors.ts */
export async function readInstallation(client: CloudFormationClient, stage: string): Promise<Installation> {
  const stackName = stackNameOf(stage);
  const { Stacks: [stack] = [] } = await client.send(new DescribeStacksCommand({ StackName: stackName })).catch((error: unknown) => {
    if (nameOf(error) === 'ValidationError')
      throw new TerminalError(
        `there is no stack ${stackName} in this account and region: deploy it first (docs/deploy.md), or name another --stage or --region`,
        { cause: error },
      );
    throw translated(error, `reading the stack ${stackName}`, false);
  });
  const outputs = new Map((stack?.Outputs ?? []).map(({ OutputKey: key = '', OutputValue: value = '' }) => [key, value]));
  const missing = NEEDED.filter((name) => (outputs.get(name) ?? '') === '');
  if (missing.length > 0)
    throw new TerminalError(`the stack ${stackName} has no output ${missing.join(', ')}: deploy this version of Farloop over it`);
  const of = (name: (typeof NEEDED)[number]): string => outputs.get(name) ?? '';
  return {
    stage,
    stackName,
    eventsQueueUrl: of('EventsQueueUrl'),
    eventsQueueArn: of('EventsQueueArn'),
    viewsTable: of('ViewsTable'),
    clustersTable: of('ClustersTable'),
    secretPrefix: of('ClusterSecretPrefix'),
    functionsRoleArn: outputs.get('ReconcileRoleArn') ?? '',
    functionsRoleId: outputs.get('ReconcileRoleId') ?? '',
    allowLoopback: outputs.get('AllowLoopback') === 'yes',
  };
}
