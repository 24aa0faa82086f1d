// What can be chosen of an action before it is asked for.
import type { Acting, Choices } from '../../state/acting.ts';

interface ActChoicesProps {
  action: Acting['action'];
  isSeveral: boolean;
  choices: Choices;
  choose: (choices: Choices) => void;
}

export function ActChoices({ action, isSeveral, choices, choose }: ActChoicesProps) {
  if (action === 'retry') return <RetryOf isSeveral={isSeveral} choices={choices} choose={choose} />;
  if (action === 'drain') return <DrainOf choices={choices} choose={choose} />;
  return action === 'scale' ? <ScaleTo choices={choices} choose={choose} /> : null;
}

function RetryOf({ isSeveral, choices, choose }: Pick<ActChoicesProps, 'isSeveral' | 'choices' | 'choose'>) {
  const options = [
    ['all', isSeveral ? 'all of each' : 'all of it'],
    ['failed', 'only the indexes that did not succeed'],
  ] as const;
  return (
    <fieldset>
      <legend>A new workload is made that does</legend>
      {options.map(([indexes, label]) => (
        <label key={indexes} class="check">
          <input type="radio" name="indexes" checked={choices.indexes === indexes} onChange={() => choose({ indexes })} /> {label}
        </label>
      ))}
    </fieldset>
  );
}

function DrainOf({ choices, choose }: Pick<ActChoicesProps, 'choices' | 'choose'>) {
  const isUndone = choices.undo === true;
  return (
    <fieldset>
      <legend>The node</legend>
      <label class="check">
        <input type="radio" name="undo" checked={!isUndone} onChange={() => choose({})} /> takes no new pods, and those on it are evicted
      </label>
      <label class="check">
        <input type="radio" name="undo" checked={isUndone} onChange={() => choose({ undo: true })} /> takes pods again
      </label>
      {!isUndone && (
        <label class="check">
          <input type="checkbox" checked={choices.force === true} onChange={() => choose(choices.force === true ? {} : { force: true })} />{' '}
          also pods that no controller makes anew
        </label>
      )}
    </fieldset>
  );
}

function ScaleTo({ choices, choose }: Pick<ActChoicesProps, 'choices' | 'choose'>) {
  return (
    <div class="filters">
      <label>
        <span>Replicas</span>
        <input
          type="number"
          min="0"
          max="100000"
          step="1"
          onInput={({ currentTarget: { value, validity } }) => {
            const { replicas: _before, ...others } = choices;
            choose(value !== '' && validity.valid ? { ...others, replicas: Number(value) } : others);
          }}
        />
      </label>
      <label>
        <span>Of the type, where there are several</span>
        <input
          placeholder="Worker"
          pattern="[A-Za-z]+"
          onChange={({ currentTarget: { value, validity } }) => {
            const { type: _before, ...others } = choices;
            choose(value !== '' && validity.valid ? { ...others, type: value } : others);
          }}
        />
      </label>
    </div>
  );
}
