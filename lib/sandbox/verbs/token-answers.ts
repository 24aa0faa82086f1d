// Requests for tokens of service accounts.
import { badRequest } from '../objects/api-error.ts';
import { jsonOf, readObject } from '../http/body.ts';
import type { ApiRequest, ApiResponse } from '../http/request.ts';
import { tokenRequests } from '../access/reviews.ts';
import { Version } from '../storage/version.ts';
import { strictnessOf } from '../http/field-validation.ts';
import { renderObject, representationOf } from './representation.ts';
import { answerObject } from './writing.ts';
import type { Cluster, WriteContext } from './writing.ts';
import type { Reviewing } from '../objects/asker.ts';
import type { ServiceAccountTokens } from '../access/service-account-tokens.ts';

export interface TokenQuestion {
  tokens: ServiceAccountTokens;
  account: Version;
  reviewing: Reviewing;
  context: WriteContext;
}

/** @throws ApiError 400, 404, 409, 422 */
export function answerTokenRequest(
  cluster: Cluster,
  request: ApiRequest,
  { tokens, account, reviewing, context }: TokenQuestion,
): ApiResponse {
  const body = jsonOf(request, tokenRequests.kind);
  const { object, warnings } = readObject(cluster.resources, tokenRequests, body, strictnessOf(request));
  context.warnings?.push(...warnings);
  const { namespace } = object.metadata;
  if (namespace !== undefined && namespace !== account.object.metadata.namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  const row = { ...tokenRequests, answer: () => tokens.answer(account, tokenRequests.rules.defaults(object)) };
  const answered = answerObject(cluster, object, reviewing, { ...context, row, subresource: 'token' });
  const representation = representationOf(request.headers['accept'], request.query);
  const headers = { 'Content-Type': representation.contentType };
  const version = new Version('', 0, { object: answered });
  return { status: 201, headers, body: renderObject(row, version, representation, cluster.surroundings.now()) };
}
