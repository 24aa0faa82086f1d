// Jest in ESM mode: sources run as they are, swc only strips the types.
export default {
  testEnvironment: 'node',
  // Both cores of the smallest machine that builds it.
  maxWorkers: 2,
  // A bound for what hangs, not for what is slow on a busy machine: figures come from benchmarks.
  testTimeout: 120_000,
  roots: ['<rootDir>/test'],
  extensionsToTreatAsEsm: ['.ts'],
  // These need a control plane, peers or minutes of time: npm scripts of their own run them.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/(cluster|crash|peers|bench|network|deploy|oracle)/'],
  transform: {
    '\\.ts$': [
      '@swc/jest',
      { swcrc: false, jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'es6' }, sourceMaps: 'inline' },
    ],
  },
};
