// The published package, packed and installed: `npm run test:package`.
import base from '../../jest.config.mjs';

export default { ...base, rootDir: '../..', roots: ['<rootDir>/test/package'], testPathIgnorePatterns: ['/node_modules/'], verbose: true };
