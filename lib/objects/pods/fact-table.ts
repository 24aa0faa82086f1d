// The table of pod facts. A new fact is a line and a row in identity-facts.ts, state-facts.ts or asked-facts.ts, and nothing elsewhere: reading, bounds,
// messages, view items, snapshots and a relay's memory all go by these rows. test/objects/pods/fact-table.test.ts wants two values of it.
import { unionOf, type WantedFields } from '../field-mask.ts';
import type { Pod } from '../kubernetes.ts';
import type { DictionaryFact, FactRow, FlagFact, ListedTimes, NumberFact, SharedFact } from './fact-row.ts';
import { ASKED_FACTS, type AskedFacts } from './asked-facts.ts';
import { IDENTITY_FACTS, type IdentityFacts } from './identity-facts.ts';
import { STATE_FACTS, type StateFacts } from './state-facts.ts';

/**
 * The projection of a pod that the relay sends, the view keeps and `farloop plan` makes from a manifest. Required facts stand on every pod;
 * optional ones are absent, never undefined. Times are Unix seconds. Never environment values, volumes or secrets.
 */
export interface PodFacts extends IdentityFacts, StateFacts, AskedFacts {}

export type FactName = keyof PodFacts;
export type PodFactRow = FactRow<PodFacts> & { readonly name: FactName };

const rowsIn = <Facts>(rows: { readonly [Name in keyof Facts]: FactRow<Facts> }): PodFactRow[] =>
  Object.entries(rows).map(([name, row]) => ({ ...(row as FactRow<PodFacts>), name: name as FactName }));

const IDENTITY_ROWS = rowsIn<IdentityFacts>(IDENTITY_FACTS);
/** In the order of shapes and columns. */
export const POD_FACTS: readonly PodFactRow[] = [...IDENTITY_ROWS, ...rowsIn<StateFacts>(STATE_FACTS), ...rowsIn<AskedFacts>(ASKED_FACTS)];

type With<Part extends keyof FactRow<PodFacts>, Value> = PodFactRow & { readonly [Each in Part]: Value };
const rowsWith = <Part extends keyof FactRow<PodFacts>, Value>(rows: readonly PodFactRow[], part: Part): readonly With<Part, Value>[] =>
  rows.filter((row): row is With<Part, Value> => row[part] !== undefined);

export const SHARED_FACTS = rowsWith<'shared', SharedFact<PodFacts>>(POD_FACTS, 'shared');
/** Those whose letters stand before a shape's bits. */
export const SHARED_BEFORE_BITS = rowsWith<'shared', SharedFact<PodFacts>>(IDENTITY_ROWS, 'shared').length;
export const FLAG_FACTS = rowsWith<'flag', FlagFact<PodFacts>>(POD_FACTS, 'flag');
export const NUMBER_FACTS = rowsWith<'number', NumberFact<PodFacts>>(POD_FACTS, 'number');
export const LISTED_FACTS = rowsWith<'listed', ListedTimes<PodFacts>>(POD_FACTS, 'listed') as readonly (With<
  'listed',
  ListedTimes<PodFacts>
> &
  With<'shared', SharedFact<PodFacts>>)[];
export const DICTIONARY_FACTS = rowsWith<'dictionary', DictionaryFact<PodFacts>>(POD_FACTS, 'dictionary');
export const BOUNDED_FACTS = POD_FACTS.flatMap(({ bounds }) => bounds ?? []);
/** Those that pods from outside are held against. */
export const CHECKED_FACTS = rowsWith<'faultOf', NonNullable<PodFactRow['faultOf']>>(POD_FACTS, 'faultOf');

const BLANKS = Object.entries({ ...IDENTITY_FACTS, ...STATE_FACTS }).flatMap(([name, { blank }]) =>
  blank === undefined ? [] : [[name, blank]],
);
/**
 * The facts that every pod has, still blank. Not frozen: a copy of a frozen object takes several times as long. Parsed, because an object that
 * grew by one field after the other keeps most of them in a second object, and each copy takes two.
 */
export const BLANK_FACTS = JSON.parse(JSON.stringify(Object.fromEntries(BLANKS))) as Readonly<PodFacts>;

/** A fact that a kind must ask for. */
export type AskedFact = keyof AskedFacts;

const rowsFor = (asked: readonly AskedFact[]): readonly PodFactRow[] =>
  POD_FACTS.filter(({ name }) => !(name in ASKED_FACTS) || asked.some((each) => each === name));

/** Fields of a pod that its facts are read from. @param asked for by the kinds that read it */
export const podFieldsFor = (asked: readonly AskedFact[]): WantedFields =>
  rowsFor(asked).reduce((all: WantedFields, { fields }) => unionOf(all, fields), {});

/** Sets the facts that the rows read, whatever there is of them. */
export function factReaderFor(asked: readonly AskedFact[]): (pod: Pod) => PodFacts {
  const rows = rowsFor(asked);
  // Facts that every pod has come first: so each of these rows sees objects of one hidden class.
  const reads = [...rows.filter(({ name }) => name in BLANK_FACTS), ...rows.filter(({ name }) => !(name in BLANK_FACTS))].map(
    ({ read }) => read,
  );
  return inTurn(reads);
}

type Read = PodFactRow['read'];
const PASS: Read = () => undefined;

/** Written out, because only a call that always reaches the same function is compiled into its caller; a loop over all rows takes a third longer. */
function inTurn(reads: readonly Read[]): (pod: Pod) => PodFacts {
  const [a = PASS, b = PASS, c = PASS, d = PASS, e = PASS, f = PASS, g = PASS, h = PASS, ...from8] = reads;
  const [i = PASS, j = PASS, k = PASS, l = PASS, m = PASS, n = PASS, o = PASS, p = PASS, ...from16] = from8;
  const [q = PASS, r = PASS, s = PASS, t = PASS, u = PASS, v = PASS, w = PASS, x = PASS, ...others] = from16;
  return (pod) => {
    const facts: PodFacts = { ...BLANK_FACTS };
    a(pod, facts);
    b(pod, facts);
    c(pod, facts);
    d(pod, facts);
    e(pod, facts);
    f(pod, facts);
    g(pod, facts);
    h(pod, facts);
    i(pod, facts);
    j(pod, facts);
    k(pod, facts);
    l(pod, facts);
    m(pod, facts);
    n(pod, facts);
    o(pod, facts);
    p(pod, facts);
    q(pod, facts);
    r(pod, facts);
    s(pod, facts);
    t(pod, facts);
    u(pod, facts);
    v(pod, facts);
    w(pod, facts);
    x(pod, facts);
    for (const read of others) read(pod, facts);
    return facts;
  };
}
