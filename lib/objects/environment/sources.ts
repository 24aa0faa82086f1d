// Objects that a pod's environment and volumes name, as they were read a moment ago.
import type { PodAddresses } from './downward-fields.ts';
import type { KubernetesObject, Pod } from '../kubernetes.ts';
import type { Service } from './service-variables.ts';

export type SourceKind = 'ConfigMap' | 'Secret';

/** An object that holds values: `data` of a Secret and `binaryData` of a ConfigMap are in base64. */
export interface Source extends KubernetesObject {
  data?: Readonly<Record<string, string>>;
  binaryData?: Readonly<Record<string, string>>;
}

/** `unreadable` says why it may not be read. */
export type ReadSource = { source: Source } | { absent: true } | { unreadable: string };

/** Of the pod's service account. `isWithheld`: the node's provider is to have none. */
export type ReadToken = { token: string } | { absent: true } | { unreadable: string } | { isWithheld: true };

export interface SourceName {
  kind: SourceKind;
  /** In the pod's namespace. */
  name: string;
}

export interface VolumeFile {
  /** Below the volume's mount, without `..`. */
  path: string;
  /** Permission bits, as a number: 420 is 0644. */
  mode: number;
  /** In base64. */
  data: string;
}

/** Of a volume that holds data of the API server, in the order of the pod's volumes. */
export interface VolumeContent {
  name: string;
  /** By path. */
  files: VolumeFile[];
}

/** A token that a volume asks for. */
export interface TokenAsk {
  /** Absent: the API server's own. */
  audience?: string;
  expirationSeconds: number;
}

export interface Around {
  sourceOf: (named: SourceName) => ReadSource;
  tokenOf: (ask: TokenAsk) => ReadToken;
  /** Those of the pod's namespace, and the API server's. */
  services: readonly Service[];
  /** Of the node, by resource. */
  allocatable: Readonly<Record<string, string>>;
  /** Absent: its provider knows them once it runs. */
  addresses?: PodAddresses;
}

/** A Warning about the pod. It names objects and keys, and no value. */
export interface ResolutionEvent {
  reason: string;
  message: string;
}

/** A pod with nothing left to look up, as its provider gets it. */
export interface ResolvedPod extends Pod {
  volumeContents?: readonly VolumeContent[];
  /** The objects that environment and volumes come from. */
  sources?: readonly Source[];
}
