// One real server for several contracts of a file: a start takes seconds, and the contracts leave each other's objects alone.
import { afterAll } from '@jest/globals';
import type { ApiServer } from '../contracts/api-server/client.ts';
import { openReferenceServer } from './reference-server.ts';

/** @returns opens the server for the first contract, gives the same to all others, and ends it after the file */
export function oneServer(): () => Promise<ApiServer> {
  let opened: Promise<ApiServer> | undefined;
  afterAll(async () => (await opened)?.close());
  return async () => {
    opened ??= openReferenceServer();
    return { ...(await opened), close: () => Promise.resolve() };
  };
}
