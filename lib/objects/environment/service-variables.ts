// The variables that tell a container of the services around it.
import type { KubernetesObject } from '../kubernetes.ts';

export interface ServicePort {
  name?: string;
  port: number;
  protocol?: string;
}

export interface Service extends KubernetesObject {
  spec?: { clusterIP?: string; ports?: readonly ServicePort[]; [field: string]: unknown };
}

/** The service of the API server itself, which every pod hears of. */
export const API_SERVER_SERVICE = { namespace: 'default', name: 'kubernetes' } as const;

/**
 * @param services those of the pod's namespace, and the API server's
 * @param areLinked the pod's `enableServiceLinks`; false: it hears of the API server's alone
 */
export function serviceVariables(
  services: readonly Service[],
  { namespace, areLinked }: { namespace: string; areLinked: boolean },
): Map<string, string> {
  const byName = new Map<string, Service>();
  for (const service of services) {
    const { name = '', namespace: where } = service.metadata;
    if (!hasAddress(service)) continue;
    const isOwn = areLinked && where === namespace;
    const isApiServers = where === API_SERVER_SERVICE.namespace && name === API_SERVER_SERVICE.name;
    // One of this name in the pod's own namespace replaces the API server's, whatever the order.
    if (isOwn || (isApiServers && !byName.has(name))) byName.set(name, service);
  }
  return new Map([...byName].flatMap(([name, service]) => variablesOf(name, service)));
}

const hasAddress = ({ spec }: Service): boolean => spec?.clusterIP !== undefined && spec.clusterIP !== '' && spec.clusterIP !== 'None';

function variablesOf(name: string, { spec: { clusterIP = '', ports = [] } = {} }: Service): [string, string][] {
  const [first] = ports;
  if (!first) return [];
  const prefix = inCapitals(name);
  const host = clusterIP.includes(':') ? `[${clusterIP}]` : clusterIP;
  const addressOf = ({ port, protocol = 'TCP' }: ServicePort): string => `${protocol.toLowerCase()}://${host}:${port}`;
  return [
    [`${prefix}_SERVICE_HOST`, clusterIP],
    [`${prefix}_SERVICE_PORT`, String(first.port)],
    [`${prefix}_PORT`, addressOf(first)],
    ...ports.flatMap((each): [string, string][] => {
      const { name: portName = '', port, protocol = 'TCP' } = each;
      const ofPort = `${prefix}_PORT_${port}_${protocol.toUpperCase()}`;
      return [
        ...(portName === '' ? [] : [[`${prefix}_SERVICE_PORT_${inCapitals(portName)}`, String(port)] as [string, string]]),
        [ofPort, addressOf(each)],
        [`${ofPort}_PROTO`, protocol.toLowerCase()],
        [`${ofPort}_PORT`, String(port)],
        [`${ofPort}_ADDR`, clusterIP],
      ];
    }),
  ];
}

const inCapitals = (name: string): string => name.toUpperCase().replaceAll('-', '_');
