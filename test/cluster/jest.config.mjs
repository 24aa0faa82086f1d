// Jest for the tests that need a real control plane: each file starts servers of its own.
import base from '../../jest.config.mjs';

const { testPathIgnorePatterns: _heavyOnes, ...shared } = base;

export default {
  ...shared,
  rootDir: '../..',
  roots: ['<rootDir>/test/cluster'],
  testPathIgnorePatterns: ['/node_modules/'],
  // They mostly wait, for controllers and for pods that take their time.
  maxWorkers: 2,
  // Most give several commands, each a process, and controllers take their time: this ends what hangs.
  testTimeout: 180_000,
};
