// The flags that the rows of the kinds add to commands.
import { describe, expect, test } from '@jest/globals';
import { Command } from 'commander';
import { addKindOptions, featuresFor, givenKindOptions } from '../../../lib/cli/terminal/kind-options.ts';
import type { KindOption } from '../../../lib/kinds/rows/kind.ts';
import { usedOf, managedKinds, relayOptions } from '../../../lib/kinds/settings.ts';
import { ENSEMBLE } from '../../kinds/made-up-kind.ts';

const OPTIONS: readonly KindOption[] = [
  {
    name: 'gang-scheduler',
    describes: 'who schedules',
    value: { placeholder: 'name', isOneOf: ['volcano', 'none'] },
    isForRelay: true,
  },
  {
    name: 'helper-image',
    describes: 'an image',
    value: { placeholder: 'image', problemOf: (text) => (text.includes(' ') ? 'It has a space.' : undefined) },
  },
  { name: 'loud', describes: 'a switch', feature: 'Loudness' },
];
const [first, second] = ENSEMBLE.children;
if (!first || !second) throw new Error('the made-up kind has two children');
const KIND = {
  ...ENSEMBLE,
  settings: [{ word: 'ensembles', takes: 'ensembles' }],
  options: OPTIONS,
  children: [
    first,
    {
      ...second,
      isUsed: ({ options }: { options?: Readonly<Record<string, string>> | undefined }) => options?.['gang-scheduler'] === 'volcano',
    },
  ],
};

function parsed(...flags: string[]): Readonly<Record<string, string>> {
  const command = addKindOptions(new Command('test').exitOverride().configureOutput({ writeErr: () => {} }), { kinds: [KIND, KIND] });
  command.parse(flags, { from: 'user' });
  return givenKindOptions(command.opts(), [KIND]);
}

describe('options of kinds', () => {
  test('are flags, each once, with their values; a switch is on', () => {
    expect(parsed()).toEqual({});
    expect(parsed('--gang-scheduler', 'volcano', '--helper-image', 'alpine:3', '--loud')).toEqual({
      'gang-scheduler': 'volcano',
      'helper-image': 'alpine:3',
      loud: 'on',
    });
    expect(featuresFor({ loud: 'on', 'gang-scheduler': 'volcano' }, [KIND])).toEqual(['Loudness']);
  });

  test('are refused with what was expected', () => {
    expect(() => parsed('--gang-scheduler', 'cron')).toThrow('Allowed choices are volcano, none');
    expect(() => parsed('--helper-image', 'a b')).toThrow('It has a space.');
    expect(() => parsed('--helper-image', 'a'.repeat(5_000))).toThrow('5000 characters; at most 4096');
  });

  test('trap 8: decide which children are watched, listed and granted; the relay is told of those options alone', () => {
    const plurals = (options?: Record<string, string>): string[] =>
      managedKinds(['ensembles'], [KIND], { options }).flatMap(({ children }) => children.map(({ resource }) => resource.kind));
    expect(plurals()).toEqual(['Service']);
    expect(plurals({ 'gang-scheduler': 'volcano' })).toEqual(['Service', 'Stage']);
    // The same object where nothing is left out: sets of kinds go by identity.
    expect(usedOf(ENSEMBLE, {})).toBe(ENSEMBLE);
    expect(relayOptions(['ensembles'], { 'gang-scheduler': 'volcano', loud: 'on', unheard: 'of' }, [KIND])).toEqual({
      'gang-scheduler': 'volcano',
    });
  });
});
