// Version 1 as it was first written: frozen. A later build reads all of this, whatever it writes itself; a change that makes one of these
// tests fail is another version, and needs a reader of its own beside the old one. docs/decisions/0008-versions.md says how.
import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { RecordingTelemetry } from '../world/recording-telemetry.ts';
import { giveBackUnreadable } from '../../lib/reconciler/invocation/unreadable.ts';
import { encodeEvents, decodeEvents } from '../../lib/wire/events.ts';
import { decodeAsk, decodeTimer, decodeWake, encodeClusterLook, encodeRunLook, encodeWake } from '../../lib/wire/messages.ts';
import { NewerVersionError, UndecodableMessageError } from '../../lib/wire/words/undecodable.ts';
import { packPart, unpackPart } from '../../lib/wire/view-item.ts';
import { ENSEMBLE } from '../kinds/made-up-kind.ts';
import { asFirstWritten, KINDS, read } from './version-1.ts';

interface Golden {
  kind: string;
  what: string;
  /** As it lies in a queue or a table. */
  written: string;
  reads: unknown;
}

const goldenOf = (version: number): Golden[] =>
  JSON.parse(readFileSync(join(import.meta.dirname, `version-${version}.json`), 'utf8')) as Golden[];
const GOLDEN = goldenOf(1);
const writtenOf = (kind: string): string => GOLDEN.find((golden) => golden.kind === kind)?.written ?? '';

describe('version 1', () => {
  test.each(GOLDEN)('$kind: $what is read as on the first day', async ({ kind, written, reads }) => {
    expect(await read(kind, written)).toEqual(reads);
  });

  test('every kind of message and item is among them', () => {
    expect([...new Set(GOLDEN.map(({ kind }) => kind))].toSorted()).toEqual(KINDS.toSorted());
  });

  test('what this build writes says the same when it is read, and that it is version 1', async () => {
    const message = decodeEvents(writtenOf('events'));
    const again = encodeEvents(message);
    expect(await read('events', again)).toEqual(GOLDEN.find(({ kind }) => kind === 'events')?.reads);
    const part = unpackPart(Buffer.from(writtenOf('view'), 'base64'));
    expect(unpackPart(packPart(part))).toEqual(part);
    for (const bytes of [Buffer.from(again, 'base64'), packPart(part)]) expect(bytes[0]).toBe(1);
  });
});

describe('version 2', () => {
  const [look, events, item] = goldenOf(2);

  test('of a message has children other than pods: read as on the first day, and written so again', () => {
    const message = decodeEvents(events?.written ?? '', { findKind: () => ENSEMBLE });
    expect(asFirstWritten(message)).toEqual(events?.reads);
    const again = encodeEvents(message);
    expect([decodeEvents(again, { findKind: () => ENSEMBLE }), Buffer.from(again, 'base64')[0]]).toEqual([message, 2]);
  });

  test('of a view item has children of one resource: read as on the first day, and written so again', () => {
    const part = unpackPart(Buffer.from(item?.written ?? '', 'base64'));
    expect({ ...part, children: [...part.children.values()] }).toEqual(item?.reads);
    expect([unpackPart(packPart(part)), packPart(part)[0]]).toEqual([part, 2]);
  });

  test('of the wakes queue has looks at clusters: written and read as on the first day', () => {
    expect(encodeClusterLook({ look: 'cluster', cluster: 'west-1' })).toBe(look?.written);
    expect(decodeWake(look?.written ?? '')).toEqual(look?.reads);
  });

  test('is a later one to functions that know wakes only: the look is left to those that know it, and no dead letter', () => {
    // The reader of timers knows no step of a run that is of the wakes queue: it is what the one of wakes was before.
    expect(() => decodeTimer(encodeRunLook({ look: 'run', run: 'nightly' }))).toThrow(new NewerVersionError('timer', 5, 2));
    expect(encodeWake({ key: 'k', follows: 'f' })).not.toContain('version');
  });
});

/** The same bytes under the next version's number: nobody knows yet what will stand in it. */
const next = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from([3]), bytes.subarray(1)]);

describe('a later version', () => {
  const body = next(Buffer.from(writtenOf('events'), 'base64')).toString('base64');

  test('of a message or an item is refused in a sentence that says which is known', () => {
    for (const reading of [() => decodeEvents(body), () => unpackPart(next(Buffer.from(writtenOf('view'), 'base64')))])
      expect(reading).toThrow(new NewerVersionError('what was packed is', 3, 2));
    const wake = { key: 'west/Job/a/b/u', follows: 'f', version: 7, somethingElse: [] };
    for (const [decode, known] of [
      [decodeWake, 6],
      [decodeTimer, 2],
      [decodeAsk, 2],
    ] as const)
      expect(() => decode(JSON.stringify(wake))).toThrow(new RegExp(`of version 7; this build reads up to version ${known}$`));
  });

  test('damage is no later version', () => {
    const far = Buffer.concat([Buffer.from([200]), deflateRawSync(Buffer.from('x'))]);
    expect(() => unpackPart(far)).toThrow(UndecodableMessageError);
    expect(() => unpackPart(far)).not.toThrow(NewerVersionError);
  });

  test('of a message is not hurried into the dead letters, as what nobody can read is', async () => {
    const hurried: string[] = [];
    const queue = { changeVisibility: async (_name: string, handle: string) => void hurried.push(handle) } as never;
    const telemetry = new RecordingTelemetry();
    for (const [receiptHandle, error] of [
      ['later', new NewerVersionError('a wake', 2, 1)],
      ['damaged', new UndecodableMessageError('no JSON')],
    ] as const)
      await giveBackUnreadable({ queue, telemetry }, 'wakes', { messageId: 'm', receiptHandle, receiveCount: 1 }, { error });
    expect(hurried).toEqual(['damaged']);
    expect(telemetry.sum('UnreadableMessages')).toBe(2);
  });
});

describe('a field that a later build added within the version', () => {
  test('of a wake, a timer or an ask is passed over', () => {
    for (const { kind, written, reads } of GOLDEN.filter(({ kind: each }) => ['wake', 'delayed', 'ask'].includes(each))) {
      const body = JSON.stringify({ ...(JSON.parse(written) as object), later: { of: 'some use' } });
      const decode = { wake: decodeWake, delayed: decodeTimer, ask: decodeAsk }[kind as 'wake'];
      expect(decode(body)).toEqual(reads);
    }
  });
});
