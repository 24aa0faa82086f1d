// The worked cases Q1 to Q26 and Q28: classes by requests and limits.
import { describe, expect, test } from '@jest/globals';
import type { PodSpec } from '../../../lib/objects/kubernetes.ts';
import { podQosClassOf, qosClassOf } from '../../../lib/objects/pods/qos-class.ts';

type Amounts = Record<string, string>;
interface Resources {
  requests?: Amounts;
  limits?: Amounts;
}

/** `request cpu,memory / limit cpu,memory`; `–` absent. */
function resourcesOf(text: string): Resources {
  const [requests = {}, limits = {}] = text.split(' / ').map((list): Amounts => {
    const [cpu = '–', memory = '–'] = list.split(',');
    return { ...(cpu !== '–' && { cpu }), ...(memory !== '–' && { memory }) };
  });
  return { requests, limits };
}

const whole = (text: string, ...containers: string[]): PodSpec => ({ ...apps(...containers), resources: resourcesOf(text) });
const apps = (...texts: string[]): PodSpec => ({
  containers: texts.map((text, at) => ({ name: `c${at}`, resources: text === 'none' ? {} : resourcesOf(text) })),
});
const init = (text: string, restartPolicy?: string): Pick<PodSpec, 'initContainers'> => {
  const [container = { name: '' }] = apps(text).containers;
  return { initContainers: [{ ...container, name: 'first', ...(restartPolicy !== undefined && { restartPolicy }) }] };
};
const of = (resources: Resources): PodSpec => ({ containers: [{ name: 'c0', resources }] });
const EQUAL = '100m,100Mi / 100m,100Mi';

describe('by what it asks for', () => {
  test.each<[string, PodSpec, string]>([
    ['Q1', apps(EQUAL), 'Guaranteed'],
    ['Q2', apps(EQUAL, EQUAL), 'Guaranteed'],
    ['Q3', apps('none', 'none'), 'BestEffort'],
    ['Q4', apps('none'), 'BestEffort'],
    ['Q5', apps('none', '1,– / 2,–'), 'Burstable'],
    ['Q6', apps('none', '10m,100Mi / 10m,100Mi'), 'Burstable'],
    ['Q7', apps('–,100Mi / –,100Mi'), 'Burstable'],
    ['Q8', apps('100m,100Mi / –'), 'Burstable'],
    ['Q9', apps('1,100Mi / 2,100Mi', EQUAL), 'Burstable'],
    ['Q10', apps('100m,100Mi / 200m,200Mi', '100m,100Mi / –'), 'Burstable'],
    ['Q11', apps('10m,100Mi / 100m,200Mi'), 'Burstable'],
    ['Q12', apps('0,0 / 100m,200Mi'), 'Burstable'],
    ['Q13', of({ requests: { cpu: '0', memory: '0', 'hugepages-2Mi': '1Gi' }, limits: { 'hugepages-2Mi': '1Gi' } }), 'BestEffort'],
    ['Q14', { ...apps('none'), ...init('10m,100Mi / 100m,200Mi') }, 'Burstable'],
    ['Q15', whole('10m,100Mi / 10m,100Mi', 'none'), 'Guaranteed'],
    ['Q16', whole('10m,100Mi / 10m,100Mi', '3m,10Mi / 5m,20Mi'), 'Guaranteed'],
    ['Q17', whole('10m,10Mi / 20m,50Mi', 'none'), 'Burstable'],
    ['Q18', whole('10m,10Mi / 20m,50Mi', '5m,10Mi / 5m,10Mi'), 'Burstable'],
    ['Q19', whole('10m,10Mi / –', '5m,10Mi / –'), 'Burstable'],
    ['Q20', whole('10m,10Mi / 5m,–', '5m,10Mi / –', '5m,10Mi / 5m,10Mi'), 'Burstable'],
    ['Q21', apps('1000m,1Gi / 1,1024Mi'), 'Guaranteed'],
    ['Q22', { ...apps(EQUAL), ...init('none', 'Always') }, 'Burstable'],
    ['Q23', { ...apps(EQUAL), ...init(EQUAL) }, 'Guaranteed'],
    ['Q24', apps('0,0 / 0,0'), 'BestEffort'],
    ['Q25', { containers: [] }, 'BestEffort'],
    ['Q28', of({ requests: { 'nvidia.com/gpu': '1' }, limits: { 'nvidia.com/gpu': '1' } }), 'BestEffort'],
  ])('%s', (_, spec, expected) => expect(qosClassOf(spec)).toBe(expected));

  test('a pod that says nothing of itself is what its containers are', () => {
    expect(qosClassOf(whole('–', EQUAL))).toBe('Guaranteed');
  });
});

describe('by its status', () => {
  const pod = (qosClass?: string) => ({ metadata: {}, spec: apps(EQUAL), status: { ...(qosClass !== undefined && { qosClass }) } });

  test('Q26: what it says, though it is wrong', () => expect(podQosClassOf(pod('Burstable'))).toBe('Burstable'));
  test('nothing: computed', () => expect([pod(), pod('')].map(podQosClassOf)).toEqual(['Guaranteed', 'Guaranteed']));
  test('something else: none', () => expect(podQosClassOf(pod('Other'))).toBeUndefined());
});
