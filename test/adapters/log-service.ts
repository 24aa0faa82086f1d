// CloudWatch Logs as far as reading a group back goes, over HTTP: filters of one or two equalities, pages, both ends of the time included.
import { createServer } from 'node:http';
import { listening } from '../listening.ts';

export interface LogService {
  endpoint: string;
  /** Everything in the group, with the time at which it came. */
  events: { timestamp: number; message: string }[];
  /** What was asked for. */
  requests: Record<string, unknown>[];
  /** What happens while it looks for an answer. */
  beforeAnswer: () => Promise<void>;
  stop: () => Promise<void>;
}

/** @param pageSize lines looked at for one answer, whether they match or not */
export async function startLogService(pageSize = 3): Promise<LogService> {
  const events: LogService['events'] = [];
  const requests: LogService['requests'] = [];
  const service: LogService = { endpoint: '', events, requests, beforeAnswer: async () => {}, stop: async () => {} };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const asked: Record<string, unknown> = JSON.parse(Buffer.concat(chunks).toString());
      requests.push(asked);
      const [from, to] = [Number(asked['startTime']), Number(asked['endTime'])];
      const within = events.filter(({ timestamp }) => timestamp >= from && timestamp <= to);
      const at = Number(asked['nextToken'] ?? 0);
      const looked = within.slice(at, at + pageSize).filter(({ message }) => isMatch(message, String(asked['filterPattern'])));
      const answer = { events: looked, ...(at + pageSize < within.length && { nextToken: String(at + pageSize) }) };
      void service.beforeAnswer().then(() => {
        response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' });
        response.end(JSON.stringify(answer));
      });
    });
  });
  const { url, stop } = await listening(server);
  return Object.assign(service, { endpoint: url, stop });
}

function isMatch(message: string, pattern: string): boolean {
  const [, path, wanted] = /^\{ \$\.([\w.]+) = "([^"]*)" \}$/.exec(pattern) ?? [];
  if (path === undefined) throw new Error(`a filter that is not understood: ${pattern}`);
  let found: unknown;
  try {
    found = JSON.parse(message);
  } catch {
    return false;
  }
  for (const part of path.split('.')) found = Reflect.get(Object(found), part);
  return found === wanted;
}
