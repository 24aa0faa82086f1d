// The flight recorder on AWS: a pass is one line in its function's own log, which costs no request and no write unit, and is read back
// from CloudWatch Logs when somebody asks. How long passes are kept is that log's retention.
import type { CloudWatchLogsClient, FilterLogEventsCommandOutput } from '@aws-sdk/client-cloudwatch-logs';
import { shownText } from '../../objects/values/shown-text.ts';
import { formatName, parseKey } from '../../objects/workload.ts';
import type { Clock } from '../../ports/clock.ts';
import { NotDoneError } from '../../ports/errors.ts';
import type { PassRecord, RecordedPass, Recorder } from '../../ports/recorder.ts';
import { translated } from '../aws/aws-errors.ts';
import { PASS, spentList } from './cost-lines.ts';
import { textOf } from './log-lines.ts';
import type { SpentByWorkload } from './spent-by-workload.ts';

export interface LogRecorderOptions {
  /** The log group that the passes are written to; undefined where nothing reads them. */
  logGroup: string | undefined;
  /** Loaded with the first question: a function that only records starts without it. */
  client: () => Promise<Pick<CloudWatchLogsClient, 'send'>>;
  clock: Clock;
  /** Knows the amounts that a pass spent, for its line; absent where nothing counts. */
  spent?: Pick<SpentByWorkload, 'take'>;
  /** Takes a line without its end; standard output when absent. */
  write?: (line: string) => void;
}

/** Bytes of a snapshot in an ordinary pass's line: the log is paid for by its size. A Job of some forty pods fits. */
const ORDINARY_BYTES = 1_970;
/** Of a pass that somebody will want to look into. A line may have 256 KiB. */
const NOTABLE_BYTES = 65_536;
const NOTABLE = new Set(['parked', 'failed', 'refused', 'unknown', 'notDone']);
/** Of why and actions in one line; their texts are short. */
const MOST_ACTIONS = 200;

const HOUR_MS = 3_600_000;
const KEEP_MS = 7 * 24 * HOUR_MS;
/** How far back each further look goes: most questions are about what was done just now. */
const LOOKS_MS = [HOUR_MS / 4, 2 * HOUR_MS, 24 * HOUR_MS, KEEP_MS];
/** Lines reach the log within seconds, and its clock is not ours. */
const AHEAD_MS = 60_000;
/** Of one question, all its requests; the API's own answer has to be given within 29 s. */
const SEARCH_MS = 15_000;

/** Only what can be a name, or an id of ours, goes into a filter. */
const NAME = /^[A-Za-z0-9](?:[-.A-Za-z0-9]{0,252})$/;
const PASS_ID = /^[-_A-Za-z0-9]{1,64}$/;

/** As written: `recorded` is the key but for the uid. Lines of earlier versions have the whole key in their record, and no uid beside. */
interface Written {
  message: typeof PASS;
  recorded: string;
  uid?: string;
  /** Amounts of lib/adapters/telemetry/cost-lines.ts. */
  spent?: number[];
  record: Omit<PassRecord, 'key'> & Partial<Pick<PassRecord, 'key'>>;
  snapshot?: string;
}

interface Line extends Written {
  record: PassRecord;
}

export class LogRecorder implements Recorder {
  readonly isInLog = true;
  readonly #options: LogRecorderOptions;
  readonly #write: (line: string) => void;

  constructor(options: LogRecorderOptions) {
    this.#options = options;
    this.#write = options.write ?? ((line) => process.stdout.write(`${line}\n`));
  }

  async append(pass: PassRecord, snapshot?: () => Uint8Array | undefined): Promise<void> {
    const packed = snapshot?.();
    const most = NOTABLE.has(pass.outcome) || pass.error !== undefined ? NOTABLE_BYTES : ORDINARY_BYTES;
    const kept = packed && packed.length <= most ? Buffer.from(packed).toString('base64') : undefined;
    const left = pass.actions.length - MOST_ACTIONS;
    const { key, ...rest } = pass;
    const record = left > 0 ? { ...rest, actions: [...pass.actions.slice(0, MOST_ACTIONS), leftOut(left)] } : rest;
    const writes = pass.actions.reduce((sum, { result, count = 1 }) => (result === 'notDone' ? sum : sum + count), 0);
    const onTable = this.#options.spent?.take(key);
    const spent = onTable && spentList({ ...onTable, writes });
    // At every log level: cost is summed up from these lines.
    const line = textOf({ level: 'INFO', message: PASS, recorded: formatName(key), uid: key.uid, spent, record, snapshot: kept });
    this.#write(shownText(line));
  }

  /**
   * @returns fewer than there are where the log takes too long: the newest
   * @throws NotDoneError the log did not answer in time
   */
  async passes(key: Parameters<Recorder['passes']>[0], limit: number): Promise<PassRecord[]> {
    if (![key.cluster, key.namespace, key.name].every((part) => NAME.test(part))) return [];
    const name = formatName(key);
    const found = await this.#search(`{ $.recorded = "${name}" }`, (line) => line.recorded === name, limit);
    return found.slice(0, limit).map(({ record }) => record);
  }

  /** @throws NotDoneError the log did not answer in time */
  async pass(passId: string): Promise<RecordedPass | undefined> {
    if (!PASS_ID.test(passId)) return undefined;
    const [line] = await this.#search(`{ $.record.passId = "${passId}" }`, ({ record }) => record.passId === passId, 1);
    if (!line) return undefined;
    return { pass: line.record, ...(line.snapshot !== undefined && { snapshot: Buffer.from(line.snapshot, 'base64') }) };
  }

  /** Newest first. Looks further and further back until it has enough, or something and no time left. */
  async #search(filterPattern: string, matches: (line: Line) => boolean, enough: number): Promise<Line[]> {
    const { logGroup, client, clock } = this.#options;
    if (logGroup === undefined) return [];
    const { FilterLogEventsCommand } = await import('../aws/cloudwatch-logs-client.ts');
    const logs = await client();
    const nowMs = clock.nowMs();
    const giveUpAtMs = clock.monotonicMs() + SEARCH_MS;
    const found: Line[] = [];
    let endTime = nowMs + AHEAD_MS;
    for (const backMs of LOOKS_MS) {
      const startTime = nowMs - backMs;
      const part: Line[] = [];
      let nextToken: string | undefined;
      do {
        if (clock.monotonicMs() > giveUpAtMs) {
          // Of a look that is not through, the newest would be missing.
          if (found.length > 0) return found;
          throw new NotDoneError(
            `the log ${logGroup} could not be searched within ${SEARCH_MS / 1000} s: ask for fewer passes, or search it there`,
          );
        }
        const command = new FilterLogEventsCommand({
          logGroupName: logGroup,
          filterPattern,
          startTime,
          endTime,
          ...(nextToken !== undefined && { nextToken }),
        });
        const page: FilterLogEventsCommandOutput = await logs.send(command).catch((error: unknown) => {
          throw translated(error, `searching the log ${logGroup}`, false);
        });
        for (const { message } of page.events ?? []) {
          const line = lineIn(message ?? '');
          if (line && matches(line) && line.record.startedAtMs > nowMs - KEEP_MS) part.push(line);
        }
        nextToken = page.nextToken;
      } while (nextToken !== undefined);
      found.push(...part.toReversed().toSorted((one, other) => other.record.startedAtMs - one.record.startedAtMs));
      if (found.length >= enough) break;
      // Both ends of a look belong to it.
      endTime = startTime - 1;
    }
    return found;
  }
}

const leftOut = (count: number): PassRecord['actions'][number] => ({
  verb: 'more',
  target: 'left out',
  why: 'only so many are recorded one by one',
  result: 'done',
  count,
});

/** Lambda may have put time and request before it. @returns undefined for any other line */
function lineIn(message: string): Line | undefined {
  try {
    const line: Partial<Written> = JSON.parse(message.slice(Math.max(message.indexOf('{'), 0)));
    if (line.message !== PASS || typeof line.recorded !== 'string' || typeof line.record?.passId !== 'string') return undefined;
    const key = line.record.key ?? parseKey(`${line.recorded}/${line.uid}`);
    return key && { ...(line as Written), record: { ...line.record, key } };
  } catch {
    return undefined;
  }
}
