// A server for the tests of one file, with a client: opened before them, closed after them.
import { afterAll, beforeAll } from '@jest/globals';
import type { ApiServer } from './client.ts';
import { ApiClient } from './client.ts';

/** A control plane whose binaries are missing is built first. */
const LONGEST_START_MS = 20 * 60_000;

/** @returns the client, once the tests run */
export function clientOf(open: () => Promise<ApiServer>): () => ApiClient {
  let api: ApiClient | undefined;
  beforeAll(async () => {
    api = new ApiClient(await open());
  }, LONGEST_START_MS);
  afterAll(async () => {
    api?.close();
    await api?.server.close();
  });
  return () => {
    if (!api) throw new Error('the server is opened with the first test');
    return api;
  };
}
