// A plugin of osls: bundles the console before the functions are packaged, for the API's zip takes it along.
import { writeConsole } from '../lib/files/console-bundle.ts';

export default class ConsolePlugin {
  hooks = { 'before:package:createDeploymentArtifacts': write, 'before:deploy:function:packageFunction': write };
}

const write = async () => await writeConsole('lib/console', 'dist/console');
