// `nslookup` for pods: init containers wait with it until the name of a peer resolves. The system's, if there is one, asks servers of names alone,
// and names of pods are in /etc/hosts.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const TEXT = `#!/bin/sh
# Farloop's, for pods: by /etc/hosts first, as programs look names up.
for name; do :; done
# IPv4 first: a pod has no other address, and where servers of names are silent, asking for another takes 10 s.
found=$(getent ahostsv4 "$name" || getent ahosts "$name") || { echo "** cannot find $name: NXDOMAIN" >&2; exit 1; }
echo "$found" | while read -r address kind names; do
  [ "$kind" != STREAM ] || printf 'Name:\\t%s\\nAddress: %s\\n' "$name" "$address"
done
`;

/** @param folder made where it is absent */
export function writeProgram(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const beside = join(folder, `nslookup.${process.pid}`);
  writeFileSync(beside, TEXT, { mode: 0o700 });
  // A pod may be running it.
  renameSync(beside, join(folder, 'nslookup'));
}
