// What a scope's lists and refusals come to, and what follows from it.
import { describe, expect, test } from '@jest/globals';
import type { Readiness, Lists } from '../../../lib/relay/watch/readiness.ts';
import { areListed, isObserved, isLetIn, isListed, readinessOf, readinessOfAll } from '../../../lib/relay/watch/readiness.ts';

const watched = { isListing: false, isRefused: false, isAbsent: false };
const listing = { ...watched, isListing: true };
const refused = { ...watched, isRefused: true };
const refusedListing = { ...listing, isRefused: true };
const absent = { ...listing, isAbsent: true };

/** One that is watched, with its lists through. */
const scope = (changes: Partial<Lists> = {}): Readiness =>
  readinessOf({ watchers: [watched, watched], hasLists: true, isAnew: false, ...changes });

test.each<{ name: string; lists: Partial<Lists>; readiness: Readiness; answers: string[] }>([
  { name: 'that nobody has begun to list', lists: { hasLists: false }, readiness: 'listing', answers: ['let in', 'heard'] },
  { name: 'whose pods are listed once more', lists: { watchers: [watched, listing] }, readiness: 'listing', answers: ['let in', 'heard'] },
  {
    name: 'of a restored API server, until its list is through (R3)',
    lists: { watchers: [listing, watched], hasLists: false, isAnew: true },
    readiness: 'listingAnew',
    answers: ['let in'],
  },
  { name: 'whose lists are through', lists: {}, readiness: 'listed', answers: ['let in', 'listed', 'heard'] },
  { name: 'whose watch is refused', lists: { watchers: [refused, watched] }, readiness: 'refusedListed', answers: ['listed'] },
  { name: 'whose list is refused once more', lists: { watchers: [refusedListing, watched] }, readiness: 'refusedListing', answers: [] },
  {
    name: 'whose watch is refused while its other resource is listed',
    lists: { watchers: [refused, listing] },
    readiness: 'refusedListing',
    answers: [],
  },
  {
    name: 'of a restored API server that refuses it',
    lists: { watchers: [refusedListing, watched], hasLists: false, isAnew: true },
    readiness: 'refusedListing',
    answers: [],
  },
  { name: 'one of whose resources is not served', lists: { watchers: [absent, watched] }, readiness: 'absent', answers: [] },
])('a scope $name', ({ lists, readiness, answers }) => {
  const found = scope(lists);
  expect(found).toBe(readiness);
  const given = { 'let in': isLetIn(found), listed: isListed(found), heard: isObserved(found) };
  expect(Object.entries(given).flatMap(([answer, isSo]) => (isSo ? [answer] : []))).toEqual(answers);
});

describe('R13: of several kinds', () => {
  const together = (...kinds: (Readiness | 'heldUp')[]): Readiness =>
    readinessOfAll(
      kinds.map((kind) => (kind === 'heldUp' ? { readiness: 'listing', isHeldUp: true } : { readiness: kind, isHeldUp: false })),
    );

  test.each<{ kinds: (Readiness | 'heldUp')[]; readiness: Readiness }>([
    { kinds: ['listed', 'refusedListing'], readiness: 'listed' },
    { kinds: ['listed', 'absent'], readiness: 'listed' },
    { kinds: ['heldUp', 'listed'], readiness: 'listed' },
    { kinds: ['refusedListed', 'listed'], readiness: 'listed' },
    { kinds: ['listing', 'listed'], readiness: 'listing' },
    { kinds: ['listingAnew', 'listed'], readiness: 'listingAnew' },
    { kinds: ['refusedListing', 'listing'], readiness: 'listing' },
    // With nothing listed there is nothing to be told without it.
    { kinds: ['heldUp', 'refusedListing'], readiness: 'listing' },
    { kinds: ['refusedListing', 'absent'], readiness: 'refusedListing' },
    { kinds: ['absent', 'absent'], readiness: 'absent' },
  ])('$kinds are together $readiness', ({ kinds, readiness }) => expect(together(...kinds)).toBe(readiness));
});

describe('a full list of all scopes', () => {
  test.each<{ all: Readiness[] }>([
    { all: ['listed'] },
    { all: ['listed', 'refusedListed'] },
    { all: ['refusedListed'] },
    { all: ['absent'] },
  ])('is there of $all', ({ all }) => expect(areListed(all)).toBe(true));

  test('R13: is kept from nobody by a scope that is refused', () => expect(areListed(['listed', 'refusedListing'])).toBe(true));

  test.each<{ all: Readiness[] }>([
    { all: ['listed', 'listing'] },
    { all: ['refusedListing', 'listing', 'listed'] },
    { all: ['listed', 'listingAnew'] },
    // Of nothing there is none.
    { all: ['refusedListing'] },
    { all: [] },
  ])('is waited for of $all', ({ all }) => expect(areListed(all)).toBe(false));
});
