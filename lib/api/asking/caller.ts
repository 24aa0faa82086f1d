// Who asks, as API Gateway's authorizer says: the IAM identity that signed the request, or the person whom a token is for.
import { fieldsOf, textOf } from '../../objects/values/untyped-fields.ts';

const LONGEST = 300;
/** Claims by which people know each other. Some issuers let their users change them. */
const NAMES = ['email', 'preferred_username', 'username', 'cognito:username', 'client_id'];

/** @param authorizer of the event's `requestContext` */
export function callerIn(authorizer: object): string {
  const { iam, jwt } = fieldsOf(authorizer);
  const claims = fieldsOf(fieldsOf(jwt)['claims']);
  const arn = textOf(fieldsOf(iam)['userArn']);
  if (arn !== '') return arn.slice(0, LONGEST);
  const subject = textOf(claims['sub']).slice(0, LONGEST / 2);
  const name = NAMES.map((claim) => textOf(claims[claim])).find((value) => value !== '') ?? '';
  if (subject === '' || subject === name) return name.slice(0, LONGEST) || subject || 'somebody whom the gateway let in';
  // Nobody takes another one's subject: with it a name that somebody gave themselves deceives nobody.
  const told = ` (${subject})`;
  return name === '' ? subject : `${name.slice(0, LONGEST - told.length)}${told}`;
}
