// `farloop completion`: scripts for shells, made from commander's own tree, so that they never say something else than --help.
import type { Command } from 'commander';
import { Argument, Command as CommandClass } from 'commander';

type Shell = 'bash' | 'zsh' | 'fish';

export const completionCommand = (program: Command): Command =>
  new CommandClass('completion')
    .description('Print a completion script for a shell.')
    .addArgument(new Argument('<shell>', 'bash, zsh or fish').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', '\nExample:\n  source <(farloop completion bash)')
    .action((shell: Shell) => {
      process.stdout.write(completionScript(program, shell));
    });

/** One place in the tree: the words typed so far, and what may follow. */
interface Place {
  path: string;
  words: { word: string; description: string }[];
}

export function completionScript(program: Command, shell: Shell): string {
  const places = placesOf(program, []);
  if (shell === 'fish') return fishScript(places);
  if (shell === 'bash') return bashScript(places);
  return `#compdef farloop
autoload -U +X bashcompinit && bashcompinit
${bashScript(places)}`;
}

function placesOf(command: Command, path: readonly string[]): Place[] {
  const options = command.options.flatMap(({ long, short, description }) =>
    [long, short].filter((word) => typeof word === 'string').map((word) => ({ word, description })),
  );
  const words = [
    ...command.commands.map((child) => ({ word: child.name(), description: child.description() })),
    ...command.registeredArguments.flatMap(({ argChoices, description }) => (argChoices ?? []).map((word) => ({ word, description }))),
    ...options,
    { word: '--help', description: 'print what a command does and takes' },
  ];
  return [{ path: path.join(' '), words }, ...command.commands.flatMap((child) => placesOf(child, [...path, child.name()]))];
}

/** The words before the cursor that are names of commands say where we are; everything else is left to the shell's file names. */
function bashScript(places: readonly Place[]): string {
  const known = new Set(places.flatMap(({ path }) => path.split(' ')).filter((word) => word !== ''));
  const cases = places.map(({ path, words }) => `    '${path}') words='${words.map(({ word }) => word).join(' ')}' ;;`);
  return `# farloop completion; load it with: source <(farloop completion bash)
_farloop() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path='' words='' word at
  for ((at = 1; at < COMP_CWORD; at++)); do
    word="\${COMP_WORDS[at]}"
    case " ${[...known].join(' ')} " in
      *" $word "*) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _farloop farloop
`;
}

function fishScript(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, words }) => {
    const steps = path === '' ? [] : path.split(' ');
    const seen = steps.map((step) => `__fish_seen_subcommand_from ${step}`).join('; and ');
    const condition = steps.length === 0 ? '__fish_use_subcommand' : seen;
    return words.map(({ word, description }) => {
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : word.startsWith('-') ? `-s ${word.slice(1)}` : `-f -a ${word}`;
      return `complete -c farloop -n '${condition}' ${what} -d '${description.replaceAll("'", '’')}'`;
    });
  });
  return `# farloop completion; load it with: farloop completion fish | source\n${lines.join('\n')}\n`;
}
