// What a registration of the cluster `far` with the stage `prod` comes to.
import type { RegistrationRequest } from '../../lib/onboarding/registration-plan.ts';
import { planRegistration } from '../../lib/onboarding/registration-plan.ts';

const QUEUE = 'https://sqs.eu-central-1.amazonaws.com/123456789012/farloop-prod-events';
export const PLACE = {
  installation: {
    stage: 'prod',
    stackName: 'farloop-prod',
    eventsQueueUrl: QUEUE,
    eventsQueueArn: 'arn:aws:sqs:eu-central-1:123456789012:farloop-prod-events',
    viewsTable: 'views',
    clustersTable: 'clusters',
    secretPrefix: 'farloop/prod/clusters/',
    functionsRoleArn: 'arn:aws:iam::123456789012:role/reconcile',
    functionsRoleId: 'AROARECONCILE',
    allowLoopback: false,
  },
  region: 'eu-central-1',
};
export const SURVEY = {
  kubeSystemUid: 'uid',
  version: 'v1.36.0',
  issuer: 'https://issuer.example.com',
  namespaceIsForeign: false,
  record: undefined,
};
/** With nothing but what must be given. */
export const REQUEST: RegistrationRequest = {
  cluster: 'far',
  manages: ['jobs'],
  namespaces: [],
  budget: { writesPerSecond: 100, burst: 200 },
  relayNamespace: 'farloop',
  image: 'farloop-relay:1',
  identity: { kind: 'user' },
  credential: { kind: 'serviceAccount', tokenSeconds: 86_400 },
  server: { server: 'https://kubeconfig.example.com', caPem: 'ca' },
};
/** As REQUEST, where nothing else is said. */
export const registered = (change: Partial<RegistrationRequest> = {}): ReturnType<typeof planRegistration> =>
  planRegistration(PLACE, { ...REQUEST, ...change }, SURVEY);
