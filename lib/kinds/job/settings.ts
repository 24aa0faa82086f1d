// The words of `--manage` for Jobs and for their orphaned pods.
import { OUR_MANAGER } from './terms/managed-by.ts';
import { ALL_JOBS, JOBS_THAT_NAME_US } from '../../objects/manages.ts';
import type { Setting } from '../rows/kind.ts';

export const JOB_SETTINGS: readonly Setting[] = [
  { word: JOBS_THAT_NAME_US, takes: `Jobs of ${OUR_MANAGER}` },
  { word: ALL_JOBS, takes: 'all Jobs' },
];
