// What people, and programs of other people, do in a story of an ensemble.
import { objectOf, type NewObject } from '../../../../lib/kinds/rows/actions.ts';
import { PODS } from '../../../../lib/objects/resources.ts';
import { CONFIG_MAPS, ENSEMBLE_LABEL, ENSEMBLES, SEAT_LABEL, SERVICES, type Ensemble } from '../../../world/kinds/ensemble/ensemble.ts';
import { ensembleFacts } from '../../../world/kinds/ensemble/facts.ts';
import { NAMESPACE, type SimApiServer } from '../../api-server.ts';

const MERGE = 'application/merge-patch+json';
const DELETE = { kind: 'DeleteOptions', apiVersion: 'v1' };
const PLAYER = { restartPolicy: 'Never', containers: [{ name: 'player', image: 'example.com/player' }] };

type Act = (api: SimApiServer) => Promise<unknown>;

export const form =
  (name: string, spec: Ensemble['spec']): Act =>
  (api) =>
    api.as('POST', ENSEMBLES, {
      namespace: NAMESPACE,
      body: { apiVersion: ENSEMBLES.apiVersion, kind: ENSEMBLES.kind, metadata: { name }, spec },
    });

export const change =
  (name: string, spec: Partial<Ensemble['spec']>): Act =>
  (api) =>
    api.as('PATCH', ENSEMBLES, { name, body: { spec }, type: MERGE });

export const disband =
  (name: string): Act =>
  (api) =>
    api.as('DELETE', ENSEMBLES, { name, body: { ...DELETE, propagationPolicy: 'Background' } });

export const removeService =
  (name: string): Act =>
  (api) =>
    api.as('DELETE', SERVICES, { name, body: DELETE });

/** No watch selects it any more (trap 1). */
export const unlabelService =
  (name: string): Act =>
  (api) =>
    api.as('PATCH', SERVICES, { name, body: { metadata: { labels: { [ENSEMBLE_LABEL]: null } } }, type: MERGE });

/** What a load balancer tells of a service. Nobody compares it. */
export const serviceIsReached =
  (name: string, ip: string): Act =>
  (api) =>
    api.as('PATCH', SERVICES, { name, subresource: 'status', body: { status: { loadBalancer: { ingress: [{ ip }] } } }, type: MERGE });

export const removePod =
  (name: string): Act =>
  (api) =>
    api.as('DELETE', PODS, { name, body: DELETE });

/** Somebody else's pod has the name of a seat. */
export const takeSeat =
  (name: string): Act =>
  (api) =>
    api.as('POST', PODS, { namespace: NAMESPACE, body: { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: PLAYER } });

/** Somebody else's service has the name of a seat, and the label of the ensemble. */
export const takeService =
  (name: string, ensemble: string): Act =>
  (api) =>
    api.as('POST', SERVICES, {
      namespace: NAMESPACE,
      body: {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name, labels: { [ENSEMBLE_LABEL]: ensemble } },
        spec: { ports: [{ port: 80 }] },
      },
    });

/** Somebody edits the config map by hand. */
export const muddleOrder =
  (ensemble: string): Act =>
  (api) =>
    api.as('PATCH', CONFIG_MAPS, { name: `${ensemble}-order`, body: { data: { order: 'nobody' } }, type: MERGE });

/** With a pod and a service that another operator has made: of the right names, and without a number. */
export const formWithLeftovers =
  (name: string, spec: Ensemble['spec']): Act =>
  async (api) => {
    await form(name, spec)(api);
    const owner = api.owners().find(({ metadata }) => metadata.name === name) as Ensemble | undefined;
    if (!owner) return;
    const seat = `${name}-strings-0`;
    const pod = objectOf(ensembleFacts, owner, PODS, { metadata: { name: seat, labels: { [SEAT_LABEL]: 'strings-0' } }, spec: PLAYER });
    const selector = { [SEAT_LABEL]: 'strings-0' };
    const service = objectOf<NewObject>(ensembleFacts, owner, SERVICES, {
      metadata: { name: seat },
      spec: { selector, ports: [{ port: 80 }] },
    });
    delete service.metadata.labels?.[ENSEMBLE_LABEL];
    await api.as('POST', PODS, { body: pod });
    await api.as('POST', SERVICES, { body: service });
  };
