// The words of --manage: which kinds they stand for, and what of several that are given counts.
import { describe, expect, test } from '@jest/globals';
import { ALL_FACTS } from '../../lib/kinds/facts.ts';
import {
  findWord,
  isManagedKind,
  managedKinds,
  managesAll,
  managesOf,
  managesText,
  settingsOf,
  unknownWords,
} from '../../lib/kinds/settings.ts';
import { readManages, writtenManages } from '../../lib/objects/manages.ts';
import { ENSEMBLE } from './made-up-kind.ts';

const row = (kind: string, ...words: string[]) => ({
  ...ENSEMBLE,
  kind,
  settings: words.map((word) => ({ word, takes: `all of ${word}` })),
});
/** Two kinds of one word, and one that is planned only. */
const KINDS = [...ALL_FACTS, row('Choir', 'music'), row('Band', 'some-bands', 'music'), row('Draft')];

const WORDS = settingsOf().map(({ word }) => word);

describe('words', () => {
  test('of all kinds, each once; of Jobs there are two', () => {
    expect(WORDS.slice(0, 3)).toEqual(['jobs', 'all-jobs', 'training-jobs']);
    expect(settingsOf(KINDS).map(({ word }) => word)).toEqual([...WORDS, 'music', 'some-bands']);
    expect(managesText(['jobs', 'music', 'unheard-of'], KINDS)).toBe('Jobs of farloop.dev/job, all of music, unheard-of');
  });

  test('the word of before means Jobs that name Farloop; one that no kind has means nothing', () => {
    expect([findWord('own'), findWord('all-jobs'), findWord('all'), findWord('music', KINDS)]).toEqual([
      'jobs',
      'all-jobs',
      undefined,
      'music',
    ]);
    expect(unknownWords(['jobs', 'unheard-of'])).toEqual(['unheard-of']);
  });

  test.each([
    { given: ['jobs', 'all-jobs'], counts: ['all-jobs'] },
    { given: ['all-jobs', 'jobs', 'jobs'], counts: ['all-jobs'] },
    { given: ['some-bands', 'music'], counts: ['music'] },
    { given: ['music', 'jobs'], counts: ['music', 'jobs'] },
  ])('of $given count $counts', ({ given, counts }) => expect(managesOf(given, KINDS)).toEqual(counts));

  test('everything that can be managed', () => {
    expect(managesAll().slice(0, 2)).toEqual(['all-jobs', 'training-jobs']);
    expect(managesAll(KINDS)).toEqual([...managesAll(), 'music']);
  });
});

test('kinds are managed by any of their words, and one without a word by none', () => {
  const kindsBy = (...manages: string[]) => managedKinds(manages, KINDS).map(({ kind }) => kind);
  expect(kindsBy('jobs')).toEqual(['Job', 'OrphanPod']);
  expect(kindsBy('music')).toEqual(['Choir', 'Band']);
  expect(kindsBy('some-bands', 'unheard-of')).toEqual(['Band']);
  expect(isManagedKind(row('Draft'), managesAll(KINDS))).toBe(false);
});

describe('as they are written', () => {
  test.each([
    { manages: ['jobs'], written: { manage: 'own' } },
    { manages: ['all-jobs'], written: { manage: 'all' } },
    { manages: ['all-jobs', 'music'], written: { manage: 'all', manages: ['all-jobs', 'music'] } },
    { manages: ['music'], written: { manage: 'own', manages: ['music'] } },
    { manages: ['jobs', 'unheard-of'], written: { manage: 'own', manages: ['jobs', 'unheard-of'] } },
  ])('$manages, Jobs alone as the build before reads it', ({ manages, written }) => {
    expect(writtenManages(manages)).toEqual(written);
    expect(readManages(writtenManages(manages))).toEqual(manages);
  });
});
