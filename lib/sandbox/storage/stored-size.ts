// How much an object takes where it is stored. A real API server hands it to etcd in protocol buffers, and etcd refuses a request
// that is larger than 1.5 MiB; in JSON the same object may be several times as large, or smaller.
import { tooLargeToStore } from '../objects/api-error.ts';
import { isFields } from '../objects/api-object.ts';
import type { ApiObject } from '../objects/api-object.ts';
import { fieldIn } from '../schema/free-form.ts';
import type { FieldType, ObjectType } from '../schema/notation.ts';

const largestRequestBytes = 1.5 * 1024 * 1024;
/** Of the request to etcd besides the object: key, conditions, and fields that are written though empty. Found by trying. */
const besideObjectBytes = 200;

/**
 * The object as it is stored: without the owners of its fields where it is too large with them.
 * @throws ApiError 500, as from a real server, where it is too large all the same
 */
export function storable(type: ObjectType, object: ApiObject): ApiObject {
  if (!mayBeTooLarge(object) || fits(type, object)) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  const lighter = { ...object, metadata };
  if (fits(type, lighter)) return lighter;
  throw tooLargeToStore();
}

const fits = (type: ObjectType, object: ApiObject): boolean => bytesOf(type, object) + besideObjectBytes <= largestRequestBytes;

/** Objects are small: a look that needs no type, and stops as soon as it is not sure. */
function mayBeTooLarge(object: ApiObject): boolean {
  let left = largestRequestBytes - besideObjectBytes;
  const isOver = (value: unknown): boolean => {
    // No character takes more than three bytes, and no number, tag or length more than ten.
    left -= typeof value === 'string' ? 3 * value.length + 20 : 20;
    if (left < 0 || typeof value !== 'object' || value === null) return left < 0;
    return Object.entries(value).some(([key, part]: [string, unknown]) => {
      left -= 3 * key.length;
      return isOver(part);
    });
  };
  return isOver(object);
}

/** In protocol buffers. */
function bytesOf(type: FieldType, value: unknown): number {
  if (value === null || value === undefined) return 0;
  switch (type.is) {
    case 'object': {
      if (!isFields(value)) return 0;
      let sum = 0;
      for (const [name, part] of Object.entries(value)) {
        const field = fieldIn(type, name);
        if (field) sum += fieldBytes(field.type, part);
      }
      return sum;
    }
    case 'bytes':
      return Math.floor((textBytes(value) * 3) / 4);
    case 'string':
      return textBytes(value);
    case 'quantity':
    case 'intOrString':
      return textBytes(value) + 4;
    case 'int32':
    case 'int64':
    case 'number':
      return Number(value) < 0 ? 10 : varintBytes(Number(value));
    case 'boolean':
      return 1;
    case 'time':
    case 'microTime':
      return 10;
    case 'any':
    case 'free':
      return Buffer.byteLength(JSON.stringify(value));
    case 'list':
    case 'map':
      return 0; // counted with their field
    default:
      return type satisfies never;
  }
}

/** A value with what names it and says how long it is. */
function fieldBytes(type: FieldType, value: unknown): number {
  if (type.is === 'list') return Array.isArray(value) ? value.reduce<number>((sum, item) => sum + fieldBytes(type.of, item), 0) : 0;
  if (type.is === 'map') {
    if (!isFields(value)) return 0;
    return Object.entries(value).reduce((sum, [key, item]) => sum + framed(framed(textBytes(key)) + fieldBytes(type.of, item)), 0);
  }
  return framed(bytesOf(type, value));
}

const framed = (bytes: number): number => 1 + varintBytes(bytes) + bytes;

const textBytes = (value: unknown): number => Buffer.byteLength(String(value));

const varintBytes = (value: number): number => Math.max(1, Math.ceil(Math.log2(Math.abs(value) + 1) / 7));
