// Ways in which bytes and JSON come to harm: for tests that damage real ones.
import fc from 'fast-check';

/** One of the ways, applied to bytes of any length; the result may by chance be what was given. */
export type Damage = (bytes: Uint8Array) => Uint8Array;

const flipped =
  (places: readonly (readonly [number, number])[]): Damage =>
  (bytes) => {
    const broken = Uint8Array.from(bytes);
    for (const [place, bits] of places) if (broken.length > 0) broken[place % broken.length] = (broken[place % broken.length] ?? 0) ^ bits;
    return broken;
  };

const cut =
  (place: number): Damage =>
  (bytes) =>
    bytes.subarray(0, place % (bytes.length + 1));

/** A stretch stands twice, or is missing. */
const spliced =
  (from: number, to: number): Damage =>
  (bytes) => {
    const [a, b] = [from % (bytes.length + 1), to % (bytes.length + 1)];
    return Uint8Array.from([...bytes.subarray(0, a), ...bytes.subarray(b)]);
  };

const replacedBy =
  (garbage: Uint8Array): Damage =>
  () =>
    garbage;

const place = fc.nat({ max: 1_000_000 });

export const damages: fc.Arbitrary<Damage> = fc.oneof(
  fc.array(fc.tuple(place, fc.integer({ min: 1, max: 255 })), { minLength: 1, maxLength: 4 }).map(flipped),
  place.map(cut),
  fc.tuple(place, place).map(([from, to]) => spliced(from, to)),
  fc.uint8Array({ maxLength: 64 }).map(replacedBy),
);

/** What stands in the place of a value of JSON. */
const strangers = fc.constantFrom<unknown>(null, 0, -1, 1e300, '', 'x', true, [], {}, [null], [[]], { a: null });

/** JSON of which one value, somewhere, is another one, or is missing. */
export const misshapen = (sound: unknown): fc.Arbitrary<unknown> =>
  fc.tuple(place, fc.oneof(strangers, fc.constant(undefined))).map(([at, stranger]) => {
    const places: { holder: Record<string, unknown>; key: string }[] = [];
    const root = { value: structuredClone(sound) };
    const look = (holder: object): void => {
      for (const [key, value] of Object.entries(holder)) {
        places.push({ holder: holder as Record<string, unknown>, key });
        if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array)) look(value);
      }
    };
    look(root);
    const hit = places[at % places.length];
    if (hit && stranger === undefined && hit.holder !== root) delete hit.holder[hit.key];
    else if (hit) hit.holder[hit.key] = stranger ?? null;
    return root.value;
  });
