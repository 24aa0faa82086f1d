// The contract of the simulated node on a real API server.
import { simulatedNodeContract } from '../contracts/simulated-node.ts';
import { openReferenceServer } from './reference-server.ts';

simulatedNodeContract('kube-apiserver 1.36.3', openReferenceServer);
