// Training jobs in `farloop up`, as examples and by the official Python SDK, the latter on a real API server too: `npm run test:sdk`.
// Needs Python 3.10, and Go when no control plane has been built before. One file at a time, for each starts servers of its own.
import base from '../../jest.config.mjs';

export default {
  ...base,
  rootDir: '../..',
  roots: ['<rootDir>/test/sdk'],
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
  verbose: true,
};
