// Filters of the list: each a parameter of the address.
import { isNarrow } from '../parts/media.ts';
import { TypedText } from '../parts/typed-text.tsx';
import { address, go, withQuery } from '../state/address.ts';
import type { ClusterSummary, Facet, Facets, WorkloadSummary } from '../state/answers.ts';
import { BY_URGENCY } from '../state/standing.ts';

interface Choice {
  name: string;
  label: string;
  values: readonly (string | Facet)[];
  /** Of the first, which filters nothing. */
  none?: string;
  /** Values that are too many to be offered. */
  leftOut?: number;
}

const AGES = ['<10m', '<1h', '<12h', '<1d', '<7d', '>1h', '>1d', '>7d'];
const ENDED = ['1h', '12h', '1d', '7d'];

const distinct = (values: readonly string[]): string[] => [...new Set(values)].filter((value) => value !== '').toSorted();

interface FiltersProps {
  clusters: readonly ClusterSummary[];
  items: readonly WorkloadSummary[];
  /** An API of the version before tells none: then what the loaded rows have is offered. */
  facets: Facets | undefined;
}

export function Filters({ clusters, items, facets }: FiltersProps) {
  const { query } = address.value;
  const choices: Choice[] = [
    { name: 'state', label: 'State', values: BY_URGENCY },
    { name: 'cluster', label: 'Cluster', values: clusters.map(({ name }) => name) },
    {
      name: 'namespace',
      label: 'Namespace',
      values: facets?.namespaces ?? distinct(items.map(({ namespace }) => namespace)),
      leftOut: facets?.namespacesLeftOut ?? 0,
    },
    { name: 'kind', label: 'Kind', values: facets?.kinds ?? distinct(items.map(({ kind }) => kind)) },
    { name: 'age', label: 'Age', values: AGES, none: 'any' },
    { name: 'ended', label: 'Ended within', values: ENDED, none: 'any' },
  ];
  // Only a node's own page leads to it.
  if (query.has('node')) choices.push({ name: 'node', label: 'Virtual node', values: [] });
  const isPerson = query.get('needs') === 'person';
  const set = ['state', 'cluster', 'namespace', 'kind', 'age', 'ended', 'label', 'text', 'node', 'needs'].filter((name) => query.has(name));
  const body = (
    <div class="filters">
      {choices.map((choice) => (
        <Select key={choice.name} {...choice} chosen={query.get(choice.name) ?? ''} />
      ))}
      <Typed name="label" label="Label" hint="team=nlp" />
      <label class="check">
        <input
          type="checkbox"
          checked={isPerson}
          onChange={() => go(withQuery({ needs: isPerson ? undefined : 'person' }), { isReplaced: true })}
        />
        needs a person
      </label>
      {set.length > 0 && <a href={withQuery(Object.fromEntries(set.map((name) => [name, undefined])))}>Clear</a>}
    </div>
  );
  if (!isNarrow.value) return body;
  return (
    <details class="sheet">
      <summary>Filter{set.length > 0 && `: ${set.map((name) => `${name} ${query.get(name)}`).join(', ')}`}</summary>
      {body}
    </details>
  );
}

function Select({ name, label, values, none = 'all', leftOut = 0, chosen }: Choice & { chosen: string }) {
  const offered = values.map((each): Partial<Facet> & { value: string } => (typeof each === 'string' ? { value: each } : each));
  const shown = chosen === '' || offered.some(({ value }) => value === chosen) ? offered : [{ value: chosen }, ...offered];
  return (
    <label>
      <span>{label}</span>
      <select value={chosen} onChange={(event) => go(withQuery({ [name]: event.currentTarget.value }), { isReplaced: true })}>
        <option value="">{none}</option>
        {shown.map(({ value, count }) => (
          <option key={value} value={value}>
            {count === undefined ? value : `${value} (${count.toLocaleString('en')})`}
          </option>
        ))}
        {leftOut > 0 && <option disabled>{`and ${leftOut.toLocaleString('en')} with fewer: search by name`}</option>}
      </select>
    </label>
  );
}

function Typed({ name, label, hint }: { name: string; label: string; hint: string }) {
  return (
    <label>
      <span>{label}</span>
      <TypedText
        value={address.value.query.get(name) ?? ''}
        hint={hint}
        take={(value) => go(withQuery({ [name]: value }), { isReplaced: true })}
      />
    </label>
  );
}
