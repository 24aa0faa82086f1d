// What is said of autoscalers: defaults, what is refused, how a status is written, what kubectl's columns show. Nothing scales here.
import { mergePatch, strategicPatch } from '../api-server/client.ts';
import type { Scenario, Step } from './scenario.ts';
import { apply, get, patch, post, put, remove } from './steps.ts';

const autoscalers = '/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers';
const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
const cpu = (averageUtilization: unknown): object => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});

/** What is given goes over what makes it one that is taken. */
const anAutoscaler = (name: string, spec: object = {}): object => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name },
  spec: { scaleTargetRef: target, maxReplicas: 3, ...spec },
});
const dry = (spec: object): Step => post(`${autoscalers}?dryRun=All`, anAutoscaler('a', spec));
const measured = (...metrics: unknown[]): Step => dry({ metrics });
const steered = (behavior: object): Step => dry({ behavior });
const resource = (given: object): object => ({ type: 'Resource', resource: given });
const described = { apiVersion: 'v1', kind: 'Service', name: 'main' };
const ofTarget = (type: string, given: object = {}): object => ({ type, ...given });
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const asTable = (path: string): Step => ({ method: 'GET', path, accept: table });
const withStatus = (status: object, name = 'a'): Step => put(`${autoscalers}/${name}/status`, { ...anAutoscaler(name), status });

export const autoscalerScenarios: Scenario[] = [
  {
    name: 'an autoscaler gets its defaults',
    steps: [
      dry({}),
      dry({ minReplicas: 2 }),
      dry({ metrics: [] }),
      measured(cpu(50)),
      steered({}),
      steered({ scaleUp: {} }),
      steered({ scaleDown: { stabilizationWindowSeconds: 60 } }),
      steered({ scaleUp: { policies: [{ type: 'Pods', value: 2, periodSeconds: 15 }] } }),
      steered({ scaleDown: { selectPolicy: 'Disabled' }, scaleUp: { tolerance: '0.2' } }),
      post(`${autoscalers}?dryRun=All`, { ...anAutoscaler('a'), status: { currentReplicas: 7, desiredReplicas: 7 } }),
    ],
  },
  {
    name: 'an autoscaler that says too little or too much is refused',
    steps: [
      dry({ maxReplicas: 0 }),
      dry({ maxReplicas: -1 }),
      dry({ maxReplicas: 1, minReplicas: 2 }),
      dry({ minReplicas: 0 }),
      dry({ minReplicas: -1 }),
      dry({ maxReplicas: null }),
      dry({ maxReplicas: 'three' }),
      dry({ scaleTargetRef: null }),
      dry({ scaleTargetRef: {} }),
      dry({ scaleTargetRef: { ...target, kind: '' } }),
      dry({ scaleTargetRef: { ...target, name: '' } }),
      dry({ scaleTargetRef: { ...target, kind: 'a/b' } }),
      dry({ scaleTargetRef: { ...target, name: '..' } }),
      dry({ scaleTargetRef: { ...target, apiVersion: 'a/b/c' } }),
      dry({ scaleTargetRef: { kind: 'ReplicationController', name: 'web' } }),
      dry({ scaleTargetRef: { ...target, apiVersion: '' } }),
      post(autoscalers, anAutoscaler('A')),
      post(autoscalers, { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: { name: 'a' } }),
      post(autoscalers, { ...anAutoscaler('a'), apiVersion: 'autoscaling/v3' }),
    ],
  },
  {
    name: 'metrics that do not fit are refused',
    steps: [
      measured({}),
      measured({ type: 'Weather' }),
      measured({ type: 'Resource' }),
      measured({ ...cpu(50), type: 'Pods' }),
      measured({ ...cpu(50), pods: { metric: { name: 'm' }, target: ofTarget('AverageValue', { averageValue: '1' }) } }),
      measured(resource({ name: 'cpu', target: {} })),
      measured(resource({ name: '', target: ofTarget('Utilization', { averageUtilization: 50 }) })),
      measured(resource({ name: 'cpu', target: ofTarget('Utilization') })),
      measured(resource({ name: 'cpu', target: ofTarget('Utilization', { averageUtilization: 0 }) })),
      measured(resource({ name: 'cpu', target: ofTarget('Utilization', { averageUtilization: 50, averageValue: '1' }) })),
      measured(resource({ name: 'cpu', target: ofTarget('Value', { value: '1' }) })),
      measured(resource({ name: 'cpu', target: ofTarget('AverageValue', { averageValue: '-1' }) })),
      measured(resource({ name: 'cpu', target: ofTarget('Often', { averageValue: '1' }) })),
      measured(cpu(50), cpu(60)),
      measured({ type: 'ContainerResource', containerResource: { name: 'cpu', container: '', target: ofTarget('Utilization') } }),
      measured({
        type: 'ContainerResource',
        containerResource: { name: 'cpu', container: 'main', target: ofTarget('Utilization', { averageUtilization: 60 }) },
      }),
      measured({ type: 'Pods', pods: { metric: { name: '' }, target: ofTarget('AverageValue') } }),
      measured({ type: 'Pods', pods: { metric: { name: 'a/b' }, target: ofTarget('AverageValue', { averageValue: '0' }) } }),
      measured({ type: 'Pods', pods: { metric: { name: 'hits' }, target: ofTarget('Value', { value: '10' }) } }),
      measured({ type: 'Pods', pods: { metric: { name: 'hits' }, target: ofTarget('AverageValue', { averageValue: '10' }) } }),
      measured({ type: 'Object', object: { describedObject: {}, metric: { name: 'hits' }, target: ofTarget('Value') } }),
      measured({
        type: 'Object',
        object: { describedObject: described, metric: { name: 'hits' }, target: ofTarget('Value', { value: '5' }) },
      }),
      measured({
        type: 'Object',
        object: { describedObject: described, metric: { name: 'hits' }, target: ofTarget('Value', { value: '5', averageValue: '5' }) },
      }),
      measured({ type: 'External', external: { metric: { name: 'queue' }, target: ofTarget('Value') } }),
      measured({ type: 'External', external: { metric: { name: 'queue' }, target: ofTarget('Value', { value: '5', averageValue: '5' }) } }),
      measured({
        type: 'External',
        external: {
          metric: { name: 'queue', selector: { matchLabels: { a: 'b' } } },
          target: ofTarget('AverageValue', { averageValue: '30' }),
        },
      }),
      measured({
        type: 'External',
        external: {
          metric: { name: 'queue', selector: { matchLabels: { 'a b': 'c' } } },
          target: ofTarget('AverageValue', { averageValue: '1' }),
        },
      }),
      dry({ minReplicas: 0, metrics: [cpu(50)] }),
    ],
  },
  {
    name: 'behaviour that does not fit is refused',
    steps: [
      steered({ scaleUp: { policies: [] } }),
      steered({ scaleUp: { selectPolicy: 'Any' } }),
      steered({ scaleUp: { stabilizationWindowSeconds: -1 } }),
      steered({ scaleDown: { stabilizationWindowSeconds: 3601 } }),
      steered({ scaleUp: { policies: [{}] } }),
      steered({ scaleUp: { policies: [{ type: 'Some', value: 0, periodSeconds: 0 }] } }),
      steered({ scaleDown: { policies: [{ type: 'Percent', value: 10, periodSeconds: 1801 }] } }),
      steered({ scaleUp: { tolerance: '-1' } }),
    ],
  },
  {
    name: 'an autoscaler is kept, changed, applied and deleted',
    steps: [
      post(autoscalers, anAutoscaler('a')),
      post(autoscalers, anAutoscaler('a')),
      get(`${autoscalers}/a`),
      patch(`${autoscalers}/a`, mergePatch, { spec: { maxReplicas: 5 }, status: { currentReplicas: 9 } }),
      patch(`${autoscalers}/a`, mergePatch, { spec: { maxReplicas: 0 } }),
      patch(`${autoscalers}/a`, strategicPatch, { spec: { metrics: [cpu(70)] } }),
      patch(`${autoscalers}/a`, strategicPatch, { spec: { metrics: null } }),
      put(`${autoscalers}/a`, anAutoscaler('a', { minReplicas: 2 })),
      apply(`${autoscalers}/b`, anAutoscaler('b', { metrics: [cpu(40)] })),
      apply(`${autoscalers}/b`, anAutoscaler('b', { metrics: [cpu(45)], minReplicas: 2 })),
      get(`${autoscalers}/a/status`),
      remove(`${autoscalers}/a`),
      get(`${autoscalers}/a`),
    ],
  },
  {
    name: 'the status of an autoscaler is written apart',
    steps: [
      post(autoscalers, anAutoscaler('a')),
      withStatus({ currentReplicas: 2, desiredReplicas: 3, observedGeneration: 1, lastScaleTime: '2026-01-01T00:00:00Z' }),
      withStatus({ currentReplicas: -1, desiredReplicas: -1 }),
      patch(`${autoscalers}/a/status`, mergePatch, {
        metadata: { labels: { a: 'b' } },
        spec: { maxReplicas: 9 },
        status: { desiredReplicas: 4 },
      }),
      patch(`${autoscalers}/a/status`, strategicPatch, {
        status: { conditions: [{ type: 'AbleToScale', status: 'True', reason: 'Ready', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
      }),
      patch(`${autoscalers}/a`, mergePatch, { spec: { maxReplicas: 6 } }),
    ],
  },
  {
    name: 'columns of autoscalers',
    steps: [
      post(autoscalers, anAutoscaler('a')),
      post(
        autoscalers,
        anAutoscaler('b', {
          minReplicas: 2,
          metrics: [
            cpu(50),
            { type: 'Resource', resource: { name: 'memory', target: ofTarget('AverageValue', { averageValue: '1Gi' }) } },
            { type: 'Pods', pods: { metric: { name: 'hits' }, target: ofTarget('AverageValue', { averageValue: '10' }) } },
          ],
        }),
      ),
      post(
        autoscalers,
        anAutoscaler('c', {
          metrics: [
            {
              type: 'Object',
              object: { describedObject: described, metric: { name: 'hits' }, target: ofTarget('Value', { value: '5k' }) },
            },
            { type: 'External', external: { metric: { name: 'queue' }, target: ofTarget('AverageValue', { averageValue: '30' }) } },
          ],
        }),
      ),
      post(
        autoscalers,
        anAutoscaler('d', {
          metrics: [
            { type: 'External', external: { metric: { name: 'queue' }, target: ofTarget('Value', { value: '30' }) } },
            {
              type: 'ContainerResource',
              containerResource: { name: 'cpu', container: 'main', target: ofTarget('Utilization', { averageUtilization: 60 }) },
            },
            {
              type: 'Object',
              object: { describedObject: described, metric: { name: 'hits' }, target: ofTarget('AverageValue', { averageValue: '5' }) },
            },
          ],
        }),
      ),
      put(`${autoscalers}/b/status`, {
        ...anAutoscaler('b'),
        status: {
          currentReplicas: 2,
          desiredReplicas: 2,
          currentMetrics: [
            { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 30, averageValue: '300m' } } },
            { type: 'Resource', resource: { name: 'memory', current: { averageValue: '512Mi' } } },
            { type: 'Pods', pods: { metric: { name: 'hits' }, current: { averageValue: '7' } } },
          ],
        },
      }),
      put(`${autoscalers}/c/status`, {
        ...anAutoscaler('c'),
        status: {
          currentReplicas: 1,
          desiredReplicas: 1,
          currentMetrics: [
            { type: 'Object', object: { describedObject: described, metric: { name: 'hits' }, current: { value: '4k' } } },
            { type: 'External', external: { metric: { name: 'queue' }, current: { averageValue: '12', value: '24' } } },
          ],
        },
      }),
      put(`${autoscalers}/d/status`, {
        ...anAutoscaler('d'),
        status: {
          currentReplicas: 1,
          desiredReplicas: 1,
          currentMetrics: [
            { type: 'External', external: { metric: { name: 'queue' }, current: { value: '24' } } },
            {
              type: 'ContainerResource',
              containerResource: { name: 'cpu', container: 'main', current: { averageUtilization: 30, averageValue: '300m' } },
            },
            {
              type: 'Object',
              object: { describedObject: described, metric: { name: 'hits' }, current: { averageValue: '3', value: '6' } },
            },
          ],
        },
      }),
      asTable(autoscalers),
    ],
  },
];
