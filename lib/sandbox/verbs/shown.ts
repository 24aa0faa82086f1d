// Stored objects as a row shows them.
import type { ResourceRow } from '../rows/resource-row.ts';
import { Version } from '../storage/version.ts';

/** The version itself where the row shows it as it is stored. */
export function shownBy({ defined }: ResourceRow, version: Version): Version {
  if (!defined) return version;
  const object = defined.read(version.object);
  return object === version.object ? version : new Version(version.key, version.revision, { object });
}
