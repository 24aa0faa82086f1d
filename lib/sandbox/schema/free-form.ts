// Values without a declared shape, as custom resources may hold: kept as they are, and owned map entry by map entry.
import { isFields } from '../objects/api-object.ts';
import type { Field, FieldType, MapType, ObjectType, ScalarType } from './notation.ts';

const free: ScalarType = { is: 'free' };
const freeMap: MapType = { is: 'map', of: free };
const whole: ScalarType = { is: 'any' };

/** The shape of a free-form value for field ownership: a map of free-form values, or (a list, a scalar, a null) one value. */
export function shapeOf(type: FieldType, value: unknown): FieldType {
  if (type.is !== 'free') return type;
  return isFields(value) ? freeMap : whole;
}

/** The field of that name; undefined where the type declares none and does not keep unknown ones. */
export function fieldIn(type: ObjectType, name: string): Field | undefined {
  const declared = type.fields.get(name);
  if (declared || !type.keepsUnknown) return declared;
  return { name, required: false, atomic: false, isEmbedded: false, values: undefined, numbers: [], type: free };
}

/** An object that keeps all that it is given. Without a name: OpenAPI describes it where it stands. */
export const freeObject: ObjectType = { is: 'object', name: '', isWhole: false, keepsUnknown: true, fields: new Map() };
