// The query of a log, by the worked cases L1 to L9 and beyond them.
import { describe, expect, test } from '@jest/globals';
import { logRequestOf } from '../../lib/node-api/log-query.ts';

const NOW_MS = Date.parse('2026-05-01T10:00:00Z');
const asked = (query: string): object => logRequestOf(new URLSearchParams(query), { container: 'main', nowMs: NOW_MS });

describe('what is asked for', () => {
  test.each([
    ['L1: nothing: the whole log of this run', '', {}],
    [
      'L2: everything at once',
      'follow=true&limitBytes=123&previous=true&sinceSeconds=10&tailLines=99&timestamps=true',
      { follow: true, limitBytes: 123, previous: true, sinceMs: NOW_MS - 10_000, tailLines: 99, timestamps: true },
    ],
    ['L4: from a time on', 'sinceTime=2020-03-20T21:07:34Z', { sinceMs: Date.parse('2020-03-20T21:07:34Z') }],
    ['L8: no lines at all', 'tailLines=0', { tailLines: 0 }],
    ['empty words count as absent', 'follow=&limitBytes=&sinceSeconds=&sinceTime=&tailLines=&previous=&timestamps=', {}],
    ['a time with parts of a second and a zone', 'sinceTime=2020-03-20T23:07:34.5%2B02:00', { sinceMs: 1_584_738_454_500 }],
    ['a time in the future is a time', 'sinceTime=2999-01-01T00:00:00Z', { sinceMs: Date.parse('2999-01-01T00:00:00Z') }],
    ['the first of a word that is given twice', 'tailLines=1&tailLines=2', { tailLines: 1 }],
    ['what it does not know', 'pretty=true&insecureSkipTLSVerifyBackend=yes', {}],
  ])('%s', (_name, query, wanted) => expect(asked(query)).toEqual({ container: 'main', ...wanted }));

  test.each([...['1', 't', 'T', 'true', 'True', 'TRUE'].map((text) => [text, true] as const), ['0', false], ['f', false], ['F', false]])(
    'a word that is true or false: %s',
    (text, is) => {
      for (const name of ['follow', 'previous', 'timestamps'])
        expect(asked(`${name}=${text}`)).toEqual({ container: 'main', ...(is && { [name]: true }) });
    },
  );
  test.each(['false', 'False', 'FALSE'])('and %s', (text) => expect(asked(`follow=${text}`)).toEqual({ container: 'main' }));
});

describe('what is refused', () => {
  test.each([
    ['L3: two times: refused', 'sinceSeconds=10&sinceTime=2020-03-20T21:07:34Z', 'both "sinceSeconds" and "sinceTime" are set'],
    ['L5: fewer than no lines: refused', 'tailLines=-1', '"tailLines" is -1'],
    ['L6: no bytes: refused', 'limitBytes=0', '"limitBytes" is 0'],
    ['L7: a time ago that is to come: refused', 'sinceSeconds=-10', '"sinceSeconds" is -10'],
    ['L9: a word that is neither true nor false: refused', 'follow=yes', 'could not parse "follow": "yes" is neither true nor false'],
    ['nothing ago', 'sinceSeconds=0', '"sinceSeconds" is 0'],
    ['a part of a line', 'tailLines=1.5', 'could not parse "tailLines": "1.5" is no whole number'],
    ['a number in other digits', 'limitBytes=0x10', 'could not parse "limitBytes": "0x10" is no whole number'],
    ['an absurd number', `tailLines=${'9'.repeat(40)}`, `could not parse "tailLines": "${'9'.repeat(40)}" is out of range`],
    ['no number', 'limitBytes=many', 'could not parse "limitBytes": "many" is no whole number'],
    ['no time', 'sinceTime=yesterday', 'could not parse "sinceTime": "yesterday" is no time such as 2026-01-02T15:04:05Z'],
    ['a day that is in no calendar', 'sinceTime=2026-02-45T00:00:00Z', expect.stringContaining('could not parse "sinceTime"')],
    ['a case that is not one of those', 'timestamps=TrUe', 'could not parse "timestamps": "TrUe" is neither true nor false'],
  ])('%s', (_name, query, message) => {
    expect(() => asked(query)).toThrow(expect.objectContaining({ status: 400, message }));
  });

  test('the first mistake in the order tailLines, follow, limitBytes, previous, sinceSeconds, sinceTime, timestamps is told', () => {
    const mistakes = Object.entries({
      tailLines: '-1',
      follow: 'x',
      limitBytes: '0',
      previous: 'x',
      sinceSeconds: '0',
      sinceTime: 'x',
      timestamps: 'x',
    });
    for (let at = 0; at < mistakes.length; at += 1) {
      const query = new URLSearchParams(Object.fromEntries(mistakes.slice(at).toReversed())).toString();
      expect(() => asked(query)).toThrow(`"${mistakes[at]?.[0]}"`);
    }
    // That two times are given comes before the last one.
    expect(() => asked('sinceSeconds=1&sinceTime=2020-03-20T21:07:34Z&timestamps=x')).toThrow('both');
  });
});
