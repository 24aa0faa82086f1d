// Filters of the list: each a parameter of the address.
import { isNarrow } from '../parts/media.ts';
import { TypedText } from '../parts/typed-text.tsx';
import { address, go, withQuery } from '../state/address.ts';
import type { ClusterSummary, WorkloadSummary } from '../state/answers.ts';
import { BY_URGENCY } from '../state/standing.ts';

interface Choice {
  name: string;
  label: string;
  values: readonly string[];
  /** Of the first, which filters nothing. */
  none?: string;
}

const AGES = ['<10m', '<1h', '<12h', '<1d', '<7d', '>1h', '>1d', '>7d'];
const ENDED = ['1h', '12h', '1d', '7d'];

const distinct = (values: readonly string[]): string[] => [...new Set(values)].filter((value) => value !== '').toSorted();

export function Filters({ clusters, items }: { clusters: readonly ClusterSummary[]; items: readonly WorkloadSummary[] }) {
  const { query } = address.value;
  const choices: Choice[] = [
    { name: 'state', label: 'State', values: BY_URGENCY },
    { name: 'cluster', label: 'Cluster', values: clusters.map(({ name }) => name) },
    { name: 'namespace', label: 'Namespace', values: distinct(items.map(({ namespace }) => namespace)) },
    { name: 'kind', label: 'Kind', values: distinct(items.map(({ kind }) => kind)) },
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

function Select({ name, label, values, none = 'all', chosen }: Choice & { chosen: string }) {
  const shown = chosen === '' || values.includes(chosen) ? values : [chosen, ...values];
  return (
    <label>
      <span>{label}</span>
      <select value={chosen} onChange={(event) => go(withQuery({ [name]: event.currentTarget.value }), { isReplaced: true })}>
        <option value="">{none}</option>
        {shown.map((value) => (
          <option key={value} value={value}>
            {value}
          </option>
        ))}
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
