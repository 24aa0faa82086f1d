// node test/simulation/recovery-table.ts: the tables of docs/recovery.md, as the faults' allowances are.
import { FAULTS, FAULT_NAMES, WAITS, type FaultName, type Wait } from './faults.ts';
import { longestWaitMs, RECOVERY_MS, waitsOf, type Access } from './recovery.ts';

const seconds = (ms: number): string => (ms === 0 ? '–' : `${ms / 1000} s`);

/** What brings work back, and after how long at most. */
export const waitsTable = (): string[] => [
  '| wait | at most | what brings the work back |',
  '| --- | --- | --- |',
  ...(Object.keys(WAITS) as Wait[]).map((wait) => `| ${wait} | ${seconds(WAITS[wait].ms)} | ${WAITS[wait].says} |`),
];

const faultRows = (names: readonly FaultName[], access?: Access): string[] => [
  '| fault | what happens | lasts | waits for | back within |',
  '| --- | --- | --- | --- | --- |',
  ...names.map((name) => {
    const { says, lastsMs } = FAULTS[name];
    const back = seconds(RECOVERY_MS + longestWaitMs(name, access));
    return `| ${name} | ${says} | ${seconds(lastsMs)} | ${waitsOf(name, access).join(', then ') || 'nothing'} | ${back} |`;
  }),
];

/** Each fault, how long it lasts itself, the wait that it is allowed, and when the work must be back after it is over. */
export const faultsTable = (): string[] => faultRows(FAULT_NAMES);

/** The same of those that take longer where passes reach the cluster through its relay. */
export const relayedTable = (): string[] =>
  faultRows(
    FAULT_NAMES.filter((name) => longestWaitMs(name, 'relayed') > longestWaitMs(name)),
    'relayed',
  );

if (import.meta.main) console.log([...waitsTable(), '', ...faultsTable(), '', ...relayedTable()].join('\n'));
