// `farloop help`: what --help prints, for those who ask in the other order.
import { Command } from 'commander';
import { UsageError } from './terminal/exit.ts';
import { suggestionText } from './terminal/suggestions.ts';

export const helpCommand = (program: Command): Command =>
  new Command('help')
    .description('Print what a command does and takes.')
    .argument('[command...]', 'as in: dlq list')
    .addHelpText('after', '\nExample:\n  farloop help up')
    .action((words: string[]) => {
      let command = program;
      for (const word of words) {
        const next = command.commands.find((child) => child.name() === word);
        const names = command.commands.map((child) => child.name());
        if (!next) throw new UsageError(`unknown command '${[...words].join(' ')}'${suggestionText(word, names)}; see farloop --help`);
        command = next;
      }
      command.outputHelp();
    });
