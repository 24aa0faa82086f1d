// Nothing is changed without a dialog that says what will happen; its focus starts on Cancel.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isSilent } from '../state/freshness.ts';

interface ConfirmProps {
  title: string;
  /** What will happen. */
  children: ComponentChildren;
  /** The verb and the number, never "OK". */
  verb: string;
  /** Resolves when it was done. @throws Error whose message is told in the dialog, which stays */
  act: () => Promise<void>;
  close: () => void;
}

export function Confirm({ title, children, verb, act, close }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isActing, setActing] = useState(false);
  const [problem, setProblem] = useState('');
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const run = async (): Promise<void> => {
    setActing(true);
    setProblem('');
    try {
      await act();
      close();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setActing(false);
    }
  };
  return (
    <dialog ref={dialog} aria-label={title} onClose={close}>
      <h2>{title}</h2>
      {children}
      {problem !== '' && (
        <p class="notice bad" role="alert">
          {problem}
        </p>
      )}
      <p class="buttons">
        <button type="button" autofocus onClick={() => dialog.current?.close()}>
          Cancel
        </button>
        <button type="button" class="acts" disabled={isActing || isSilent.value} onClick={() => void run()}>
          {isActing ? 'Asked …' : verb}
        </button>
      </p>
    </dialog>
  );
}
