// The commands that docs/deploy.md gives to whoever has lost a region, as a reader would type them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @returns words of the command by which the old stage ends on the cluster, and of the one that adds it to the new stage */
export function lostRegionCommands(): { kubectl: string[]; add: string[] } {
  const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'deploy.md'), 'utf8').replaceAll(/\\\n\s*/g, '');
  const [, block = ''] = /^ {6}export AWS_REGION=.*\n((?: {6}.*\n)+)/m.exec(page) ?? [];
  const commands = block.split('\n').map((line) => line.trim().split(/ +/));
  const named = (name: string): string[] => commands.find(([program]) => program === name) ?? [];
  return { kubectl: named('kubectl'), add: named('farloop') };
}
