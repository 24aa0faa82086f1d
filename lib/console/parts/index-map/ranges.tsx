// The map in words: from which index to which one each state goes.
import { useState } from 'preact/hooks';
import type { IndexLetter } from '../../../objects/detail/packed-states.ts';
import { rangesOf, type Range, type Told } from './cells.ts';
import { stateWordOf } from './legend.tsx';

const MOST_RANGES = 60;

const rangeText = ({ from, behind }: Range): string =>
  behind - from === 1 ? from.toLocaleString('en') : `${from.toLocaleString('en')} to ${(behind - 1).toLocaleString('en')}`;

export function Ranges({ told }: { told: Told }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget: { open } }) => setOpen(open)}>
      <summary>The map in words: ranges by state</summary>
      {isOpen &&
        (told.codes ? <List told={told} /> : <p class="soft">There are too many ranges: go closer, and those of that part are listed.</p>)}
    </details>
  );
}

function List({ told }: { told: Told }) {
  return (
    <dl class="ranges">
      {rangesOf(told, MOST_RANGES).map(({ letter, ranges, leftOut }) => (
        <div key={letter}>
          <dt>{stateWordOf(letter as IndexLetter)}</dt>
          <dd>
            {ranges.map(rangeText).join('; ')}
            {leftOut > 0 && ` and ${leftOut.toLocaleString('en')} ranges more`}
          </dd>
        </div>
      ))}
    </dl>
  );
}
