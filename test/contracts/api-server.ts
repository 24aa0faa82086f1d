// What the embedded API server claims to do, said as tests that any API server can be put to. The real one is the judge of the
// tests, the tests are the judge of the embedded one: `test/cluster/api-server.test.ts` and `sandbox-api-server.test.ts`.
import { afterAll, beforeAll, describe } from '@jest/globals';
import type { ApiServer } from './api-server/client.ts';
import { ApiClient } from './api-server/client.ts';
import { bodiesContract } from './api-server/bodies.ts';
import { controllersContract } from './api-server/controllers.ts';
import { deletionContract } from './api-server/deletion.ts';
import { discoveryContract } from './api-server/discovery.ts';
import { forgottenHistoryContract } from './api-server/forgotten-history.ts';
import { jobStatusContract } from './api-server/job-status.ts';
import { jobValidationContract } from './api-server/job-validation.ts';
import { jobsContract } from './api-server/jobs.ts';
import { listsContract } from './api-server/lists.ts';
import type { Suite } from './api-server/objects.ts';
import { objectsContract } from './api-server/objects-and-versions.ts';
import { patchesContract } from './api-server/patches.ts';
import { podsContract } from './api-server/pods.ts';
import { recordsContract } from './api-server/records.ts';
import { tablesContract } from './api-server/tables.ts';
import { watchesContract } from './api-server/watches.ts';

export type { ApiServer } from './api-server/client.ts';

const openPatienceMs = 120_000;

/**
 * Runs the whole contract against one server, opened once.
 * @param open starts it; garbage collection and the namespaces' end must be at work in it (a controller manager, or built in), a
 *   Job controller, a scheduler and nodes must not
 */
export function apiServerContract(name: string, open: () => Promise<ApiServer>): void {
  describe(`API server: ${name}`, () => {
    let api: ApiClient | undefined;
    beforeAll(async () => {
      api = new ApiClient(await open());
    }, openPatienceMs);
    afterAll(async () => {
      api?.close();
      await api?.server.close();
    }, 30_000);
    const suite: Suite = {
      api: () => {
        if (api === undefined) throw new Error('the server is not open');
        return api;
      },
    };
    discoveryContract(suite);
    bodiesContract(suite);
    objectsContract(suite);
    listsContract(suite);
    watchesContract(suite);
    patchesContract(suite);
    deletionContract(suite);
    podsContract(suite);
    jobsContract(suite);
    jobValidationContract(suite);
    jobStatusContract(suite);
    recordsContract(suite);
    tablesContract(suite);
    controllersContract(suite);
    forgottenHistoryContract(suite);
  });
}
