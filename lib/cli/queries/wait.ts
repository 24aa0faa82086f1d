// `farloop wait`: until a workload has ended, or stands as asked for. The exit code says how it went.
import { Command, InvalidArgumentError, Option } from 'commander';
import type { WorkloadDetail } from '../../api/told-workload.ts';
import { ALL_FACTS } from '../../kinds/facts.ts';
import type { KindFacts } from '../../kinds/rows/kind.ts';
import { findState, STATES, type State } from '../../kinds/rows/state.ts';
import { spanMsOf } from '../../objects/values/span.ts';
import { connectToInstance, endpointOption, type ApiOptions } from '../instance/api-client.ts';
import { stateOption } from '../instance/instance-file.ts';
import { withWords } from '../terminal/completion-hints.ts';
import { FailedError, LateError } from '../terminal/exit.ts';
import { printLine } from '../terminal/output.ts';
import { followed, type Connect } from './followed.ts';
import { progressText } from './figures.ts';
import { aboutWorkload, nameWorkload, workloadAt, workloadPathNamed, workloadText } from './named-workload.ts';
import { standingText } from './standing-text.ts';

interface WaitOptions extends ApiOptions {
  namespace?: string;
  cluster?: string;
  for: Awaited;
  timeout: { text: string; ms: number };
}

type Awaited = State | 'ended' | 'gone';

const HELP = `
Examples:
  farloop wait job/demo --timeout 10m
  farloop wait pytorchjob/resnet --for running

Exit codes: 0 it has come about; 1 it ended in another way, failed, or is not there; 3 several have that name; 5 not in that time.`;

export const waitCommand = (kinds: readonly KindFacts[] = ALL_FACTS): Command =>
  aboutWorkload(new Command('wait').description('Wait until a workload has ended, and say how.'), kinds)
    .addOption(
      withWords(new Option('--for <what>', `ended, gone, or a state: ${STATES.join(', ')}`).argParser(awaitedIn).default('ended'), [
        'ended',
        'gone',
        ...STATES,
      ]),
    )
    .addOption(new Option('--timeout <span>', 'how long at most').argParser(spanIn).default({ text: '10m', ms: 600_000 }, '10m'))
    .addOption(endpointOption())
    .addOption(stateOption())
    .addHelpText('after', HELP)
    .action(async (first: string, second: string | undefined, options: WaitOptions) => {
      const text = workloadText(first, second);
      const api = connectToInstance(options);
      const path = await workloadPathNamed(api, { ...options, text, named: nameWorkload(text, kinds) }, async (_kind, _name, removed) => {
        if (options.for !== 'gone' || !removed) return false;
        printLine(`${text} is gone`);
        return true;
      });
      if (path !== undefined) await waitFor({ text, path, connect: (again) => connectToInstance(options, process.env, again) }, options);
    });

function awaitedIn(text: string): Awaited {
  const word = text.toLowerCase();
  const awaited = word === 'ended' || word === 'gone' ? word : findState(word);
  if (!awaited) throw new InvalidArgumentError(`Expected ended, gone, or a state: ${STATES.join(', ')}.`);
  return awaited;
}

function spanIn(text: string): WaitOptions['timeout'] {
  const ms = spanMsOf(text);
  if (ms === undefined || ms > MOST_MS) throw new InvalidArgumentError('Expected a span of 30 days at most, such as 90s, 10m or 1h30m.');
  return { text, ms };
}

const MOST_MS = 30 * 86_400_000;
const POLL_EVERY_MS = 1_000;

const hasEnded = (state: State): boolean => state === 'Succeeded' || state === 'Failed';

async function waitFor(
  { text, path, connect }: { text: string; path: string; connect: Connect },
  { for: awaited, timeout }: WaitOptions,
): Promise<void> {
  let last = 'nothing is known of it';
  const late = signalAfter(Math.max(timeout.ms, POLL_EVERY_MS));
  try {
    const answers = followed(connect, { read: async (api) => await workloadAt(api, path), everyMs: POLL_EVERY_MS, signal: late.signal });
    for await (const found of answers) {
      if (isOver(text, awaited, found)) return;
      if (found) last = standingLine(found);
    }
  } finally {
    late.clear();
  }
  throw new LateError(`${text} ${awaited === 'ended' ? 'has not ended' : `is not ${awaited}`} within ${timeout.text}: ${last}`);
}

/** Timers know 24 days at most. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

function signalAfter(ms: number): { signal: AbortSignal; clear: () => void } {
  const late = new AbortController();
  const endsAtMs = performance.now() + ms;
  let timer: NodeJS.Timeout | undefined;
  const arm = (): void => {
    const leftMs = endsAtMs - performance.now();
    if (leftMs <= 0) late.abort();
    else timer = setTimeout(arm, Math.min(leftMs, LONGEST_TIMER_MS));
  };
  arm();
  return { signal: late.signal, clear: () => clearTimeout(timer) };
}

/** It will not come about any more. */
class OtherEndError extends FailedError {}

/** @throws OtherEndError */
function isOver(text: string, awaited: Awaited, found: WorkloadDetail | undefined): boolean {
  if (!found) {
    if (awaited !== 'gone') throw new OtherEndError(`${text} is gone: "farloop explain ${text}" tells of its last passes`);
    printLine(`${text} is gone`);
    return true;
  }
  const { state } = found;
  const isReached = awaited === 'ended' ? hasEnded(state) : state === awaited;
  if (!isReached && !(hasEnded(state) && awaited !== 'gone')) return false;
  const line = `${text} ${standingLine(found)}`;
  if (!isReached) throw new OtherEndError(`${text} has ended and is not ${awaited}: ${standingLine(found)}`);
  if (awaited === 'ended' && state === 'Failed') throw new OtherEndError(line);
  printLine(line);
  return true;
}

const standingLine = (found: WorkloadDetail): string => [standingText(found), progressText(found)].filter((part) => part !== '').join(': ');
