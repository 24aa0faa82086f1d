// `--manage`: which words there are, how several are given, and what is said of one that no kind has.
import { describe, expect, test } from '@jest/globals';
import { settingsOf } from '../../lib/kinds/settings.ts';
import { Command } from 'commander';
import { manageOption, refuseNarrowScope } from '../../lib/cli/terminal/arguments.ts';
import { withReasons } from '../../lib/cli/queries/cluster-states.ts';
import { wordsOf } from '../../lib/cli/terminal/completion-hints.ts';
import { ALL_FACTS } from '../../lib/kinds/facts.ts';
import { TROUPE } from '../kinds/made-up-kind.ts';

const SETTINGS = settingsOf();
const WORDS = SETTINGS.map(({ word }) => word);

const parsed = (...args: string[]): unknown =>
  new Command()
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .addOption(manageOption('which kinds', 'jobs'))
    .parse(args, { from: 'user' })
    .opts()['manage'];

describe('--manage', () => {
  test.each([
    { args: [], manages: undefined },
    { args: ['--manage', 'jobs'], manages: ['jobs'] },
    { args: ['--manage', 'own'], manages: ['jobs'] },
    { args: ['--manage=jobs', '--manage=all-jobs'], manages: ['all-jobs'] },
    { args: ['--manage', 'jobs,all-jobs'], manages: ['all-jobs'] },
  ])('$args', ({ args, manages }) => expect(parsed(...args)).toEqual(manages));

  test('a word that no kind has is refused with those there are', () => {
    expect(() => parsed('--manage', 'jbos')).toThrow(
      `No kind is called "jbos". Expected ${WORDS.slice(0, -1).join(', ')} or ${WORDS.at(-1)}.`,
    );
    expect(() => parsed('--manage', 'jobs,')).toThrow('No kind is called "".');
  });

  test('help and shells name the words, and not the one of before', () => {
    const option = manageOption('which kinds', 'jobs');
    expect(option.description).toBe(
      `which kinds: ${SETTINGS.map(({ word, takes }) => `${word} (${takes})`).join(', ')}; may be given several times (default: jobs)`,
    );
    expect(wordsOf(option)).toEqual(WORDS);
  });
});

test('a kind whose owners have no namespace contradicts chosen namespaces', () => {
  const kinds = [...ALL_FACTS, { ...TROUPE, settings: [{ word: 'troupes', takes: 'Troupes' }] }];
  const refuse = (manages: string[], namespaces: string[]) => () => refuseNarrowScope('--namespaces', { manages, namespaces }, kinds);
  expect(refuse(['jobs', 'troupes'], ['etl'])).toThrow(
    '--manage troupes and --namespaces contradict each other: a Troupe is in no namespace, so leave --namespaces out',
  );
  expect(refuse(['jobs', 'troupes'], [])).not.toThrow();
  expect(refuse(['jobs'], ['etl'])).not.toThrow();
});

test('a list of clusters says which words this version does not know', () => {
  const states = [{ state: 'Watching', reason: '' }] as const;
  const shown = { name: 'far', states: [...states] };
  expect(withReasons([{ ...shown, manages: ['jobs'] }], 'table')).toBe('table');
  expect(withReasons([{ ...shown, manages: ['jobs', 'choirs'] }], 'table')).toBe(
    'table\n\nfar: choirs: this version of Farloop knows no kind of that word, and does nothing about its workloads',
  );
});
