// Values that answers of the API are made of. Objects of answers are `v.object`: a later version may add fields, and clients pass them over.
import * as v from 'valibot';

export const text = v.string();
export const yes = v.boolean();
export const number = v.number();
/** `written`: what the description has in place of the schema. */
export const time = v.pipe(v.string(), v.metadata({ written: { format: 'date-time' } }));
export const day = v.pipe(v.string(), v.metadata({ written: { format: 'date' } }));
export const whole = v.pipe(v.number(), v.integer());
export const count = v.pipe(v.number(), v.integer(), v.minValue(0));
export const amount = v.pipe(v.number(), v.minValue(0));
/** An object of Kubernetes, or of another version: any fields. */
export const anyObject = v.looseObject({}) as unknown as v.GenericSchema<object>;

/** The type of an answer. Nobody changes one that was given. */
export type Told<Schema extends v.GenericSchema> = Frozen<v.InferOutput<Schema>>;
type Frozen<Value> = Value extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Frozen<Value[Name]> }
    : Value;
