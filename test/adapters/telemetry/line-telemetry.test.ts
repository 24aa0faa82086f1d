// Telemetry as lines, for people and for machines: the contract, and what stands in them.
import { describe, expect, test } from '@jest/globals';
import { RecordingTelemetry, SilentTelemetry } from '../../world/recording-telemetry.ts';
import { VirtualClock } from '../../world/virtual-clock.ts';
import { LineTelemetry, type LineTelemetryOptions } from '../../../lib/adapters/telemetry/line-telemetry.ts';
import { telemetryContract, type TelemetryUnderTest } from '../../contracts/telemetry.ts';

const opened = (options: LineTelemetryOptions): { telemetry: LineTelemetry; lines: string[] } => {
  const lines: string[] = [];
  return {
    telemetry: new LineTelemetry({ clock: new VirtualClock({ startMs: 0 }), write: (line) => lines.push(line), ...options }),
    lines,
  };
};

const underTest = (options: LineTelemetryOptions): TelemetryUnderTest => {
  const { telemetry, lines } = opened(options);
  return {
    telemetry,
    said: () => lines,
    sum: (metric, dimensions) =>
      telemetry
        .metrics()
        .find((one) => one.name === metric && Object.entries(dimensions).every(([name, value]) => one.dimensions[name] === value))?.sum ??
      0,
  };
};

telemetryContract('lines of text', () => underTest({ format: 'text' }));
telemetryContract('lines of JSON', () => underTest({ format: 'json' }));
telemetryContract('recording', () => {
  const telemetry = new RecordingTelemetry();
  return {
    telemetry,
    said: () => telemetry.lines.map((line) => JSON.stringify(line)),
    sum: (metric, dimensions) => telemetry.sum(metric, dimensions),
  };
});
telemetryContract('silent', () => ({ telemetry: new SilentTelemetry() }));

describe('line telemetry', () => {
  test('text is for people: time, level, message, fields; quoted where it must be', () => {
    const { telemetry, lines } = opened({});
    telemetry.warn('a watch was silent', { cluster: 'one', ageMs: 61_000, why: 'no bookmark', none: undefined, at: { pods: 3 } });
    expect(lines).toEqual(['1970-01-01T00:00:00.000Z warn  a watch was silent cluster=one ageMs=61000 why="no bookmark" at={"pods":3}']);
  });

  test('in text an error is what it says and what brought it about, said once', () => {
    const { telemetry, lines } = opened({});
    const cause = new Error('no route');
    telemetry.warn('not sent', {
      error: new Error('the queue is out of reach', { cause }),
      again: new Error('failed: no route', { cause }),
    });
    expect(lines[0]).toMatch(/ not sent error="the queue is out of reach: no route" again="failed: no route"$/);
    telemetry.error('failed', { error: new TypeError('undefined is not a function') });
    expect(lines[1]).toContain('line-telemetry.test');
  });

  test('nothing that a cluster says can forge a line', () => {
    const { telemetry, lines } = opened({});
    telemetry.info('seen', { name: 'a\nerror forged', other: '\u001b[31mred', third: 'gpj\u202Eexe\u009B2J', deep: [{ a: '\u2066' }] });
    expect(lines.join('')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
    expect(lines[0]).toContain('third="gpj\\u202eexe\\u009b2J"');
  });

  test('JSON is one object a line', () => {
    const { telemetry, lines } = opened({ format: 'json' });
    telemetry.error('failed', { key: 'c/Job/n/j/u', error: new RangeError('too much', { cause: new Error('why') }), big: 7n });
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
      {
        time: '1970-01-01T00:00:00.000Z',
        level: 'error',
        message: 'failed',
        key: 'c/Job/n/j/u',
        error: { name: 'RangeError', message: 'too much', cause: { name: 'Error', message: 'why' } },
        big: '7',
      },
    ]);
  });

  test('no field takes the place of time, level or message', () => {
    const { telemetry, lines } = opened({ format: 'json' });
    telemetry.info('said', { message: 'forged', level: 'error', time: 'never' });
    expect(JSON.parse(lines[0] ?? '')).toEqual({ time: '1970-01-01T00:00:00.000Z', level: 'info', message: 'said' });
  });

  test('a mistake of our own brings its place along', () => {
    const { telemetry, lines } = opened({ format: 'json' });
    telemetry.error('failed', { error: new TypeError('undefined is not a function') });
    expect(lines[0]).toContain('line-telemetry.test');
  });

  test('lines below the level are dropped', () => {
    const { telemetry, lines } = opened({ level: 'warn' });
    for (const level of ['debug', 'info', 'warn', 'error'] as const) telemetry[level](level);
    expect(lines.map((line) => line.split(/ +/)[1])).toEqual(['warn', 'error']);
  });

  test('metrics tell how often, how much and the most', () => {
    const { telemetry } = opened({});
    for (const value of [5, 20, 10]) telemetry.count('PassDuration', value, 'Milliseconds', { kind: 'Job' });
    telemetry.count('Acted', 1, 'Count');
    expect(telemetry.metrics()).toEqual([
      { name: 'Acted', unit: 'Count', dimensions: {}, count: 1, sum: 1, max: 1 },
      { name: 'PassDuration', unit: 'Milliseconds', dimensions: { kind: 'Job' }, count: 3, sum: 35, max: 20 },
    ]);
  });

  test('dimensions without end do not fill the memory', () => {
    const { telemetry } = opened({});
    for (let index = 0; index < 5_000; index++) telemetry.count('Odd', 1, 'Count', { name: String(index) });
    expect(telemetry.metrics()).toHaveLength(2_000);
  });
});
