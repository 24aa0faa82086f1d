// What simulated containers use: a running one uses what it requests.
import type { Pod } from '../objects/kubernetes.ts';
import { fieldsOf } from '../objects/values/untyped-fields.ts';
import { isQuantity, parseQuantity } from '../objects/values/quantity.ts';

const USUAL = { cpu: '10m', memory: '16Mi' };

export interface PlayedFigures {
  name: string;
  startedAtMs: number;
  cpuSeconds: number;
  cpuCores: number;
  memoryBytes: number;
}

export function playedFigures({ spec, status = {} }: Pod, nowMs: number): PlayedFigures[] {
  return spec.containers.flatMap(({ name, resources }) => {
    const startedAt = status.containerStatuses?.find((each) => each.name === name)?.state?.running?.startedAt;
    const startedAtMs = Date.parse(startedAt ?? '');
    if (Number.isNaN(startedAtMs)) return [];
    const requests = fieldsOf(fieldsOf(resources)['requests']);
    const amount = (resource: 'cpu' | 'memory'): number => {
      const asked = requests[resource];
      const text = typeof asked === 'string' || typeof asked === 'number' ? String(asked) : USUAL[resource];
      return Number(parseQuantity(isQuantity(text) ? text : USUAL[resource]).nanos) / 1e9;
    };
    const [cpuCores, memoryBytes] = [amount('cpu'), amount('memory')];
    return [{ name, startedAtMs, cpuCores, cpuSeconds: (cpuCores * Math.max(nowMs - startedAtMs, 0)) / 1_000, memoryBytes }];
  });
}
