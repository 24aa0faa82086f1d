// Around a part that may be given an answer that it does not understand: a sentence in its place, never a blank page.
import { Component, type ComponentChildren } from 'preact';
import { Trouble } from './notices.tsx';

interface BoundaryProps {
  /** Another one is tried anew. */
  of: string;
  children: ComponentChildren;
}

export class Boundary extends Component<BoundaryProps, { failed?: { of: string; text: string } }> {
  override componentDidCatch(error: unknown): void {
    this.setState({ failed: { of: this.props.of, text: error instanceof Error ? error.message : String(error) } });
  }

  override render() {
    const { failed } = this.state;
    if (failed?.of !== this.props.of) return this.props.children;
    return (
      <Trouble>
        This cannot be shown: the API's answer is not what this page expects ({failed.text}). Is a proxy or a server of another version
        between them?{' '}
        <button type="button" onClick={() => this.setState({ failed: undefined } as never)}>
          Try again
        </button>
      </Trouble>
    );
  }
}
