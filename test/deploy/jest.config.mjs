// A real deployment into an AWS emulator: `npm run test:deploy`.
import base from '../../jest.config.mjs';

export default {
  ...base,
  rootDir: '../..',
  roots: ['<rootDir>/test/deploy'],
  testPathIgnorePatterns: ['/node_modules/'],
  verbose: true,
  globalSetup: '<rootDir>/test/console/chromium.ts',
  maxWorkers: 1,
  // Longer than all that a test waits for one after the other: this ends what hangs.
  testTimeout: 900_000,
};
