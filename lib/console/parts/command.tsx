// A command to copy, or another text.
import { useState } from 'preact/hooks';

const TOLD_MS = 1_500;

/** Names of Kubernetes need no quotes; others are quoted for a shell. */
export const quoted = (text: string): string => (/^[\w.:/@=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

interface CopyButtonProps {
  text: string;
  /** As a sentence would name it. */
  what?: string;
}

export function CopyButton({ text, what = text }: CopyButtonProps) {
  const [said, say] = useState('');
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => say('copied'),
      () => say('not allowed: select the text'),
    );
    setTimeout(() => say(''), TOLD_MS);
  };
  return (
    <>
      <button type="button" onClick={copy} aria-label={`Copy ${what}`}>
        Copy
      </button>{' '}
      <span role="status" class="soft">
        {said}
      </span>
    </>
  );
}

export function Command({ text }: { text: string }) {
  return (
    <p class="command">
      <code>{text}</code> <CopyButton text={text} />
    </p>
  );
}
