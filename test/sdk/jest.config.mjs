// Training jobs in `farloop up`, as examples and by the official Python SDK: `npm run test:sdk`. Needs Python 3.10.
import base from '../../jest.config.mjs';

export default { ...base, rootDir: '../..', roots: ['<rootDir>/test/sdk'], testPathIgnorePatterns: ['/node_modules/'], verbose: true };
