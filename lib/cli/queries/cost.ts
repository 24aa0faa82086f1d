// `farloop cost`: what clusters, namespaces, kinds or workloads have cost at list prices.
import { Command, InvalidArgumentError, Option } from 'commander';
import type { CostBy, CostGroup } from '../../api/cost-by.ts';
import { LIST_PRICES } from '../../api/list-prices.ts';
import { spanMsOf } from '../../objects/values/span.ts';
import { NO_NAMESPACE } from '../../objects/workload.ts';
import { connectToInstance, endpointOption, type ApiOptions } from '../instance/api-client.ts';
import { dollarText } from '../terminal/dollar-text.ts';
import { stateOption } from '../instance/instance-file.ts';
import { FailedError } from '../terminal/exit.ts';
import { outputOption, print, tableText, terminalWidth, type OutputFormat } from '../terminal/output.ts';

const GROUPS = ['cluster', 'namespace', 'kind', 'workload'] as const satisfies readonly CostGroup[];
const WEEK_MS = 7 * 86_400_000;

interface CostOptions extends ApiOptions {
  by: CostGroup;
  since: string;
  output: OutputFormat;
}

const HELP = `
Examples:
  farloop cost
  farloop cost --by workload --since 24h

Of an instance on this machine requests, units of the table and passes are counted by the hour, as if it ran on AWS. On AWS a query of CloudWatch
Logs Insights sums up what passes and functions have logged: it takes seconds, and costs $${LIST_PRICES.logScannedGb.dollars} a GB that it scans. What several workloads cause
together is shared in proportion to passes.`;

export const costCommand = (): Command =>
  new Command('cost')
    .description('Show what clusters, namespaces, kinds or workloads have cost, at list prices of AWS.')
    .addOption(new Option('--by <group>', 'a row for each').choices(GROUPS).default('namespace'))
    .addOption(new Option('--since <span>', 'how far back: 7d at most').argParser(spanIn).default('7d'))
    .addOption(outputOption())
    .addOption(endpointOption())
    .addOption(stateOption())
    .addHelpText('after', HELP)
    .action(async (options: CostOptions) => {
      const query = new URLSearchParams({ by: options.by, since: options.since });
      const cost = await connectToInstance(options).get<CostBy>(`/v1/cost?${query.toString()}`);
      if (!cost.counted)
        throw new FailedError(
          'cost is not counted there: deploy the stack again with this version, for its functions log what passes spend; until then its dashboard has the sum',
        );
      await print(cost, options.output, textOf);
    });

function spanIn(text: string): string {
  const ms = spanMsOf(text);
  if (ms === undefined || ms <= 0 || ms > WEEK_MS) throw new InvalidArgumentError('Expected a span of 7 days at most, such as 24h or 7d.');
  return text;
}

const TITLES = ['cluster', 'kind', 'namespace', 'name'] as const;

function textOf({ items, dollars, since, asOf, region, by, leftOut, isCut, scannedBytes, scannedDollars = 0 }: CostBy): string {
  const titles = TITLES.filter((title) => items.some((item) => item[title] !== undefined));
  // Cost that no workload has caused has no name.
  const rows = items.map((item) => [
    ...titles.map((title) => item[title] || (title === 'namespace' && item.name ? NO_NAMESPACE : '-')),
    whole(item.passes),
    whole(item.writes),
    whole(item.requests),
    whole(item.writeUnits),
    whole(item.readUnits),
    dollarText(item.dollars),
  ]);
  const header = [...titles.map((title) => title.toUpperCase()), 'PASSES', 'WRITES', 'REQUESTS', 'WRITE UNITS', 'READ UNITS', 'DOLLARS'];
  const look = {
    width: terminalWidth(),
    cut: ['CLUSTER', 'NAMESPACE', 'NAME', 'KIND'],
    state: 'DOLLARS',
    spared: ['READ UNITS', 'WRITE UNITS', 'WRITES'],
  };
  return [
    ...(items.length === 0 ? [`nothing is counted since ${since}`] : [tableText(header, rows, look)]),
    ...(leftOut > 0 ? [`and ${leftOut} that cost less`] : []),
    ...(isCut ? [`and more than one query tells apart: what they cost is shared among these in proportion to passes`] : []),
    ...(items.length === 0 ? [] : [`${dollarText(dollars)} by ${by} since ${since}, at list prices of ${asOf} in ${region}`]),
    ...(scannedBytes === undefined ? [] : [`summed up from ${sizeText(scannedBytes)} of logs, for ${dollarText(scannedDollars)}`]),
  ].join('\n');
}

const sizeText = (bytes: number): string => (bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`);

const whole = (amount: number): string => String(Math.round(amount));
