// Texts of YAML and what they mean to kubectl (Go, sigs.k8s.io/yaml 1.6.0).

/** A value, and what it is read as. */
export const YAML_VALUES: readonly [string, unknown][] = [
  ['yes', true],
  ['Y', true],
  ['on', true],
  ['TRUE', true],
  ['tRue', 'tRue'],
  ['n', false],
  ['Off', false],
  ['~', null],
  ['Null', null],
  ['', null],
  ['017', 15],
  ['0o17', 15],
  ['08', 8],
  ['-017', -15],
  ['+12', 12],
  ['0x1F', 31],
  ['-0x1F', -31],
  ['0b101', 5],
  ['1_000', 1000],
  ['_1', '_1'],
  ['1e3', 1000],
  ['1.', 1],
  ['.5', 0.5],
  ['1_0.5', 10.5],
  ['1e400', '1e400'],
  ['1:30', '1:30'],
  ['2001-01-01', '2001-01-01'],
  ['2001-01-01T10:00:00Z', '2001-01-01T10:00:00Z'],
  ['1.5Gi', '1.5Gi'],
  ['100m', '100m'],
  ['"yes"', 'yes'],
  ["'017'", '017'],
  ['!!str 17', '17'],
  ['!!int "17"', 17],
  ['!!binary aGk=', 'hi'],
  ['[y, 1]', [true, 1]],
  ['[~, {b: null}]', [null, { b: null }]],
  ['.Nan', '.Nan'],
  ['"null"', 'null'],
];

/** What stands in a map, and what that is read as: repeated keys, keys that are no texts, anchors. */
export const YAML_KEYS: readonly [string, unknown][] = [
  ['a: 1\n  a: 2', { a: 2 }],
  ['yes: 1\n  017: 2\n  1.5: 3', { true: 1, 15: 2, '1.5': 3 }],
  ['a: &x {b: 1}\n  c:\n    <<: *x\n    d: 2', { a: { b: 1 }, c: { b: 1, d: 2 } }],
];

/** Merges, with `x`, `w` and `z` as anchors: they happen where they stand, over what stands before them. */
export const YAML_MERGES: readonly [string, unknown][] = [
  ['{k: key, <<: *x}', { k: 'x', deep: { x: 1 } }],
  ['{<<: *x, k: key}', { k: 'key', deep: { x: 1 } }],
  ['{k: key, <<: *x, k: again}', { k: 'again', deep: { x: 1 } }],
  ['{<<: *x, <<: *w}', { k: 'w', deep: { w: 1 } }],
  ['{<<: *w, <<: *x}', { k: 'x', deep: { x: 1 } }],
  ['{<<: [*x, *w]}', { k: 'x', deep: { x: 1 } }],
  ['{k: key, <<: [*w, *x]}', { k: 'w', deep: { w: 1 } }],
  ['{<<: [{k: here}, *x], <<: []}', { k: 'here', deep: { x: 1 } }],
  ['{deep: {key: 1}, <<: {deep: {merged: 1}}}', { deep: { merged: 1 } }],
  ['{k: key, <<: *z}', { k: 'x', deep: { z: 1 } }],
  ['{k: key, <<: {<<: *x, k: inner}}', { k: 'inner', deep: { x: 1 } }],
  ['{017: key, <<: {15: merged}}', { 15: 'merged' }],
  ['{k: key, !!merge <<: *x}', { k: 'x', deep: { x: 1 } }],
  ['{k: key, "<<": *x}', { k: 'key', '<<': { k: 'x', deep: { x: 1 } } }],
  ['{k: <<}', { k: '<<' }],
];

const ANCHORS = ['x: &x {k: x, deep: {x: 1}}', 'w: &w {k: w, deep: {w: 1}}', 'z: &z {k: z, <<: *x, deep: {z: 1}}'];
/** A map with a merge as its key `of`. */
export const withAnchors = (merge: string): string => [...ANCHORS, `of: ${merge}`].join('\n  ');

/** More merged keys than js-yaml takes by itself. */
export const MANY_MERGES = `x: &x {${Array.from({ length: 10 }, (_, at) => `k${at}: ${at}`).join(', ')}}\n  of: [${'{k0: a, <<: *x}, '.repeat(1_500)}]`;

/** What kubectl does not take for documents: more than dashes between two of them, dashes that are indented, half a character. */
export const YAML_REFUSED: readonly [string, RegExp][] = [
  ['--- {a: 1}\n', /^f\.yaml:1: expected --- alone on the line .* found "--- {a: 1}"/],
  ['a: 1\n--- !!map\nb: 1\n', /^f\.yaml:2: expected --- alone/],
  ['----\na: 1\n', /^f\.yaml:1: expected --- alone/],
  ['a: "x\n--- y"\n', /^f\.yaml:2: expected --- alone/],
  [' ---\na: 1\n', /^f\.yaml:1: expected --- alone/],
  ['\n# c\n  ---\na: 1\n', /^f\.yaml:3: expected --- alone/],
  ['a: "\\ud83d"\n', /^f\.yaml:1: a: expected whole characters, found half of one: "\\ud83d"/],
  ['a: [{b: "x \\ude00"}]\n', /^f\.yaml:1: a\[0\]\.b: expected whole characters/],
];
