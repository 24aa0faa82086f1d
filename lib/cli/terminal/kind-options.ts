// The flags that the rows of the kinds add to `up`, `cluster add`, `relay`, `plan` and `sandbox`.
import { InvalidArgumentError, Option, type Command } from 'commander';
import { ALL_FACTS } from '../../kinds/facts.ts';
import type { KindFacts, KindOption } from '../../kinds/rows/kind.ts';
import { LONGEST_OPTION, SWITCHED_ON, type KindOptions } from '../../objects/kind-options.ts';

type WithOptions = Pick<KindFacts, 'options'>;

const optionsIn = (kinds: readonly WithOptions[]): KindOption[] => [
  ...new Map(kinds.flatMap(({ options = [] }) => options).map((option) => [option.name, option])).values(),
];

/** Adds the flags in the order of the kinds. @param isWanted absent: all but those of what runs passes */
export function addKindOptions(
  command: Command,
  {
    kinds = ALL_FACTS,
    isWanted = ({ isForPasses }) => isForPasses !== true,
  }: { kinds?: readonly WithOptions[]; isWanted?: (option: KindOption) => boolean } = {},
): Command {
  for (const { name, describes, value, repeats } of optionsIn(kinds).filter(isWanted)) {
    const option = new Option(value ? `--${name} <${value.placeholder}>` : `--${name}`, describes);
    if (value?.isOneOf) option.choices(value.isOneOf);
    else if (value) option.argParser((text: string, before?: string) => checked(text, value, repeats ? before : undefined));
    command.addOption(option);
  }
  return command;
}

/** @param before values that were given already */
function checked(text: string, { problemOf }: NonNullable<KindOption['value']>, before?: string): string {
  const all = before === undefined ? text : `${before} ${text}`;
  if (all.length > LONGEST_OPTION) throw new InvalidArgumentError(`It has ${all.length} characters; at most ${LONGEST_OPTION} are kept.`);
  const problem = problemOf?.(text);
  if (problem !== undefined) throw new InvalidArgumentError(problem);
  return all;
}

/** The given options of kinds. @param parsed the options of a command, as commander names them */
export function givenKindOptions(parsed: object, kinds: readonly WithOptions[] = ALL_FACTS): KindOptions {
  const given: Record<string, string> = {};
  for (const { name, value } of optionsIn(kinds)) {
    const known: unknown = Reflect.get(parsed, new Option(`--${name}`).attributeName());
    if (value && typeof known === 'string') given[name] = known;
    // commander turns `--no-x` into `x: false`.
    if (!value && known === !name.startsWith('no-')) given[name] = SWITCHED_ON;
  }
  return given;
}

/** Features of the API server that these options need. */
export const featuresFor = (options: KindOptions, kinds: readonly KindFacts[] = ALL_FACTS): string[] =>
  optionsIn(kinds).flatMap(({ name, feature }) => (feature !== undefined && options[name] !== undefined ? [feature] : []));
