// How to switch on that people may act.
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Command } from '../../parts/command.tsx';

/** By the API's word for a right. */
const COMMANDS: ReadonlyMap<string, string> = new Map([
  ['actions=on', 'farloop up --actions on'],
  ['--actions', 'farloop cluster add --help'],
]);

export function MissingRight({ text, needs, close }: { text: string; needs: string; close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const command = COMMANDS.get(needs);
  return (
    <dialog ref={dialog} aria-label="How to switch actions on" onClose={close}>
      <h2>Needs {needs}</h2>
      <p>{sentenceOf(text)}</p>
      {command !== undefined && <Command text={command} />}
      <p class="soft">The page notices when it is switched on.</p>
      <p class="buttons">
        <button type="button" autofocus onClick={() => dialog.current?.close()}>
          Close
        </button>
      </p>
    </dialog>
  );
}

const sentenceOf = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
