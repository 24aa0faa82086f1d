// The adapter that dials an API server passes the contract of its port, on a real one.
import { overHttps } from '../contracts/cluster-over-https.ts';
import { clusterContract } from '../contracts/cluster.ts';
import { openReferenceServer } from './reference-server.ts';

clusterContract('kube-apiserver 1.36.3', async () => overHttps(await openReferenceServer()));
