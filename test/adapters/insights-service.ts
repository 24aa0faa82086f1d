// CloudWatch Logs as far as queries of Insights go, over HTTP: started, asked for until they have ended, stopped.
import { createServer, type IncomingMessage } from 'node:http';
import { listening } from '../listening.ts';
import { answerOf, MalformedQueryError, type LogLine } from './insights-query.ts';

type Operation = 'StartQuery' | 'GetQueryResults' | 'StopQuery';

export interface InsightsService {
  endpoint: string;
  lines: LogLine[];
  /** Each query: what it was asked with, and how it stands. */
  queries: { asked: Record<string, unknown>; looks: number; isStopped: boolean }[];
  /** The status of each look at a query, one after the other; the last stays. */
  statuses: string[];
  /** Errors that are answered in the place of the next calls of an operation. */
  faults: { operation: Operation; error: string }[];
  stop: () => Promise<void>;
}

export async function startInsightsService(): Promise<InsightsService> {
  const service: InsightsService = {
    endpoint: '',
    lines: [],
    queries: [],
    statuses: ['Scheduled', 'Running', 'Complete'],
    faults: [],
    stop: async () => {},
  };
  const server = createServer((request, response) => {
    void bodyOf(request).then((asked) => {
      const operation = String(request.headers['x-amz-target']).split('.').at(-1) as Operation;
      const { status, body } = answered(service, operation, asked);
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' });
      response.end(JSON.stringify(body));
    });
  });
  const { url, stop } = await listening(server);
  return Object.assign(service, { endpoint: url, stop });
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
}

const failed = (error: string, message = 'said by the service'): { status: number; body: object } => ({
  status: 400,
  body: { __type: error, message },
});

function answered(service: InsightsService, operation: Operation, asked: Record<string, unknown>): { status: number; body: object } {
  const at = service.faults.findIndex((fault) => fault.operation === operation);
  const [fault] = at < 0 ? [] : service.faults.splice(at, 1);
  if (fault) return failed(fault.error);
  if (operation === 'StartQuery') {
    try {
      answerOf(String(asked['queryString']), []);
    } catch (error) {
      if (error instanceof MalformedQueryError) return failed('MalformedQueryException', error.message);
      throw error;
    }
    service.queries.push({ asked, looks: 0, isStopped: false });
    return { status: 200, body: { queryId: String(service.queries.length - 1) } };
  }
  const query = service.queries[Number(asked['queryId'])];
  if (!query) return failed('ResourceNotFoundException');
  if (operation === 'StopQuery') {
    query.isStopped = true;
    return { status: 200, body: { success: true } };
  }
  const status = service.statuses[Math.min(query.looks, service.statuses.length - 1)];
  query.looks += 1;
  return { status: 200, body: status === 'Complete' ? complete(service.lines, query.asked) : { status, results: [] } };
}

function complete(lines: readonly LogLine[], { queryString, logGroupNames, startTime, endTime }: Record<string, unknown>): object {
  const groups = new Set(logGroupNames as string[]);
  const [fromMs, toMs] = [Number(startTime) * 1000, Number(endTime) * 1000];
  const scanned = lines.filter(({ log, timestamp }) => groups.has(log) && timestamp >= fromMs && timestamp <= toMs);
  const { rows, matched } = answerOf(String(queryString), scanned);
  const bytes = scanned.reduce((sum, { message }) => sum + Buffer.byteLength(message), 0);
  return {
    status: 'Complete',
    results: rows.map((row) => Object.entries(row).map(([field, value]) => ({ field, value }))),
    statistics: { recordsMatched: matched, recordsScanned: scanned.length, bytesScanned: bytes },
  };
}
