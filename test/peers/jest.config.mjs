// Contracts put to services that nobody here wrote: `npm run test:peers`.
import base from '../../jest.config.mjs';

export default {
  ...base,
  rootDir: '../..',
  roots: ['<rootDir>/test/peers'],
  testPathIgnorePatterns: ['/node_modules/'],
  // The differences of each peer are titles of tests: all of them are printed.
  verbose: true,
  // One after the other: two files share an installation, and the machine.
  maxWorkers: 1,
  // A peer answers slower than a call within the process, and time-outs are real.
  testTimeout: 120_000,
};
