// A part that is made again only when one of its properties is another one.
import { Component, h, type ComponentType, type FunctionComponent } from 'preact';

/** @param besides properties that another one tells of */
export function memo<Properties extends object>(
  part: FunctionComponent<Properties>,
  besides: readonly (keyof Properties & string)[] = [],
): ComponentType<Properties> {
  const passedOver = new Set<string>(besides);
  return class Memo extends Component<Properties> {
    override shouldComponentUpdate(next: Readonly<Properties>): boolean {
      const [before, after]: [Record<string, unknown>, Record<string, unknown>] = [{ ...this.props }, { ...next }];
      const names = Object.keys(after);
      return (
        names.length !== Object.keys(before).length || names.some((name) => !passedOver.has(name) && !Object.is(before[name], after[name]))
      );
    }
    override render() {
      return h(part, this.props);
    }
  };
}
