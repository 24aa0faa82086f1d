// A real deployment into an AWS emulator: `npm run test:deploy`.
import base from '../../jest.config.mjs';

export default {
  ...base,
  rootDir: '../..',
  roots: ['<rootDir>/test/deploy'],
  testPathIgnorePatterns: ['/node_modules/'],
  verbose: true,
  maxWorkers: 1,
  testTimeout: 120_000,
};
