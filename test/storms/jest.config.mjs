// Long storms, all of each: `npm run test:storms`. `npm test` takes a share of the first ones, and none of what only means something whole.
import base, { WHOLE_STORMS } from '../../jest.config.mjs';

const SHARED = [
  'reconciler/rules/overlap',
  'reconciler/rules/every-point',
  'reconciler/view/view-access',
  'reconciler/hand-edits.property',
  'adapters/kubernetes/json/json-reader',
  'kinds/job/life.property',
  'kinds/rows/pod-set.property',
  'objects/label-selector',
  'objects/times',
  'reconciler/head/pass-state',
  'relay/cache/pod-table',
  'relay/heartbeats',
  'simulation/runs/runs',
  'simulation/runs/by-messages',
  'wire/snapshot',
];

export default {
  ...base,
  rootDir: '../..',
  roots: ['<rootDir>/test'],
  testPathIgnorePatterns: ['/node_modules/'],
  testMatch: [...SHARED, ...WHOLE_STORMS].map((name) => `<rootDir>/test/${name}.test.ts`),
};
