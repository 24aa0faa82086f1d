// A field of text whose value is taken a moment after the last key.
import { useEffect, useRef, useState } from 'preact/hooks';

const TYPED_MS = 250;

interface TypedTextProps {
  value: string;
  hint: string;
  take: (value: string) => void;
  id?: string;
  label?: string;
  /** At once, where Enter leads somewhere. */
  enter?: (value: string) => void;
}

export function TypedText({ value, hint, take, id, label, enter }: TypedTextProps) {
  const [draft, setDraft] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // Somebody who types has the say; else the address has.
  useEffect(() => {
    if (document.activeElement !== input.current) setDraft(value);
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <input
      ref={input}
      id={id}
      type="search"
      aria-label={label}
      value={draft}
      placeholder={hint}
      autocomplete="off"
      spellcheck={false}
      onInput={(event) => {
        const typed = event.currentTarget.value;
        setDraft(typed);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => take(typed.trim()), TYPED_MS);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          clearTimeout(timer.current);
          setDraft(value);
        }
        if (event.key !== 'Enter') return;
        clearTimeout(timer.current);
        (enter ?? take)(draft.trim());
      }}
    />
  );
}
