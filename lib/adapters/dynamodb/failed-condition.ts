// A write that DynamoDB did not do, because what it was conditional on does not hold.
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { nameOf } from '../aws/aws-errors.ts';

export interface LostCondition {
  /** The item that stands there instead; undefined where nothing does, or the request did not ask. */
  current: Record<string, AttributeValue> | undefined;
}

/** @returns undefined for any other failure */
export function lostCondition(error: unknown): LostCondition | undefined {
  if (nameOf(error) !== 'ConditionalCheckFailedException') return undefined;
  // The client leaves it in attribute form.
  const item: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'Item') : undefined;
  return { current: isItem(item) ? item : undefined };
}

/** Of an item that is not there some answer with an empty one. */
const isItem = (value: unknown): value is Record<string, AttributeValue> =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0;
