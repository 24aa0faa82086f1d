// Who asks, as API Gateway's authorizer says: the IAM identity that signed the request, or the person whom a token is for.
import { fieldsOf, textOf } from '../../objects/values/untyped-fields.ts';

const LONGEST = 300;
/** Claims by which people know each other come before the one that is only unique. */
const CLAIMS = ['email', 'preferred_username', 'username', 'cognito:username', 'client_id', 'sub'];

/** @param authorizer of the event's `requestContext` */
export function callerIn(authorizer: object): string {
  const { iam, jwt } = fieldsOf(authorizer);
  const claims = fieldsOf(fieldsOf(jwt)['claims']);
  const named = textOf(fieldsOf(iam)['userArn']) || CLAIMS.map((claim) => textOf(claims[claim])).find((value) => value !== '');
  return (named || 'somebody whom the gateway let in').slice(0, LONGEST);
}
