// The command as a process of its own, started, asked, killed and started again: `npm run test:command`. Tests of `npm test` run most commands
// within their own process.
import base, { WHOLE_COMMANDS } from '../../jest.config.mjs';

export default {
  ...base,
  rootDir: '../..',
  testPathIgnorePatterns: ['/node_modules/'],
  testMatch: WHOLE_COMMANDS.map((name) => `<rootDir>/test/${name}.test.ts`),
};
