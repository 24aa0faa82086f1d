// `farloop completion`: scripts for shells, made from commander's own tree, so that they never say something else than --help.
import type { Command, Option } from 'commander';
import { Argument, Command as CommandClass, InvalidArgumentError } from 'commander';
import { printLine } from '../terminal/output.ts';
import { takesRun, takesWorkload, withWords, wordsOf } from '../terminal/completion-hints.ts';
import type { Place, Value } from './completion-scripts.ts';
import { bashScript, fishScript, zshScript } from './completion-scripts.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };
type Shell = keyof typeof SCRIPTS;
const SHELLS = Object.keys(SCRIPTS) as Shell[];
const NAMES = 'names';

function shellOrNames(text: string): Shell | typeof NAMES {
  const found = [...SHELLS, NAMES].find((word) => word === text);
  if (!found) throw new InvalidArgumentError(`Allowed choices are ${SHELLS.join(', ')}.`);
  return found as Shell | typeof NAMES;
}

export const completionCommand = (program: Command): Command =>
  new CommandClass('completion')
    .description('Print a completion script for a shell.')
    .addArgument(withWords(new Argument('<shell>', 'bash, zsh or fish; or names, as the scripts ask').argParser(shellOrNames), SHELLS))
    .argument('[begun]', 'of names: what has been typed of KIND/NAME')
    .addHelpText(
      'after',
      `
Examples:
  source <(farloop completion bash)                            # bash and zsh: for this shell
  farloop completion zsh > ~/.zsh/completions/_farloop         # zsh: for every one, with that folder in fpath
  farloop completion fish > ~/.config/fish/completions/farloop.fish

After job/ the shell offers the names of the instance that runs on this machine, or that FARLOOP_ENDPOINT names; where none answers soon, nothing.
After run-once get, logs or cancel it offers the runs of the state folder.`,
    )
    .action(async (shell: Shell | typeof NAMES, begun: string = '') => {
      if (shell === NAMES) {
        const { offeredNames } = await import('./workload-names.ts');
        for (const name of await offeredNames(begun)) printLine(name);
      } else process.stdout.write(completionScript(program, shell));
    });

/** The script for the shell: every command, option and known word of the program as it stands. */
export const completionScript = (program: Command, shell: Shell): string => SCRIPTS[shell](placesOf(program, []));

function placesOf(command: Command, path: readonly string[]): Place[] {
  const own: Place = {
    path,
    takesWorkload: command.registeredArguments.some(takesWorkload),
    takesRun: command.registeredArguments.some(takesRun),
    words: [
      ...command.commands.map((child) => ({ word: child.name(), description: child.description() })),
      ...command.registeredArguments.flatMap((argument) => wordsOf(argument).map((word) => ({ word, description: argument.description }))),
      ...(command.name() === 'help'
        ? (command.parent?.commands.map((child) => ({ word: child.name(), description: child.description() })) ?? [])
        : []),
    ],
    options: [
      ...command.options.map((option) => ({
        names: [option.short, option.long].filter((name) => typeof name === 'string'),
        description: option.description,
        ...(option.required && { value: valueOf(option) }),
      })),
      { names: ['-h', '--help'], description: 'print what a command does and takes' },
    ],
  };
  return [own, ...command.commands.flatMap((child) => placesOf(child, [...path, child.name()]))];
}

/** Its value, as its usage names it: `<file>`, `<dir>`, or words. */
function valueOf(option: Option): Value {
  const words = wordsOf(option);
  if (words.length > 0) return { words };
  if (/<files?(\.\.\.)?>/.test(option.flags)) return 'file';
  return option.flags.includes('<dir>') ? 'folder' : 'anything';
}
