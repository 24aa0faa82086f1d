// `farloop map`: the parts of a workload at a glance, of a Job of a hundred thousand indexes too.
import { Command, InvalidArgumentError } from 'commander';
import { ALL_FACTS } from '../../kinds/facts.ts';
import type { KindFacts } from '../../kinds/rows/kind.ts';
import { connectToInstance, endpointOption, type ApiOptions } from '../instance/api-client.ts';
import { stateOption } from '../instance/instance-file.ts';
import { outputOption, print, terminalWidth, type OutputFormat } from '../terminal/output.ts';
import { aboutWorkload, nameWorkload, workloadPathNamed, workloadText } from './named-workload.ts';
import { mapText, type ToldMap } from './map-text.ts';

interface MapOptions extends ApiOptions {
  namespace?: string;
  cluster?: string;
  from?: number;
  to?: number;
  at?: number;
  output: OutputFormat;
}

const HELP = `
A cell is one index, or 10, 100 or 1,000 of them where there are more than fit; then it shows the worst of them.

Examples:
  farloop map job/render
  farloop map job/render --from 4000 --to 5000
  farloop map job/render --at 4711
  farloop map pytorchjob/resnet

Exit codes: 0 it is shown, 1 there is no such workload, 3 several have that name.`;

export const mapCommand = (kinds: readonly KindFacts[] = ALL_FACTS): Command =>
  aboutWorkload(new Command('map').description('Show the states of the indexes of a workload, or of its replicas, at a glance.'), kinds)
    .option('--from <index>', 'the first index that is shown', indexIn)
    .option('--to <index>', 'the first index that is left out behind it', indexIn)
    .option('--at <index>', 'an index whose pods are shown', indexIn)
    .addOption(outputOption())
    .addOption(endpointOption())
    .addOption(stateOption())
    .addHelpText('after', HELP)
    .action(async (first: string, second: string | undefined, options: MapOptions) => {
      const text = workloadText(first, second);
      const api = connectToInstance(options);
      const path = await workloadPathNamed(api, { ...options, text, named: nameWorkload(text, kinds) });
      if (path === undefined) return;
      const { from, to, at } = options;
      const asked = Object.entries({ from, to, at }).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
      const map = await api.get<ToldMap>(`${path}/map${asked.length === 0 ? '' : `?${asked.join('&')}`}`);
      await print(map, options.output, (shown) => mapText(text, shown, terminalWidth()));
    });

function indexIn(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Expected a whole number, such as 4711.');
  return Number(text);
}
