// Every story, by the file that its record stands in.
import type { Story } from '../story.ts';
import { gangs } from './gangs.ts';
import { kinds } from './kinds.ts';
import { more } from './more.ts';

export const STORIES: Readonly<Record<string, readonly Story[]>> = { kinds, more, gangs };
