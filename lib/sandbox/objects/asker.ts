// Who asks, what for, and what is decided.
import type { Fields } from './api-object.ts';

/** Whom roles are given to. */
export interface Person {
  name: string;
  groups: readonly string[];
}

/** Who asks. */
export interface Asker extends Person {
  uid: string;
  /** Further claims of the token. */
  extra?: Readonly<Record<string, readonly string[]>>;
}

/** The subject of a request: a resource, or a path that is not one. */
export type Attributes =
  | { verb: string; group: string; resource: string; subresource?: string; namespace?: string; name?: string }
  | { verb: string; path: string };

/** Whether it is granted, and by what. */
export interface Decision {
  isAllowed: boolean;
  /** Empty where there is nothing to say. */
  reason: string;
}

/** Lookups for the resources that answer reviews. */
export interface Reviewing {
  asker: Asker;
  /** RFC 3339 */
  time: string;
  /** The owner of a bearer token. */
  identified: (token: string) => Asker | undefined;
  decide: (person: Person, asked: Attributes) => Decision;
  rulesOf: (person: Person, namespace: string) => Fields[];
}
