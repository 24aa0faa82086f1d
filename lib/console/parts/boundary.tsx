// Around a part that may be given an answer that it does not understand: a sentence in its place, never a blank page.
import { Component, type ComponentChildren } from 'preact';
import { forgetUnused } from '../state/resource.ts';
import { Trouble } from './notices.tsx';

interface BoundaryProps {
  /** Another one is tried at once. */
  of: string;
  children: ComponentChildren;
}

interface BoundaryState {
  failed?: { of: string; text: string } | undefined;
}

/** By then a server or a proxy may answer otherwise. */
const AGAIN_MS = 5_000;

export class Boundary extends Component<BoundaryProps, BoundaryState> {
  #timer: ReturnType<typeof setTimeout> | undefined;

  override componentDidCatch(error: unknown): void {
    this.setState({ failed: { of: this.props.of, text: error instanceof Error ? error.message : String(error) } });
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#again, AGAIN_MS);
  }

  override componentWillUnmount(): void {
    clearTimeout(this.#timer);
  }

  readonly #again = (): void => {
    forgetUnused();
    this.setState({ failed: undefined });
  };

  override render() {
    const { failed } = this.state;
    if (failed?.of !== this.props.of) return this.props.children;
    return (
      <Trouble>
        This cannot be shown: the API's answer is not what this page expects ({failed.text}). Is a proxy or a server of another version
        between them? It is asked again and again.{' '}
        <button type="button" onClick={this.#again}>
          Now
        </button>
      </Trouble>
    );
  }
}
