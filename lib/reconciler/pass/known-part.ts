// The children of one resource as one pass knows them: those of the view, and its own observations of the API server (R7).
import type { AnyChild, Observation, ViewPart, WholeList } from '../../wire/words/observations.ts';
import { keepLatest, mergeInto, type News, type OnChange } from '../view/view.ts';

export class KnownPart<Child extends AnyChild> {
  /** This pass's own copy. Observations of this pass are merged into it. */
  readonly view: ViewPart<Child>;
  readonly #isByName: boolean;
  readonly #observations = new Map<string, Observation<Child>>();
  #whole: WholeList | undefined;

  /** @param options.isByName its children are also observed by name, outside every selection */
  constructor(view: ViewPart<Child>, { isByName = false }: { isByName?: boolean } = {}) {
    this.view = view;
    this.#isByName = isByName;
  }

  merge(children: readonly Observation<Child>[], whole?: WholeList, onChange?: OnChange<Child>): void {
    for (const observation of children) keepLatest(this.#observations, observation);
    this.#whole = whole ?? this.#whole;
    mergeInto(this.view, { ...this.#news, children, whole }, onChange);
  }

  /** The observations that must be written to the view before the pass ends. */
  get observed(): News<Child> {
    return { ...this.#news, children: [...this.#observations.values()], whole: this.#whole };
  }

  get hasNews(): boolean {
    return this.#observations.size > 0 || this.#whole !== undefined;
  }

  get #news(): Pick<News<Child>, 'resource' | 'byPass' | 'isByName'> {
    return { resource: this.view.resource, byPass: true, ...(this.#isByName && { isByName: true }) };
  }
}
