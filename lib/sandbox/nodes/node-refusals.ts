// A node's refusal as the answer to the client: the status of the node, with a real server's sentence and the node's own.
import type { IncomingMessage } from 'node:http';
import { ApiError, badRequest, internalError } from '../objects/api-error.ts';
import { wholeBody } from './node-dialer.ts';

/** So much of a node's words is passed on. */
const mostText = 50_000;
const withinMs = 5_000;

const sentences: Readonly<Record<number, readonly [reason: string, sentence: string]>> = {
  401: ['Unauthorized', 'the server has asked for the client to provide credentials'],
  403: ['Forbidden', ''],
  404: ['NotFound', 'the server could not find the requested resource'],
  405: ['MethodNotAllowed', 'the server does not allow this method on the requested resource'],
  409: ['Conflict', 'the server reported a conflict'],
  429: ['TooManyRequests', 'the server has received too many requests and has asked us to try again later'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: ['Timeout', 'the server was unable to return a response in the time allotted, but may still be processing the request'],
};

/** The node's words, and nothing else of its answer. */
export async function textOf(answer: IncomingMessage): Promise<string> {
  return (await wholeBody(answer, { bytes: mostText, withinMs }))?.toString().trim() ?? '';
}

/**
 * A refusal to give a pod's log. A real server leaves out what the node says of a 404 and others; it helps, so here it follows.
 * @param about `pods/log`
 */
export async function refusalOf(answer: IncomingMessage, about: { resource: string; name: string }): Promise<ApiError> {
  const text = await textOf(answer);
  const code = answer.statusCode ?? 0;
  if (code === 500) return internalError(text);
  if (code === 400) return badRequest(text);
  // A kubelet never sends one on, and nobody here follows it.
  if (code < 400) return new ApiError(500, '', `the node answered with the status code ${code}: redirects forbidden`);
  const details = { name: about.name, kind: about.resource };
  const subject = `( ${about.resource} ${about.name})`;
  const [reason, sentence] = sentences[code] ?? ['', ''];
  if (code >= 500 && reason === '') {
    const message = `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding ${subject}`;
    return new ApiError(code, 'InternalError', message, details);
  }
  const plain = sentence || (code === 403 ? text : `the server responded with the status code ${code} but did not return more information`);
  return new ApiError(code, reason, `${plain} ${subject}${code === 403 || text === '' ? '' : `: ${text}`}`, details);
}

/** A refusal to switch protocols: the client gets the node's own sentence. */
export async function upgradeRefusal(answer: IncomingMessage): Promise<ApiError> {
  const text = await textOf(answer);
  const code = answer.statusCode ?? 0;
  if (code < 400) return new ApiError(500, '', `invalid upgrade response: status code ${code}`);
  const [reason = '', sentence = ''] = sentences[code] ?? [{ 400: 'BadRequest', 500: 'InternalError' }[code]];
  return new ApiError(code, reason, text || sentence || `the node answered with the status code ${code}`);
}
