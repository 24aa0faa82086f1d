// AWS's list prices in one dated place: one region, US dollars, without free tier or discount. The console's estimate, the dashboard's and
// `npm run bench cost` use them. Prices change and differ by region: docs/costs.md says how to compare each one again.

interface Price {
  dollars: number;
  /** The unit that the price buys. */
  per: string;
  /** AWS's page with this price. */
  page: string;
}

export const PRICES_AS_OF = '2026-11-21';
export const PRICES_REGION = 'us-east-1';

const MILLION = 1e6;
const page = (service: string): string => `https://aws.amazon.com/${service}/pricing/`;

export const LIST_PRICES = {
  /** Each started 64 KB of a request's payload counts as a request. */
  sqsStandardRequest: { dollars: 0.4 / MILLION, per: 'request', page: page('sqs') },
  /** For a standard queue whose messages have a group. Includes the surcharge of fair queues, $ 0.10 a million. */
  sqsFairRequest: { dollars: 0.5 / MILLION, per: 'request', page: page('sqs') },
  sqsFifoRequest: { dollars: 0.5 / MILLION, per: 'request', page: page('sqs') },
  lambdaInvocation: { dollars: 0.2 / MILLION, per: 'invocation', page: page('lambda') },
  lambdaArmGbSecond: { dollars: 0.0000133334, per: 'GB-second on arm64, first 7.5 billion a month', page: page('lambda') },
  dynamodbWriteUnit: { dollars: 0.625 / MILLION, per: 'write request unit, on demand', page: page('dynamodb') },
  dynamodbReadUnit: { dollars: 0.125 / MILLION, per: 'read request unit, on demand', page: page('dynamodb') },
  logGb: { dollars: 0.5, per: 'GB taken in by CloudWatch Logs', page: page('cloudwatch') },
  logScannedGb: { dollars: 0.005, per: 'GB scanned by a query of CloudWatch Logs Insights', page: page('cloudwatch') },
  alarmMonth: { dollars: 0.1, per: 'alarm and month', page: page('cloudwatch') },
  customMetricMonth: { dollars: 0.3, per: 'metric and month, first 10,000', page: page('cloudwatch') },
  dashboardMonth: { dollars: 3, per: 'dashboard and month', page: page('cloudwatch') },
  secretMonth: { dollars: 0.4, per: 'secret and month', page: page('secrets-manager') },
  secretCall: { dollars: 5 / MILLION, per: 'call', page: page('secrets-manager') },
  httpApiRequest: { dollars: 1 / MILLION, per: 'request, first 300 million a month', page: page('api-gateway') },
} as const satisfies Record<string, Price>;

/** GB of memory. Must equal serverless.yml. */
export const FUNCTION_GB = { ingest: 0.5, reconcile: 1, timers: 0.25, sweep: 0.5, api: 0.5 } as const;
