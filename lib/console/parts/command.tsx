// A command to copy.
import { useState } from 'preact/hooks';

const TOLD_MS = 1_500;

export function Command({ text }: { text: string }) {
  const [said, say] = useState('');
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => say('copied'),
      () => say('not allowed: select the text'),
    );
    setTimeout(() => say(''), TOLD_MS);
  };
  return (
    <p class="command">
      <code>{text}</code>{' '}
      <button type="button" onClick={copy} aria-label={`Copy ${text}`}>
        Copy
      </button>{' '}
      <span role="status" class="soft">
        {said}
      </span>
    </p>
  );
}
