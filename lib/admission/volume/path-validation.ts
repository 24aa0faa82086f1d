// The API server's rules for paths: those in volumes, below mounts and on the host.
import type { FieldError } from '../../objects/field-error.ts';
import { invalidValue } from '../../objects/refusals.ts';

export const validateNoBacksteps = (path: string, field: string): FieldError[] =>
  path.split('/').includes('..') ? [invalidValue(field, path, "must not contain '..'")] : [];

/** A path below a folder that is not the pod's to choose. */
export function validateDescendingPath(path: string, field: string): FieldError[] {
  const refusals = path.startsWith('/') ? [invalidValue(field, path, 'must be a relative path')] : [];
  return [...refusals, ...validateNoBacksteps(path, field)];
}

/** As `validateDescendingPath`, for a file of a volume: names that begin with two dots are the kubelet's. */
export function validateLocalPath(path: string, field: string): FieldError[] {
  const isReserved = path.startsWith('..') && path !== '..' && !path.startsWith('../');
  return [...validateDescendingPath(path, field), ...(isReserved ? [invalidValue(field, path, "must not start with '..'")] : [])];
}
