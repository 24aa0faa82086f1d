// `farloop cluster`: which clusters an installation looks after.
import { Command } from 'commander';
import { clusterAddCommand } from './cluster-add.ts';
import { clusterDrainCommand } from './cluster-drain.ts';
import { clusterListCommand } from './cluster-list.ts';
import { clusterRemoveCommand } from './cluster-remove.ts';

export function clusterCommand(): Command {
  const command = new Command('cluster')
    .description('Register clusters with an installation on AWS, list them, drain and remove them.')
    .addHelpText('after', '\nExample:\n  farloop cluster list --stage prod');
  for (const child of [clusterAddCommand(), clusterListCommand(), clusterDrainCommand(), clusterRemoveCommand()]) command.addCommand(child);
  return command;
}
