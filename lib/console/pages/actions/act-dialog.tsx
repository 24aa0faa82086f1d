// The dialog of an action: what will happen, asked of the API before; then what became of it, for each workload.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ApiProblem } from '../../../api-client/problems.ts';
import { countText, titled } from '../../parts/progress.tsx';
import {
  act,
  acting,
  closeAction,
  planAction,
  type Acting,
  type Choices,
  type Done,
  type Outcome,
  type Target,
} from '../../state/acting.ts';
import { linkTo, titleOf } from '../../state/address.ts';
import { isSilence } from '../../state/call.ts';
import { isSilent } from '../../state/freshness.ts';
import { askAgain } from '../../state/resource.ts';
import { ActChoices } from './act-choices.tsx';

/** The dialog that is open, over whichever page. */
export function ActDialog() {
  const { value } = acting;
  return value ? <OpenDialog key={value.token} acting={value} /> : null;
}

interface Row {
  plan?: Outcome;
  end?: Outcome;
  isUnknown?: true;
}

type Stage = 'planning' | 'acting' | 'over';

const isPlanned = (row: Row | undefined): row is { plan: { done: Done } } =>
  row?.plan !== undefined && 'done' in row.plan && row.plan.done.result === 'planned';

function firstChoices({ action, targets, asked }: Acting): Choices {
  if (asked) return asked;
  if (action === 'retry') return { indexes: targets.length === 1 && targets[0]?.kind === 'Job' ? 'failed' : 'all' };
  return {};
}

function OpenDialog({ acting: open }: { acting: Acting }) {
  const { action, targets, asked } = open;
  const dialog = useRef<HTMLDialogElement>(null);
  const [choices, setChoices] = useState(() => firstChoices(open));
  const [hasChosen, setChosen] = useState(false);
  const [rows, setRows] = useState<ReadonlyMap<string, Row>>(new Map());
  const [stage, setStage] = useState<Stage>('planning');
  const [typed, setTyped] = useState('');
  const isBegun = useRef(false);
  const change = ({ uid }: Target, more: Row): void => setRows((before) => new Map(before).set(uid, { ...before.get(uid), ...more }));
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const isAskable = action !== 'scale' || choices.replicas !== undefined;
  useEffect(() => {
    if (stage !== 'planning' || !isAskable || asked) return undefined;
    const ending = new AbortController();
    setRows(new Map());
    void planAction(open, choices, (target, plan) => change(target, { plan }), ending.signal);
    return () => ending.abort();
  }, [choices]);
  const plans = targets.map(({ uid }) => rows.get(uid));
  // Not every job that failed has indexes: then all of it is meant, unless somebody chose.
  const isWhole =
    !hasChosen &&
    choices.indexes === 'failed' &&
    plans[0]?.plan !== undefined &&
    'problem' in plans[0].plan &&
    plans[0].plan.problem.status === 409;
  useEffect(() => {
    if (isWhole) setChoices({ indexes: 'all' });
  }, [isWhole]);
  const run = async (): Promise<void> => {
    if (isBegun.current) return;
    isBegun.current = true;
    setStage('acting');
    const chosen = { ...open, targets: asked ? targets : targets.filter(({ uid }) => isPlanned(rows.get(uid))) };
    await act(
      chosen,
      choices,
      (target, end) => change(target, { end }),
      (target) => change(target, { isUnknown: true }),
    );
    isBegun.current = false;
    setStage('over');
    askAgain();
  };
  const close = (): void => {
    closeAction();
    askAgain();
  };
  const possible = plans.filter(isPlanned);
  const isPlanKnown = asked !== undefined || (isAskable && plans.every((row) => row?.plan));
  const word = wordToType(open, possible);
  const title = `${titled(action)} ${targets.length === 1 && targets[0] ? titleOf(targets[0]) : countText(targets.length, 'workload')}`;
  return (
    <dialog ref={dialog} class="act" aria-label={title} onClose={close}>
      <h2>
        <bdi>{title}</bdi>
      </h2>
      {stage === 'planning' && !asked && (
        <ActChoices
          action={action}
          isSeveral={targets.length > 1}
          choices={choices}
          choose={(chosen) => {
            setChosen(true);
            setChoices(chosen);
          }}
        />
      )}
      {asked && stage === 'planning' && (
        <p class="notice">
          It was asked for before this page was loaded anew: it is not known whether it was done. Asked again, it is done once.
        </p>
      )}
      {!asked && stage === 'planning' && isAskable && !isPlanKnown && <p role="status">Asking what will happen …</p>}
      <Rows targets={targets} rows={rows} />
      {stage === 'planning' && word !== undefined && isPlanKnown && (
        <label class="typed">
          <span>
            So much goes with it: type <strong>{word}</strong>
          </span>
          <input value={typed} autocomplete="off" spellcheck={false} onInput={(event) => setTyped(event.currentTarget.value)} />
        </label>
      )}
      {stage === 'over' && <p role="status">{summaryOf(targets, rows)}</p>}
      <p class="buttons">
        <button type="button" autofocus onClick={() => dialog.current?.close()}>
          {stage === 'planning' ? 'Cancel' : 'Close'}
        </button>
        {stage !== 'over' && (isPlanKnown || stage === 'acting') && (possible.length > 0 || asked) && (
          <button
            type="button"
            class={action === 'delete' ? 'acts deletes' : 'acts'}
            disabled={stage !== 'planning' || isSilent.value || (word !== undefined && typed.trim() !== word)}
            onClick={() => void run()}
          >
            {stage === 'acting' ? 'Asked …' : asked ? 'Ask again' : buttonOf(open, possible)}
          </button>
        )}
        {stage === 'over' && hasUnknown(targets, rows) && (
          <button type="button" class="acts" disabled={isSilent.value} onClick={() => void run()}>
            Ask again
          </button>
        )}
      </p>
    </dialog>
  );
}

const buttonOf = ({ action, targets }: Acting, possible: readonly { plan: { done: Done } }[]): string =>
  targets.length === 1 && possible[0] ? possible[0].plan.done.button : `${titled(action)} ${possible.length.toLocaleString('en')}`;

/** Where so much goes that a click is too little: the name, or of several the number. */
function wordToType({ targets }: Acting, possible: readonly { plan: { done: Done } }[]): string | undefined {
  if (!possible.some(({ plan }) => plan.done.needsName === true)) return undefined;
  return targets.length === 1 ? targets[0]?.name : String(possible.length);
}

function Rows({ targets, rows }: { targets: readonly Target[]; rows: ReadonlyMap<string, Row> }) {
  const isOne = targets.length === 1;
  return (
    <ul class="plain outcomes" tabIndex={isOne ? undefined : 0} aria-label={isOne ? undefined : 'Workloads'}>
      {targets.map((target) => (
        <li key={target.uid}>
          {!isOne && (
            <strong>
              <bdi>{titleOf(target)}</bdi>{' '}
            </strong>
          )}
          <Told row={rows.get(target.uid)} target={target} />
        </li>
      ))}
    </ul>
  );
}

function Told({ row, target }: { row: Row | undefined; target: Target }) {
  if (row?.end) return <Ended outcome={row.end} target={target} />;
  if (row?.isUnknown) return <span class="warn">It is not known whether it was done; it is asked again with the same token.</span>;
  if (!row?.plan) return null;
  return 'done' in row.plan ? <span>{row.plan.done.text.join(' ')}</span> : <Refused problem={row.plan.problem} />;
}

function Ended({ outcome, target }: { outcome: Outcome; target: Target }) {
  if ('problem' in outcome) return <Refused problem={outcome.problem} />;
  const { result, text, created } = outcome.done;
  return (
    <span>
      <span class={result === 'done' ? 'tag good' : 'tag'}>{result === 'done' ? 'done' : 'stands so already'}</span> {text.join(' ')}{' '}
      {created !== undefined && (
        <a href={linkTo({ ...target, name: created })} onClick={closeAction}>
          Open {created}
        </a>
      )}
    </span>
  );
}

const Refused = ({ problem }: { problem: ApiProblem }) => (
  <span role="alert">
    <span class="tag bad">
      {isSilence(problem) ? 'no answer' : 'refused'}
      {problem.needs !== undefined && `: needs ${problem.needs}`}
    </span>{' '}
    {problem.message}
  </span>
);

const endsOf = (targets: readonly Target[], rows: ReadonlyMap<string, Row>): Outcome[] =>
  targets.flatMap(({ uid }) => rows.get(uid)?.end ?? []);

const isUnanswered = (outcome: Outcome): boolean => 'problem' in outcome && isSilence(outcome.problem);
const hasUnknown = (targets: readonly Target[], rows: ReadonlyMap<string, Row>): boolean => endsOf(targets, rows).some(isUnanswered);

/** `38 done, 2 refused`. */
function summaryOf(targets: readonly Target[], rows: ReadonlyMap<string, Row>): string {
  const ends = endsOf(targets, rows);
  const counts = [
    [ends.filter((end) => 'done' in end && end.done.result === 'done').length, 'done'],
    [ends.filter((end) => 'done' in end && end.done.result !== 'done').length, 'stood so already'],
    [ends.filter((end) => 'problem' in end && !isUnanswered(end)).length, 'refused'],
    [ends.filter(isUnanswered).length, 'not answered: not known whether it was done'],
    [targets.length - ends.length, 'not asked for'],
  ] as const;
  return `${counts
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count.toLocaleString('en')} ${what}`)
    .join(', ')}.`;
}
