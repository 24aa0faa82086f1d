// Label selectors of specs and of queries: what they select, and what cannot be read.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { LabelSelectorError, matcherOf, parseLabelSelector, selectorTextOf } from '../../lib/objects/label-selector.ts';
import { shareOf } from '../storm-share.ts';

const labels = { app: 'web', tier: 'front', 'example.com/size': '12' };

describe('texts of queries', () => {
  const cases: [text: string, isSelected: boolean][] = [
    ['', true],
    ['app=web', true],
    ['app==web', true],
    ['app = web , tier!=back', true],
    ['app!=web', false],
    ['missing!=x', true],
    ['missing=', false],
    ['app in (web,api)', true],
    ['app in (api)', false],
    ['app notin (api, db),tier', true],
    ['missing notin (a)', true],
    ['!missing', true],
    ['!app', false],
    ['missing', false],
    ['example.com/size>10', true],
    ['example.com/size<12', false],
    ['app>1', false],
    ['app in (,web)', true],
    ['in', false],
  ];
  for (const [text, isSelected] of cases) {
    test(`${JSON.stringify(text)} ${isSelected ? 'selects' : 'does not select'}`, () =>
      expect(parseLabelSelector(text)(labels)).toBe(isSelected));
  }

  for (const text of ['a b', 'a in', 'a in (b', 'a=b,', ',', 'a=b c', '=x', 'a in b', 'x@y=1', 'a=-', 'a>b', 'a/b/c=1', '(a)', '!']) {
    test(`${JSON.stringify(text)} is refused`, () => expect(() => parseLabelSelector(text)).toThrow(LabelSelectorError));
  }
});

describe('structured selectors', () => {
  test('none selects nothing, an empty one everything', () => {
    expect(matcherOf(undefined)(labels)).toBe(false);
    expect(matcherOf({})(labels)).toBe(true);
    expect(matcherOf({})(undefined)).toBe(true);
  });

  test('all conditions must hold', () => {
    const selector = {
      matchLabels: { app: 'web' },
      matchExpressions: [
        { key: 'tier', operator: 'In', values: ['front', 'back'] },
        { key: 'gone', operator: 'DoesNotExist' },
        { key: 'gone', operator: 'NotIn', values: ['x'] },
      ],
    };
    expect(matcherOf(selector)(labels)).toBe(true);
    expect(matcherOf(selector)({ app: 'web' })).toBe(false);
    expect(matcherOf(selector)({ ...labels, gone: 'y' })).toBe(false);
  });

  test('as a text it selects the same', () => {
    const key = fc.constantFrom('a', 'in', 'notin', 'example.com/b');
    const value = fc.constantFrom('', 'x', 'in', 'notin', 'y.z');
    const several = fc.record({
      key,
      operator: fc.constantFrom('In', 'NotIn'),
      values: fc.array(value, { minLength: 1, maxLength: 4 }),
    });
    const none = fc.record({ key, operator: fc.constantFrom('Exists', 'DoesNotExist') });
    const selectors = fc.record(
      { matchLabels: fc.dictionary(key, value), matchExpressions: fc.array(fc.oneof(several, none), { maxLength: 3 }) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(selectors, fc.dictionary(key, value), (selector, given) => {
        expect(parseLabelSelector(selectorTextOf(selector) ?? 'no text')(given)).toBe(matcherOf(selector)(given));
      }),
      { numRuns: shareOf(2_000, 8) },
    );
  });

  test('texts as the API server prints them', () => {
    const matchExpressions = [
      { key: 'a', operator: 'In', values: ['y', 'x'] },
      { key: 'b', operator: 'NotIn', values: ['', 'x'] },
      { key: 'c', operator: 'In', values: [''] },
      { key: 'd', operator: 'NotIn', values: ['x'] },
      { key: 'e', operator: 'Exists' },
      { key: 'f', operator: 'DoesNotExist' },
    ];
    expect(selectorTextOf({ matchLabels: { mine: 'yes' }, matchExpressions })).toBe('mine=yes,a in (x,y),b notin (,x),c=,d!=x,e,!f');
    expect(selectorTextOf({})).toBe('');
    expect(selectorTextOf(undefined)).toBeUndefined();
    expect(() => selectorTextOf({ matchExpressions: [{ key: 'a', operator: 'Like', values: ['x'] }] })).toThrow(LabelSelectorError);
  });

  test('a label named like a property of every object is not there', () => {
    expect(parseLabelSelector('constructor')({})).toBe(false);
    expect(parseLabelSelector('constructor')({ constructor: 'x' })).toBe(true);
  });

  for (const expression of [
    { key: 'a', operator: 'Near' },
    { key: 'a', operator: 'In' },
    { key: 'a', operator: 'Exists', values: ['x'] },
    { key: '', operator: 'Exists' },
    { key: 'a', operator: 'In', values: ['not valid'] },
  ]) {
    test(`${JSON.stringify(expression)} is refused`, () =>
      expect(() => matcherOf({ matchExpressions: [expression] })).toThrow(LabelSelectorError));
  }
});
