// Columns of `farloop get`.
import { expect, test } from '@jest/globals';
import { watchesText } from '../../../lib/cli/queries/get.ts';

test.each([
  [[], '-'],
  [['jobs 5', 'pods 6'], 'jobs 5s, pods 6s'],
  [['jobs 5', 'pods 70', 'tfjobs.kubeflow.org 6', 'services 7'], '4, the oldest pods 70s'],
])('the watches %j are %s', (watches, text) => {
  const given = watches.map((watch) => watch.split(' ')).map(([resource = '', age]) => ({ resource, ageSeconds: Number(age) }));
  expect(watchesText(given)).toBe(text);
});
