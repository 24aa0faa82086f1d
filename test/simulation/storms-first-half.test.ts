// The first half of the storms that `npm test` runs.
import { stormsContract } from './slice.ts';

stormsContract('first');
