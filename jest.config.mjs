// Jest in ESM mode: sources run as they are, without their types.
import { join } from 'node:path';

// Many tests start the command as a process of its own: its modules are compiled once, not at every start.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules', '.cache', 'farloop-compiled');

/** Storms that mean nothing in part, and the longest proofs: `npm run test:storms` runs them. */
export const WHOLE_STORMS = [
  'adapters/kubernetes/large-answers',
  'adapters/kubernetes/long-values',
  'cli/terminal/end-process',
  'damage/answers',
  'damage/messages',
  'damage/relayed',
  'damage/stored',
  'fairness/fairness',
  'kinds/preemption/victims/victims.random',
  'mutants/types',
  'reconciler/ensemble/every-point',
  'reconciler/large-job',
  'reconciler/large-view',
  'reconciler/rules/pressure',
  'reconciler/verdict-interrupted',
  'reconciler/view/many-children',
  'regular-expressions',
  'simulation/late-create',
  'simulation/replay',
  'simulation/simulator',
  'simulation/view-items',
];

/** Their tests start Farloop, or a part of it, as a process, kill it and start it again: `npm run test:command` runs them. */
export const WHOLE_COMMANDS = [
  'adapters/providers/local-process/survival',
  'cli/launcher',
  'cli/local/node',
  'cli/local/relayed-nodes',
  'cli/local/sandbox',
  'cli/local/several-clusters',
  'cli/local/up',
  'cli/runs/explain-run',
  'cli/runs/run-elsewhere',
  'cli/runs/run-instance',
  'cli/runs/run-logs',
  'cli/runs/run-once',
  'cli/whole-output',
  'sandbox/definitions/kill',
];

export default {
  testEnvironment: 'node',
  // One more than the smallest machine that builds it has cores: tests that start processes mostly wait for them.
  maxWorkers: 3,
  // Modules of a test file stay in its worker for good: a worker that holds too many only collects garbage.
  workerIdleMemoryLimit: '700MB',
  // A bound for what hangs, not for what is slow on a busy machine: figures come from benchmarks.
  testTimeout: 120_000,
  roots: ['<rootDir>/test'],
  extensionsToTreatAsEsm: ['.ts'],
  // These need a control plane, peers or minutes of time: npm scripts of their own run them.
  testPathIgnorePatterns: [
    '/node_modules/',
    '<rootDir>/test/(cluster|console|crash|peers|sdk|bench|network|deploy|oracle|package|real)/',
    '<rootDir>/test/walk/walk\\.test\\.ts$',
    ...[...WHOLE_STORMS, ...WHOLE_COMMANDS].map((name) => `<rootDir>/test/${name}\\.test\\.ts$`),
  ],
  transform: {
    '\\.ts$': '<rootDir>/test/without-types.mjs',
  },
};
