// Short digests for comparing what Farloop puts into an object with what is there.
import { createHash } from 'node:crypto';

/** 16 hexadecimal digits. */
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);
