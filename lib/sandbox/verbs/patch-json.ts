// JSON patch (RFC 6902). It knows nothing of types, but how much it may ask for, as kube-apiserver does: so many operations, and so
// many bytes that `copy` makes of what is there. 27 copies of a list into itself would be gigabytes.
import { badRequest, tooLarge, unprocessable } from '../objects/api-error.ts';
import { isFields, isSame } from '../objects/api-object.ts';
import type { Fields } from '../objects/api-object.ts';

const mostOperations = 10_000;
/** As JSON, of all values that a patch copies. */
const mostCopiedBytes = 3 * 1024 * 1024;

type Operation =
  | { op: 'add' | 'replace' | 'test'; path: string[]; value: unknown }
  | { op: 'move' | 'copy'; path: string[]; from: string[] }
  | { op: 'remove'; path: string[] };

/**
 * A copy of the target with a JSON patch applied.
 * @throws ApiError 400 for what is no patch, 413 for too many operations, 422 where a path is missing, a test fails or too much is copied
 */
export function jsonPatched(target: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch)) {
    const found = isFields(patch) ? 'object' : typeof patch;
    throw badRequest(`error decoding patch: json: cannot unmarshal ${found} into Go value of type []handlers.jsonPatchOp`);
  }
  if (patch.length > mostOperations)
    throw tooLarge(`The allowed maximum operations in a JSON patch is ${mostOperations}, got ${patch.length}`);
  if (patch.includes(null)) throw unprocessable();
  let root: unknown = structuredClone(target);
  let copiedBytes = 0;
  for (const operation of patch.map(operationOf)) {
    const { path } = operation;
    switch (operation.op) {
      case 'test':
        // An absent value equals null.
        if (!isSame(valueAt(root, path) ?? null, operation.value ?? null)) throw unprocessable();
        break;
      case 'add':
        root = added(root, path, structuredClone(operation.value));
        break;
      case 'replace':
        root = replaced(root, path, structuredClone(operation.value));
        break;
      case 'remove':
        removeAt(root, path);
        break;
      case 'copy': {
        const text = JSON.stringify(copiedFrom(root, operation.from));
        copiedBytes += Buffer.byteLength(text);
        if (copiedBytes > mostCopiedBytes) throw unprocessable();
        root = added(root, path, JSON.parse(text));
        break;
      }
      case 'move': {
        const { from } = operation;
        const value = existingAt(root, from);
        if (path.length > from.length && from.every((word, at) => word === path[at])) throw unprocessable();
        removeAt(root, from);
        root = added(root, path, value);
      }
    }
  }
  return root;
}

const operationNames = new Set(['add', 'remove', 'replace', 'move', 'copy', 'test']);

function operationOf(step: unknown): Operation {
  // It can be read, and cannot be done.
  if (isFields(step) && typeof step['op'] === 'string' && !operationNames.has(step['op'])) throw unprocessable();
  if (!isFields(step) || typeof step['op'] !== 'string') {
    throw badRequest(`error decoding patch: unexpected kind: ${isFields(step) ? JSON.stringify(step['op']) : JSON.stringify(step)}`);
  }
  const { op, path: given, from, value } = step;
  if (typeof given !== 'string' || (given !== '' && !given.startsWith('/')))
    throw badRequest('error decoding patch: an operation needs a path that begins with /');
  const path = wordsOf(given);
  if (op === 'remove') return { op, path };
  if (op === 'move' || op === 'copy') {
    if (typeof from !== 'string') throw badRequest(`error decoding patch: ${op} needs a path "from"`);
    if (from !== '' && !from.startsWith('/')) throw unprocessable();
    return { op, path, from: wordsOf(from) };
  }
  if (value === undefined && op !== 'test') throw badRequest(`error decoding patch: ${op} needs a value`);
  return { op: op === 'add' || op === 'replace' ? op : 'test', path, value };
}

/** A JSON pointer taken apart. */
const wordsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((word) => word.replaceAll('~1', '/').replaceAll('~0', '~'));

/** The place of an element, undefined for what is no place of one. */
function placeIn(list: readonly unknown[], word: string): number | undefined {
  const place = /^(?:0|[1-9]\d{0,8})$/.test(word) ? Number(word) : -1;
  return place >= 0 && place < list.length ? place : undefined;
}

/** Own fields only: `constructor` is a name like any other. */
function childOf(parent: unknown, word: string): unknown {
  if (Array.isArray(parent)) {
    const place = placeIn(parent, word);
    return place === undefined ? undefined : parent[place];
  }
  return isFields(parent) && Object.hasOwn(parent, word) ? parent[word] : undefined;
}

/** @returns undefined where there is nothing */
const valueAt = (root: unknown, path: readonly string[]): unknown => path.reduce(childOf, root);

function existingAt(root: unknown, path: readonly string[]): unknown {
  const value = valueAt(root, path);
  if (value === undefined) throw unprocessable();
  return value;
}

/** A field that is not there is copied as null; the whole is not copied into itself. */
function copiedFrom(root: unknown, from: readonly string[]): unknown {
  const { holder, word } = holderOf(root, from);
  return Array.isArray(holder) ? existingAt(root, from) : (childOf(holder, word) ?? null);
}

/** The parent of the value at a path. @throws ApiError 422 where it is neither list nor object */
function holderOf(root: unknown, path: readonly string[]): { holder: unknown[] | Fields; word: string } {
  const holder = valueAt(root, path.slice(0, -1));
  const word = path.at(-1);
  if (word === undefined || !(Array.isArray(holder) || isFields(holder))) throw unprocessable();
  return { holder, word };
}

function added(root: unknown, path: readonly string[], value: unknown): unknown {
  if (path.length === 0) return value;
  const { holder, word } = holderOf(root, path);
  if (!Array.isArray(holder)) setField(holder, word, value);
  else if (word === '-' || word === String(holder.length)) holder.push(value);
  else {
    const place = placeIn(holder, word);
    if (place === undefined) throw unprocessable();
    holder.splice(place, 0, value);
  }
  return root;
}

/** A field that is not there is added; an element must be there. */
function replaced(root: unknown, path: readonly string[], value: unknown): unknown {
  if (path.length === 0) return value;
  const { holder, word } = holderOf(root, path);
  if (!Array.isArray(holder)) setField(holder, word, value);
  else {
    existingAt(root, path);
    holder[Number(word)] = value;
  }
  return root;
}

function removeAt(root: unknown, path: readonly string[]): void {
  existingAt(root, path);
  const { holder, word } = holderOf(root, path);
  if (Array.isArray(holder)) holder.splice(Number(word), 1);
  else delete holder[word];
}

/** `__proto__` becomes a field, never a prototype. */
const setField = (holder: Fields, word: string, value: unknown): void => {
  Object.defineProperty(holder, word, { value, enumerable: true, configurable: true, writable: true });
};
