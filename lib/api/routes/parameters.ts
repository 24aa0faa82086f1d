// Query parameters: how each is written, what its text stands for, and one sentence for a text that stands for nothing.
import * as v from 'valibot';
import { kindNames } from '../../kinds/facts.ts';
import { findKindNamed } from '../../kinds/kind-names.ts';
import type { KindFacts } from '../../kinds/rows/kind.ts';
import { findState, STATES, type State } from '../../kinds/rows/state.ts';
import { LabelSelectorError, parseLabelSelector, type LabelMatcher } from '../../objects/label-selector.ts';
import { SORTS, type AgeLimit, type Order } from '../list/choice.ts';
import { RefusedRequestError } from '../routed-request.ts';

/** A JSON schema of the text, for the description. */
type Written = Readonly<Record<string, unknown>>;

/** A parameter that may be absent. */
export const parameter = <Read>(description: string, schema: v.GenericSchema<string, Read>, written: Written = { type: 'string' }) =>
  v.exactOptional(v.pipe(schema, v.metadata({ description, written })));

export const textParameter = (description: string) => parameter(description, v.string());
export const only = (of: string) => textParameter(`only of this ${of}`);

/** @param read what the text stands for; or one sentence that says what is wrong and what is possible */
export const readParameter = <Read>(description: string, read: (text: string) => Read | Refusal, written?: Written) =>
  parameter(
    description,
    v.pipe(
      v.string(),
      v.rawTransform<string, Read>(({ dataset, addIssue, NEVER }) => {
        const found = read(dataset.value);
        if (!(found instanceof Refusal)) return found;
        addIssue({ message: found.sentence });
        return NEVER;
      }),
    ),
    written,
  );

/** Says that a text stands for nothing. */
export class Refusal {
  readonly sentence: string;
  constructor(sentence: string) {
    this.sentence = sentence;
  }
}

export const wholeNumber = (description: string, name: string) =>
  readParameter(
    description,
    (text): number | Refusal =>
      /^\d{1,9}$/.test(text) ? Number(text) : new Refusal(`"${name}" must be a whole number, as in ${name}=4711`),
    { type: 'integer', minimum: 0 },
  );

/** @param otherwise where the request does not say */
export const limit = (otherwise: number) =>
  v.optional(
    v.pipe(
      v.string(),
      v.rawTransform<string, number>(({ dataset: { value }, addIssue, NEVER }) => {
        const asked = /^\d{1,4}$/.test(value) ? Number(value) : 0;
        if (asked >= 1 && asked <= 1_000) return asked;
        addIssue({ message: '"limit" must be a whole number from 1 to 1000' });
        return NEVER;
      }),
      v.metadata({ description: 'how many at most', written: { type: 'integer', minimum: 1, maximum: 1_000, default: otherwise } }),
    ),
    String(otherwise),
  );

export const continues = textParameter('as `next` of an earlier answer');

export const states = readParameter(
  `only in one of these states, with commas between: ${STATES.join(', ')}`,
  (text): readonly State[] | Refusal => {
    const found: State[] = [];
    for (const word of text.split(',')) {
      const state = findState(word);
      if (!state) return new Refusal(`there is no state ${JSON.stringify(word)}: there are ${STATES.join(', ')}`);
      found.push(state);
    }
    return found;
  },
);

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** @returns undefined for what is no duration, as in `90s`, `10m`, `1h`, `7d` */
function durationIn(text: string): number | undefined {
  const [, count = '', unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return unit === undefined ? undefined : Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
}

export const ended = readParameter(
  'only those that ended, or were removed, within this time, as in 12h or 7d, which is the longest; removed ones are shown with this alone',
  (text): number | Refusal => {
    const ms = durationIn(text);
    if (ms !== undefined && ms > 0 && ms <= 7 * UNIT_MS.d) return ms;
    return new Refusal(`"ended" must be a time of at most 7 days, as in 12h or 7d, not ${JSON.stringify(text)}`);
  },
);

export const age = readParameter('only those younger than this, as in <1h, or older, as in >2d', (text): AgeLimit | Refusal => {
  const is = text.startsWith('<') ? '<' : text.startsWith('>') ? '>' : undefined;
  const ms = durationIn(text.slice(1));
  if (is !== undefined && ms !== undefined) return { is, ms };
  return new Refusal(`"age" must be < or > and a time, as in <1h or >2d, not ${JSON.stringify(text)}`);
});

export const needs = readParameter(
  'person: only those that a person should look at: parked, unreadable, failed within an hour (or as long as "ended" says), or in trouble for longer than the installation bears, which is five minutes unless it is set',
  (text): true | Refusal => (text === 'person' ? true : new Refusal(`"needs" must be person, not ${JSON.stringify(text)}`)),
  { type: 'string', enum: ['person'] },
);

export const sort = readParameter(
  `the order: one of ${SORTS.join(', ')}; with - before it, the other way round. By age, since and need the youngest come first, by cost the dearest`,
  (text): Order | Refusal => {
    const isReversed = text.startsWith('-');
    const by = SORTS.find((known) => known === (isReversed ? text.slice(1) : text));
    return by ? { by, isReversed } : new Refusal(`"sort" must be one of ${SORTS.join(', ')}, as in sort=-age, not ${JSON.stringify(text)}`);
  },
);

const shown = (name: string, description: string) =>
  readParameter(
    `shown: ${description}`,
    (text): true | Refusal => (text === 'shown' ? true : new Refusal(`"${name}" must be shown, not ${JSON.stringify(text)}`)),
    { type: 'string', enum: ['shown'] },
  );

export const facets = shown('facets', 'with what the list could be narrowed to: kinds and namespaces, each with how many match');

export const cost = shown('cost', 'with the cost of each in a week, at list prices, where it is counted');

export const pageNumber = readParameter(
  'the page, from 1; without "continue"',
  (text): number | Refusal =>
    /^[1-9]\d{0,5}$/.test(text) ? Number(text) : new Refusal(`"page" must be a whole number from 1 on, not ${JSON.stringify(text)}`),
  { type: 'integer', minimum: 1 },
);

export const labels = readParameter('only with these labels: a selector as in team=a,!test', (text): LabelMatcher | Refusal => {
  try {
    return parseLabelSelector(text);
  } catch (error) {
    if (!(error instanceof LabelSelectorError)) throw error;
    return new Refusal(`"label" is no label selector, as in team=a,!test: ${error.message}`);
  }
});

/** Of a path. @throws RefusedRequestError */
export function kindNamed(word: string): KindFacts {
  const facts = findKindNamed(word);
  if (!facts) throw new RefusedRequestError(404, `there is no kind ${word}: there are ${kindNames().join(', ')}`);
  return facts;
}
