// A part of a view with children other than pods, as stored: the children of one resource, with that resource's own floor. Version 2.
import * as v from 'valibot';
import { isResourceVersion } from '../objects/values/resource-version.ts';
import { packChildren, unpackChildren } from './packing/child-columns.ts';
import { packPods } from './packing/columns.ts';
import { open, seal } from './packing/envelope.ts';
import { parseGuarded } from './words/guarded-json.ts';
import type { ChildrenPart } from './words/observations.ts';
import { UndecodableMessageError } from './words/undecodable.ts';

const LIMITS = { bytes: 400_000, unpackedBytes: 8_000_000 };

const Header = v.object({
  e: v.pipe(v.number(), v.safeInteger()),
  r: v.string(),
  f: v.pipe(
    v.string(),
    v.check((digits: string) => isResourceVersion(digits), 'a resourceVersion'),
  ),
});

export function packChildrenPart({ era, resource, floor, children }: ChildrenPart): Uint8Array {
  const entries = [...children.values()].toSorted((a, b) => (a.child.name < b.child.name ? -1 : 1));
  return seal({ header: JSON.stringify({ e: era, r: resource, f: floor }), pods: packPods([]), children: packChildren(entries) });
}

/** @throws UndecodableMessageError: such an item counts as missing (R1) */
export function unpackChildrenPart(bytes: Uint8Array): ChildrenPart {
  const { header, children } = open(bytes, LIMITS);
  if (!children) throw new UndecodableMessageError('a view item of children holds none');
  const { e, r, f } = parseGuarded(header, Header, 'view item');
  return { era: e, resource: r, floor: f, children: new Map(unpackChildren(children).map((entry) => [entry.child.uid, entry])) };
}
