// The commands that docs/deploy.md gives to whoever has lost a region, as a reader would type them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pageOf } from '../walk/pages.ts';

/** @returns words of the command by which the old stage ends on the cluster, and of the one that adds it to the new stage */
export function lostRegionCommands(): { kubectl: string[]; add: string[] } {
  const { needAccount } = pageOf(readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'deploy.md'), 'utf8'));
  const from = needAccount.findIndex(({ text }) => text.includes('--stage prod2'));
  const commands = needAccount.slice(from).map(({ text }) => text.replaceAll(/\\\n\s*/g, '').split(/ +/));
  const named = (name: string): string[] => commands.find(([program]) => program === name) ?? [];
  return { kubectl: named('kubectl'), add: named('farloop') };
}
