// The part of the SDK's client that functions use, imported late: asked for by name, the rest of the client stays out of their bundles.
export { DynamoDBClient } from '@aws-sdk/client-dynamodb';
