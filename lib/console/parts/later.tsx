// A part of the page whose program comes when somebody first looks at it.
import { h, type ComponentType, type FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Loading, Trouble } from './notices.tsx';

export function later<Properties extends object>(load: () => Promise<ComponentType<Properties>>): FunctionComponent<Properties> {
  let loaded: ComponentType<Properties> | undefined;
  return function Later(properties) {
    const [, setRound] = useState(0);
    const [problem, setProblem] = useState<string>();
    useEffect(() => {
      if (loaded) return;
      load().then(
        (part) => {
          loaded = part;
          setRound((round) => round + 1);
        },
        (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)),
      );
    }, []);
    if (loaded) return h(loaded, properties);
    if (problem === undefined) return <Loading />;
    return (
      <Trouble>
        This view could not be loaded: {problem}. The server is away, or was upgraded since this page was opened.{' '}
        <button type="button" onClick={() => location.reload()}>
          Reload the page
        </button>
      </Trouble>
    );
  };
}
