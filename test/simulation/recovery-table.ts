// node test/simulation/recovery-table.ts: the tables of docs/recovery.md, as the faults' allowances are.
import { FAULTS, FAULT_NAMES, RECOVERY_MS, WAITS, longestWaitMs, type Wait } from './faults.ts';

const seconds = (ms: number): string => (ms === 0 ? '–' : `${ms / 1000} s`);

/** What brings work back, and after how long at most. */
export const waitsTable = (): string[] => [
  '| wait | at most | what brings the work back |',
  '| --- | --- | --- |',
  ...(Object.keys(WAITS) as Wait[]).map((wait) => `| ${wait} | ${seconds(WAITS[wait].ms)} | ${WAITS[wait].says} |`),
];

/** Each fault, how long it lasts itself, the wait that it is allowed, and when the work must be back after it is over. */
export const faultsTable = (): string[] => [
  '| fault | what happens | lasts | waits for | back within |',
  '| --- | --- | --- | --- | --- |',
  ...FAULT_NAMES.map((name) => {
    const { says, lastsMs, waits } = FAULTS[name];
    const back = seconds(RECOVERY_MS + longestWaitMs(name));
    return `| ${name} | ${says} | ${seconds(lastsMs)} | ${waits.join(', then ') || 'nothing'} | ${back} |`;
  }),
];

if (import.meta.main) console.log([...waitsTable(), '', ...faultsTable()].join('\n'));
