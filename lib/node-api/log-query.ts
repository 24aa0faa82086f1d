// The query of a container's log, as a kubelet takes it (spec sections 15 and 24.8a). An empty parameter counts as absent.
import type { LogRequest } from '../objects/log-request.ts';
import { badRequest } from './refusal.ts';

const TRUE = ['1', 't', 'T', 'true', 'True', 'TRUE'];
const FALSE = ['0', 'f', 'F', 'false', 'False', 'FALSE'];
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** @throws NodeRefusalError 400 */
export function logRequestOf(query: URLSearchParams, { container, nowMs }: { container: string; nowMs: number }): LogRequest {
  const tailLines = wholeNumberIn(query, 'tailLines', 0);
  const follow = flagIn(query, 'follow');
  const limitBytes = wholeNumberIn(query, 'limitBytes', 1);
  const previous = flagIn(query, 'previous');
  const sinceSeconds = wholeNumberIn(query, 'sinceSeconds', 1);
  const sinceTimeMs = timeIn(query, 'sinceTime');
  if (sinceSeconds !== undefined && sinceTimeMs !== undefined) throw badRequest('both "sinceSeconds" and "sinceTime" are set');
  const timestamps = flagIn(query, 'timestamps');
  const sinceMs = sinceSeconds === undefined ? sinceTimeMs : nowMs - sinceSeconds * 1_000;
  return {
    container,
    ...(tailLines !== undefined && { tailLines }),
    ...(limitBytes !== undefined && { limitBytes }),
    ...(sinceMs !== undefined && { sinceMs }),
    ...(follow && { follow }),
    ...(previous && { previous }),
    ...(timestamps && { timestamps }),
  };
}

const textIn = (query: URLSearchParams, name: string): string | undefined => query.get(name) || undefined;

function wholeNumberIn(query: URLSearchParams, name: string, least: number): number | undefined {
  const text = textIn(query, name);
  if (text === undefined) return undefined;
  if (!/^[+-]?\d{1,100}$/.test(text)) throw unparsed(name, `${JSON.stringify(text)} is no whole number`);
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw unparsed(name, `${JSON.stringify(text)} is out of range`);
  if (number < least) throw badRequest(`"${name}" is ${number}`);
  return number;
}

function flagIn(query: URLSearchParams, name: string): true | undefined {
  const text = textIn(query, name);
  if (text === undefined || FALSE.includes(text)) return undefined;
  if (TRUE.includes(text)) return true;
  throw unparsed(name, `${JSON.stringify(text)} is neither true nor false`);
}

function timeIn(query: URLSearchParams, name: string): number | undefined {
  const text = textIn(query, name);
  if (text === undefined) return undefined;
  const timeMs = TIME.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(timeMs)) throw unparsed(name, `${JSON.stringify(text)} is no time such as 2026-01-02T15:04:05Z`);
  return timeMs;
}

const unparsed = (name: string, detail: string): Error => badRequest(`could not parse "${name}": ${detail}`);
