// By which words people name a kind.
import { describe, expect, test } from '@jest/globals';
import { ALL_FACTS } from '../../lib/kinds/facts.ts';
import { jobFacts } from '../../lib/kinds/job/facts.ts';
import { findKindNamed, pluralOf, wordsFor } from '../../lib/kinds/kind-names.ts';
import { orphanPodFacts } from '../../lib/kinds/orphan-pod/facts.ts';
import { aMadeUpKind } from './band.ts';

const { facts } = aMadeUpKind();

describe('the words for a kind', () => {
  test.each(['job', 'Job', 'jobs', 'jobs.batch', 'jobs.v1.batch'])('%s is the Job', (word) => {
    expect(findKindNamed(word)).toBe(jobFacts);
  });

  test.each(['band', 'bands', 'bd', 'BD', 'bands.music.example.com', 'band.v1alpha1.music.example.com'])(
    '%s is the made-up kind',
    (word) => {
      expect(findKindNamed(word, [...ALL_FACTS, facts])).toBe(facts);
      expect(findKindNamed(word)).toBeUndefined();
    },
  );

  test('a kind without owners has its own words alone, and not those of the resource of its pods', () => {
    expect(wordsFor(orphanPodFacts)).toEqual(['orphanpods', 'orphanpod']);
    expect(findKindNamed('pods')?.kind).toBe('VirtualPod');
  });

  test('no word names two kinds', () => {
    const words = ALL_FACTS.flatMap(wordsFor);
    expect(new Set(words).size).toBe(words.length);
    expect(ALL_FACTS.map(pluralOf).slice(0, 3)).toEqual(['jobs', 'orphanpods', 'tfjobs']);
  });
});
