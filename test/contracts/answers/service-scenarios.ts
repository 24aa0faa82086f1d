// What is said of services and of config maps that somebody shares: what is filled in, what is refused, how ports are merged.
import { mergePatch, strategicPatch } from '../api-server/client.ts';
import type { Scenario, Step } from './scenario.ts';
import { apply, configMaps, get, patch, post, put, remove } from './steps.ts';

const services = '/api/v1/namespaces/{ns}/services';

const aService = (name: string, spec: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { selector: { app: name }, ports: [{ port: 80 }], ...spec },
});
const headless = { clusterIP: 'None', publishNotReadyAddresses: true };
const dry = (spec: object): Step => post(`${services}?dryRun=All`, aService('a', spec));
const aConfigMap = (more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a' },
  data: { hosts: 'one' },
  ...more,
});

export const serviceScenarios: Scenario[] = [
  {
    name: 'services get their defaults',
    steps: [
      dry(headless),
      dry({ ...headless, ports: [] }),
      dry({ ...headless, selector: undefined }),
      dry({
        ...headless,
        ports: [
          { name: 'a', port: 80, targetPort: 'http' },
          { name: 'b', port: 81, protocol: 'UDP' },
        ],
      }),
      dry({ type: 'ExternalName', externalName: 'example.com', ports: [] }),
      dry({ sessionAffinity: 'ClientIP' }),
    ],
  },
  {
    name: 'services that do not fit are refused',
    steps: [
      dry({ ports: [] }),
      dry({ ports: [{}] }),
      dry({ ports: [{ port: 0 }, { port: 65536 }] }),
      dry({
        ports: [
          { name: 'a', port: 80 },
          { name: 'a', port: 81 },
        ],
      }),
      dry({
        ports: [
          { name: 'a', port: 80 },
          { name: 'b', port: 80 },
        ],
      }),
      dry({ ports: [{ name: 'A_b', port: 80 }] }),
      dry({ ports: [{ port: 80, targetPort: 'Not a name' }] }),
      dry({ ports: [{ port: 80, targetPort: 70000 }] }),
      dry({ ports: [{ port: 80, protocol: 'ICMP' }] }),
      dry({ type: 'Nowhere' }),
      dry({ selector: { 'a b': 'c' } }),
      dry({ sessionAffinity: 'Sometimes' }),
      post(`${services}?dryRun=All`, aService('1a')),
      post(`${services}?dryRun=All`, aService('A')),
    ],
  },
  {
    name: 'a headless service is changed and deleted',
    steps: [
      post(services, aService('a', headless)),
      patch(`${services}/a`, mergePatch, { spec: { selector: { app: 'b' } } }),
      patch(`${services}/a`, strategicPatch, {
        spec: {
          ports: [
            { port: 80, name: 'http' },
            { port: 81, name: 'more' },
          ],
        },
      }),
      patch(`${services}/a`, strategicPatch, { spec: { ports: [{ port: 81, $patch: 'delete' }] } }),
      put(`${services}/a`, aService('a', { ...headless, publishNotReadyAddresses: false })),
      patch(`${services}/a`, mergePatch, { spec: { clusterIP: '10.0.0.9' } }),
      patch(`${services}/a/status`, mergePatch, { status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } }),
      apply(`${services}/b`, aService('b', headless)),
      apply(`${services}/b`, aService('b', { clusterIP: 'None' })),
      remove(`${services}/a`),
      get(`${services}/a`),
    ],
  },
  {
    name: 'a config map that nobody may change any more',
    steps: [
      post(configMaps, aConfigMap()),
      put(`${configMaps}/a`, aConfigMap({ data: { hosts: 'one,two' } })),
      put(`${configMaps}/a`, aConfigMap({ data: { 'no/key': 'x' } })),
      apply(`${configMaps}/a`, aConfigMap({ data: { more: 'three' } })),
      patch(`${configMaps}/a`, mergePatch, { immutable: true }),
      patch(`${configMaps}/a`, mergePatch, { data: { hosts: 'x' } }),
      patch(`${configMaps}/a`, mergePatch, { immutable: false }),
      patch(`${configMaps}/a`, mergePatch, { metadata: { labels: { a: 'b' } } }),
      remove(`${configMaps}/a`),
    ],
  },
];
