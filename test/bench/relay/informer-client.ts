// The informer of @kubernetes/client-node as its documentation shows it, on the same server.
import { CoreV1Api, KubeConfig, makeInformer } from '@kubernetes/client-node';
import { measureEvents } from './measure.ts';

const [url = '', events = '0', pods = '0'] = process.argv.slice(2);
const measure = measureEvents(Number(events));
const config = new KubeConfig();
config.loadFromClusterAndUser({ name: 'bench', server: url, skipTLSVerify: true }, { name: 'bench' });
const api = config.makeApiClient(CoreV1Api);
const informer = makeInformer(config, '/api/v1/pods', () => api.listPodForAllNamespaces());
let added = 0;
informer.on('add', () => {
  added += 1;
  if (added === Number(pods)) measure.listed();
});
informer.on('update', () => measure.seen(1));
informer.on('error', (error) => console.error(error));
await informer.start();
