// Pods that really run: as containers of podman, and the examples, as processes: `npm run test:real`. Installs podman from the system's packages where it is missing and this user may.
import base from '../../jest.config.mjs';

export default {
  ...base,
  rootDir: '../..',
  roots: ['<rootDir>/test/real'],
  testPathIgnorePatterns: ['/node_modules/'],
  globalSetup: '<rootDir>/test/real/podman.ts',
  maxWorkers: 1,
  verbose: true,
};
