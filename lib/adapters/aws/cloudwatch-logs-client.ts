// The part of the SDK's client that functions use, imported late: asked for by name, the rest of the client stays out of their bundles.
export {
  CloudWatchLogsClient,
  FilterLogEventsCommand,
  GetQueryResultsCommand,
  StartQueryCommand,
  StopQueryCommand,
} from '@aws-sdk/client-cloudwatch-logs';
