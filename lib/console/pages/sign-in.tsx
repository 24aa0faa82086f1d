// Over the page, which stays: without a token nothing new is shown.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { askAgain } from '../state/resource.ts';
import { keepToken, tokenIn } from '../state/token.ts';

export function SignIn() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [problem, setProblem] = useState('');
  // A second Esc closes what the first could not.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-label="Sign in" onClose={() => dialog.current?.showModal()}>
      <h2>Sign in</h2>
      <p>
        Open the console by the whole URL that farloop printed: it carries the token. Or paste that URL here; this browser keeps its token
        for this address.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const given = new FormData(event.currentTarget).get('url');
          const token = typeof given === 'string' ? tokenIn(given) : undefined;
          if (token === undefined) {
            setProblem('That carries no token: it ends in #token=…');
            return;
          }
          keepToken(token);
          askAgain();
        }}
      >
        <label>
          <span>URL or token</span>
          <input name="url" type="password" autocomplete="off" autofocus />
        </label>{' '}
        <button type="submit">Sign in</button>
        {problem !== '' && (
          <p class="notice bad" role="alert">
            {problem}
          </p>
        )}
      </form>
    </dialog>
  );
}
