// Jest for the tests that need a real control plane: one file at a time, for each starts servers of its own.
import base from '../../jest.config.mjs';

const { testPathIgnorePatterns: _heavyOnes, ...shared } = base;

export default {
  ...shared,
  rootDir: '../..',
  roots: ['<rootDir>/test/cluster'],
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
  // Most give several commands, each a process, and controllers take their time: this ends what hangs.
  testTimeout: 180_000,
};
