// Where a program of the system lies.
import { accessSync, constants } from 'node:fs';
import { isAbsolute, join } from 'node:path';

/** By this process's PATH: a container may have another. @returns undefined where it is not installed */
export function systemProgram(name: string): string | undefined {
  for (const folder of (process.env['PATH'] ?? '').split(':').filter(isAbsolute))
    try {
      accessSync(join(folder, name), constants.X_OK);
      return join(folder, name);
    } catch {
      // In the next one, perhaps.
    }
  return undefined;
}
