// Bodies in protocol buffers, as kubectl's `create` commands and typed Go clients send them. Only read: answers are JSON, which
// these clients take as well.
import { badRequest } from '../objects/api-error.ts';
import type { Fields } from '../objects/api-object.ts';
import { schemaOf } from './notation.ts';
import type { Field, FieldType, ObjectType } from './notation.ts';

const magic = Buffer.from('k8s\0');

/** Go sends these even when nobody set them; JSON leaves them out then. */
const leftOutAtZero = new Set([
  'generation',
  'observedGeneration',
  'hostPort',
  'nodePort',
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
  'count',
  'restartCount',
  'active',
  'succeeded',
  'failed',
  'hostNetwork',
  'hostPID',
  'hostIPC',
  'stdin',
  'stdinOnce',
  'tty',
  'readOnly',
  'unschedulable',
  'publishNotReadyAddresses',
  'deprecatedCount',
  'healthCheckNodePort',
  'sizeBytes',
]);

type Wire = { wire: 0; value: bigint } | { wire: 1 | 2 | 5; bytes: Buffer };

/**
 * A body as the JSON object that it stands for, `kind` and `apiVersion` included.
 * @param typeOf the type of a kind, undefined for one that is not known here
 * @throws ApiError 400 for what is no such body
 */
export function readProtobuf(body: Buffer, typeOf: (apiVersion: string, kind: string) => ObjectType | undefined): Fields {
  if (!body.subarray(0, 4).equals(magic)) throw badRequest('the body does not begin as protocol buffers of Kubernetes do');
  const envelope = fieldsIn(body.subarray(4));
  const meta = fieldsIn(bytesOf(envelope, 1));
  const apiVersion = bytesOf(meta, 1).toString();
  const kind = bytesOf(meta, 2).toString();
  const type = kind === 'DeleteOptions' ? schemaOf('DeleteOptions') : typeOf(apiVersion, kind);
  if (!type) throw badRequest(`no kind ${JSON.stringify(kind)} is known in version ${JSON.stringify(apiVersion)}`);
  return { apiVersion, kind, ...messageOf(type, bytesOf(envelope, 2)) };
}

function messageOf(type: ObjectType, bytes: Buffer): Fields {
  const result: Fields = {};
  const found = fieldsIn(bytes);
  // The fields of messages that JSON does not show, by the numbers on the way to them.
  const hidden = new Map<string, ReturnType<typeof fieldsIn>>();
  const within = (way: readonly number[]): ReturnType<typeof fieldsIn> => {
    const last = way.at(-1);
    if (last === undefined) return found;
    const known = hidden.get(way.join()) ?? fieldsIn(bytesOf(within(way.slice(0, -1)), last));
    hidden.set(way.join(), known);
    return known;
  };
  for (const field of type.fields.values()) {
    const number = field.numbers.at(-1);
    if (number === undefined) continue;
    const wires = within(field.numbers.slice(0, -1)).get(number);
    const value = wires && valueOf(field, wires);
    if (value !== undefined) result[field.name] = value;
  }
  return result;
}

function valueOf({ name, type }: Field, wires: readonly Wire[]): unknown {
  if (type.is === 'list') return wires.flatMap((wire) => elementsOf(type.of, wire));
  if (type.is === 'map') {
    return Object.fromEntries(
      wires.map((wire) => {
        const entry = fieldsIn(lengthOf(wire));
        const value = entry.get(2)?.[0];
        return [bytesOf(entry, 1).toString(), value ? scalarOf(type.of, value) : ''];
      }),
    );
  }
  const last = wires.at(-1);
  if (!last) return undefined;
  const value = scalarOf(type, last);
  if (value === '') return undefined;
  return (value === 0 || value === false) && leftOutAtZero.has(name) ? undefined : value;
}

/** Numbers of a list may come one by one or packed into one. */
function elementsOf(type: FieldType, wire: Wire): unknown[] {
  const isNumber = type.is === 'int32' || type.is === 'int64' || type.is === 'boolean';
  if (!isNumber || wire.wire === 0) return [scalarOf(type, wire)];
  const values: unknown[] = [];
  let at = 0;
  while (at < lengthOf(wire).length) {
    const { value, next } = varint(lengthOf(wire), at);
    values.push(scalarOf(type, { wire: 0, value }));
    at = next;
  }
  return values;
}

function scalarOf(type: FieldType, wire: Wire): unknown {
  switch (type.is) {
    case 'object':
      return messageOf(type, lengthOf(wire));
    case 'string':
      return lengthOf(wire).toString();
    case 'bytes':
      return lengthOf(wire).toString('base64');
    case 'int32':
    case 'int64':
      return wire.wire === 0 ? Number(BigInt.asIntN(64, wire.value)) : undefined;
    case 'boolean':
      return wire.wire === 0 ? wire.value !== 0n : undefined;
    case 'quantity':
      return bytesOf(fieldsIn(lengthOf(wire)), 1).toString();
    case 'intOrString': {
      const parts = fieldsIn(lengthOf(wire));
      return numberOf(parts, 1) === 1n ? bytesOf(parts, 3).toString() : Number(BigInt.asIntN(64, numberOf(parts, 2)));
    }
    case 'time':
    case 'microTime': {
      const parts = fieldsIn(lengthOf(wire));
      if (!parts.has(1)) return undefined; // Go's zero time
      const ms = Number(BigInt.asIntN(64, numberOf(parts, 1))) * 1000;
      const micros = numberOf(parts, 2) / 1000n;
      const text = new Date(ms).toISOString().slice(0, 19);
      return type.is === 'time' ? `${text}Z` : `${text}.${String(micros).padStart(6, '0')}Z`;
    }
    case 'number':
    case 'any':
    case 'free':
    case 'list':
    case 'map':
      return undefined; // none of these types has such a field in protocol buffers
    default:
      return type satisfies never;
  }
}

function fieldsIn(bytes: Buffer): Map<number, Wire[]> {
  const found = new Map<number, Wire[]>();
  let at = 0;
  while (at < bytes.length) {
    const tag = varint(bytes, at);
    const wire = Number(tag.value & 7n);
    at = tag.next;
    let value: Wire;
    if (wire === 0) {
      const number = varint(bytes, at);
      at = number.next;
      value = { wire, value: number.value };
    } else if (wire === 1 || wire === 2 || wire === 5) {
      const size = wire === 2 ? varint(bytes, at) : { value: wire === 1 ? 8n : 4n, next: at };
      const end = size.next + Number(size.value);
      if (end > bytes.length) throw cutOff();
      value = { wire, bytes: bytes.subarray(size.next, end) };
      at = end;
    } else throw badRequest(`the body holds a field of the unknown wire type ${wire}`);
    const number = Number(tag.value >> 3n);
    const known = found.get(number);
    if (known) known.push(value);
    else found.set(number, [value]);
  }
  return found;
}

const lengthOf = (wire: Wire): Buffer => (wire.wire === 0 ? Buffer.alloc(0) : wire.bytes);

const bytesOf = (fields: ReadonlyMap<number, Wire[]>, number: number): Buffer => {
  const last = fields.get(number)?.at(-1);
  return last ? lengthOf(last) : Buffer.alloc(0);
};

const numberOf = (fields: ReadonlyMap<number, Wire[]>, number: number): bigint => {
  const last = fields.get(number)?.at(-1);
  return last?.wire === 0 ? last.value : 0n;
};

const longestVarint = 10;

function varint(bytes: Buffer, start: number): { value: bigint; next: number } {
  let value = 0n;
  for (let index = 0; index < longestVarint; index += 1) {
    const byte = bytes[start + index];
    if (byte === undefined) throw cutOff();
    value |= BigInt(byte & 0x7f) << BigInt(7 * index);
    if ((byte & 0x80) === 0) return { value, next: start + index + 1 };
  }
  throw badRequest('the body holds a number that is too long');
}

const cutOff = (): Error => badRequest('the body ends in the middle of a field');
