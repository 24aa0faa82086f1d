// The contract of the API server on the real one: what the sandbox is measured by.
import { apiServerContract } from '../contracts/api-server.ts';
import { openReferenceServer } from './reference-server.ts';

apiServerContract('kube-apiserver 1.36.3', async () => await openReferenceServer({ controllers: '*,-job' }));
