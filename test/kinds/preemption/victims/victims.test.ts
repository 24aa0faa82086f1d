// The worked cases P1 to P41: who is evicted, in both orderings.
import { describe, expect, test } from '@jest/globals';
import type { Pod } from '../../../../lib/objects/kubernetes.ts';
import type { Requirement } from '../../../../lib/kinds/preemption/victims/requirements.ts';
import { chooseVictims } from '../../../../lib/kinds/preemption/victims/victims.ts';
import { asking, FILE_SOURCE, fixtures, MIRRORED, named, needing, podOf } from '../fixtures.ts';

const { tiny, be, b, hrb, hpb, g, hrg, cc, nc } = fixtures;
const noneFree = (text: string): string => `no set of running pods found to reclaim resources: ${text}`;
const [be0, be1, be2] = [0, 1, 2].map((at) => named(be, `be${at}`)) as [Pod, Pod, Pod];
const [b0, b1, b2, b3] = [0, 1, 2, 3].map((at) => named(b, `b${at}`)) as [Pod, Pod, Pod, Pod];
const x = podOf('x', { requests: asking(400, 50) });
const y = podOf('y', { requests: asking(50, 400) });
const z = podOf('z', { requests: asking(250, 250) });
const GPU = 'nvidia.com/gpu';
const u = podOf('u', { requests: { ...asking(100, 100), [GPU]: '2' } });
const v = podOf('v', { requests: { ...asking(1000, 1000), [GPU]: '1' } });
const lo = podOf('lo', { requests: asking(200, 200), priority: -5 });
const hi = podOf('hi', { requests: asking(200, 200), priority: 1000 });
const g9 = podOf('g9', { requests: asking(200, 200), limits: asking(200, 200), priority: 0 });
const all110 = Array.from({ length: 110 }, (_, at) => named(tiny, `tiny${at}`));
const fromFile = podOf('static', { requests: asking(100, 100), annotations: FILE_SOURCE });
const mirror = podOf('mirror', { requests: asking(100, 100), annotations: MIRRORED });
const small = (name: string, cpu: number, mebibytes: number): Pod => podOf(name, { requests: asking(cpu, mebibytes) });
const gpus = (quantity: number): Requirement[] => [{ resource: GPU, quantity: BigInt(quantity) }];

interface Row {
  preemptor?: Pod;
  candidates: Pod[];
  needs: Requirement[];
  /** Names in the order of eviction, or the end of the error. */
  qos: string[] | string;
  /** As `qos` unless given. */
  priority?: string[];
}

const rows: Record<string, Row> = {
  P1: { candidates: [], needs: [], qos: [] },
  P2: { candidates: [], needs: needing(0, 0, 1), qos: '[(res: pods, q: 1), ]' },
  P3: { candidates: [b], needs: needing(100, 100, 1), qos: ['b'] },
  P4: { candidates: [b], needs: needing(200, 200, 2), qos: '[(res: cpu, q: 100), (res: memory, q: 104857600), (res: pods, q: 1), ]' },
  P5: { candidates: [b, be], needs: needing(0, 0, 1), qos: ['be'] },
  P6: { candidates: [b, g], needs: needing(0, 0, 1), qos: ['b'] },
  P7: { candidates: [be, hrb, b], needs: needing(100, 100, 0), qos: ['b'] },
  P8: { candidates: [be, b, hrb], needs: needing(150, 150, 0), qos: ['hrb'] },
  P9: { candidates: [be, b, hrb, g, hrg], needs: needing(350, 350, 0), qos: ['hrb', 'b'] },
  P10: { candidates: [be, b, hrb, g, hrg], needs: needing(0, 550, 0), qos: ['hrb', 'hrg'], priority: ['hrg', 'hrb'] },
  P11: { candidates: [be, hrb, g, hrg], needs: needing(0, 350, 0), qos: ['hrb', 'g'], priority: ['g', 'hrb'] },
  P12: { preemptor: nc, candidates: [cc], needs: needing(100, 0, 0), qos: ['cc'] },
  P13: { candidates: [nc], needs: needing(100, 0, 0), qos: '[(res: cpu, q: 100), ]' },
  P14: { candidates: [g, hpb], needs: needing(100, 0, 0), qos: ['hpb'], priority: ['g'] },
  P15: { candidates: [be, g, hrb, hpb], needs: needing(0, 500, 0), qos: ['hrb', 'hpb'], priority: ['hpb', 'hrb'] },
  P16: { preemptor: be, candidates: all110, needs: needing(110, 0, 0), qos: '[(res: cpu, q: 110), ]' },
  P17: {
    candidates: all110,
    needs: needing(110, 0, 0),
    // The last one first, and what took its place after it.
    qos: all110.map(({ metadata }) => metadata.name ?? '').toReversed(),
  },
  P18: { candidates: [b0, b1, b2, b3], needs: needing(100, 0, 0), qos: ['b3'] },
  P19: { candidates: [b0, b1, b2, b3], needs: needing(200, 0, 0), qos: ['b3', 'b2'] },
  P20: { candidates: [x, y, z], needs: needing(200, 200, 0), qos: ['z'] },
  P21: { candidates: [x, y, z], needs: needing(300, 300, 0), qos: ['z', 'x'] },
  P22: { candidates: [be0, be1, be2, b], needs: needing(0, 0, 2), qos: ['be2', 'be1'] },
  P23: {
    candidates: [be0, be1, be2, b, g],
    needs: needing(0, 0, 4),
    qos: ['be2', 'be1', 'be0', 'b'],
    priority: ['b', 'be2', 'be1', 'be0'],
  },
  P24: {
    candidates: [be0, be1, be2, b, g],
    needs: needing(0, 0, 5),
    qos: ['be2', 'be1', 'be0', 'b', 'g'],
    priority: ['g', 'b', 'be2', 'be1', 'be0'],
  },
  P25: { candidates: [be0, be1, be2, b, g], needs: needing(0, 0, 6), qos: '[(res: pods, q: 1), ]' },
  P26: { preemptor: fromFile, candidates: [b], needs: needing(100, 0, 0), qos: ['b'] },
  P27: { preemptor: fromFile, candidates: [named(fromFile, 'other')], needs: needing(100, 0, 0), qos: '[(res: cpu, q: 100), ]' },
  P28: { preemptor: fromFile, candidates: [cc], needs: needing(100, 0, 0), qos: '[(res: cpu, q: 100), ]' },
  P29: { preemptor: fromFile, candidates: [mirror], needs: needing(100, 0, 0), qos: '[(res: cpu, q: 100), ]' },
  P30: { candidates: [u, v, b], needs: gpus(1), qos: ['u'] },
  P31: { candidates: [u, v, b], needs: gpus(3), qos: ['u', 'v'] },
  P32: { candidates: [u, v, b], needs: gpus(4), qos: '[(res: nvidia.com/gpu, q: 1), ]' },
  P33: { candidates: [b, be], needs: needing(500, 50, 1), qos: '[(res: cpu, q: 400), ]' },
  P34: { candidates: [lo, hi, g9], needs: needing(150, 0, 0), qos: ['hi'], priority: ['lo'] },
  P35: { candidates: [hi, g9], needs: needing(150, 0, 0), qos: ['hi'], priority: ['g9'] },
  P36: { candidates: [lo, hi, g9], needs: needing(350, 0, 0), qos: ['hi', 'lo'], priority: ['g9', 'lo'] },
  P37: { candidates: [be, b], needs: needing(50, 0, 0), qos: ['b'] },
  P38: { candidates: [small('a', 60, 10), small('d', 50, 10), small('c', 100, 10)], needs: needing(90, 0, 0), qos: ['c'] },
  P39: { candidates: [small('a', 60, 10), small('d', 60, 10), small('c', 100, 100)], needs: needing(110, 0, 0), qos: ['c', 'd'] },
  P40: { candidates: [{ ...b, status: { qosClass: 'Guaranteed' } }, g], needs: needing(100, 0, 0), qos: ['g'] },
  P41: { candidates: [b0, b1], needs: needing(0, 0, 0), qos: [] },
};

describe.each(Object.entries(rows))('%s', (_, { preemptor = cc, candidates, needs, qos, priority = qos }) => {
  test.each([
    ['qos', qos],
    ['priority', priority],
  ] as const)('by %s', (ordering, expected) => {
    const choose = (): string[] =>
      chooseVictims({ preemptor, candidates, requirements: needs, ordering }).map(({ metadata }) => metadata.name ?? '');
    if (typeof expected === 'string') expect(choose).toThrow(noneFree(expected));
    else expect(choose()).toEqual(expected);
  });
});
