// The console in a real browser: `npm run test:console`. Installs Chromium from the system's packages where it is missing and this user may.
import base from '../../jest.config.mjs';

export default {
  ...base,
  rootDir: '../..',
  roots: ['<rootDir>/test/console'],
  testPathIgnorePatterns: ['/node_modules/'],
  globalSetup: '<rootDir>/test/console/chromium.ts',
  maxWorkers: 1,
  verbose: true,
};
