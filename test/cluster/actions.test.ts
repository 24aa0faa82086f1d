// The contract of actions on a real API server.
import { actionsContract } from '../contracts/actions.ts';
import { drainingContract } from '../contracts/draining.ts';
import { overHttps } from '../contracts/cluster-over-https.ts';
import { openReferenceServer } from './reference-server.ts';

actionsContract('kube-apiserver 1.36.3', async () => overHttps(await openReferenceServer()));
drainingContract('kube-apiserver 1.36.3', async () => overHttps(await openReferenceServer()));
