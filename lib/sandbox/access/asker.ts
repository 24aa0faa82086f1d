// Who asks, what for, and what is decided.
import type { Fields } from '../api-object.ts';

/** Whom roles are given to. */
export interface Person {
  name: string;
  groups: readonly string[];
}

/** Who asks. */
export interface Asker extends Person {
  uid: string;
  /** What the token says besides. */
  extra?: Readonly<Record<string, readonly string[]>>;
}

/** What is asked for: of a resource, or of a path that is none. */
export type Attributes =
  | { verb: string; group: string; resource: string; subresource?: string; namespace?: string; name?: string }
  | { verb: string; path: string };

/** Whether it is granted, and by what. */
export interface Decision {
  isAllowed: boolean;
  /** Empty where there is nothing to say. */
  reason: string;
}

/** What those who answer questions can find out. */
export interface Reviewing {
  asker: Asker;
  /** RFC 3339 */
  time: string;
  /** Whose bearer token it is. */
  identified: (token: string) => Asker | undefined;
  decide: (person: Person, asked: Attributes) => Decision;
  rulesOf: (person: Person, namespace: string) => Fields[];
}
