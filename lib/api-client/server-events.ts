// Server-sent events, read from an answer's body: `EventSource` can carry no token.
import { ApiProblem } from './problems.ts';

export interface ServerEvent {
  /** `beat` for a comment, which says that the server is there. */
  name: string;
  data: string;
}

/** An event is a line or two. */
const MOST_CHARACTERS = 64 * 1024;

/**
 * @param silentMs the server speaks more often than that while it is there
 * @throws ApiProblem it does not
 */
export async function* serverEvents(body: ReadableStream<Uint8Array>, silentMs: number): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await heardWithin(reader.read(), silentMs);
      if (done) return;
      rest = (rest + decoder.decode(value, { stream: true })).replaceAll('\r\n', '\n');
      if (rest.length > MOST_CHARACTERS) throw new ApiProblem('foreign', 'it streams something else than events');
      const blocks = rest.split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) yield eventIn(block);
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function eventIn(block: string): ServerEvent {
  const event: ServerEvent = { name: 'beat', data: '' };
  for (const line of block.split('\n')) {
    const [, field, value = ''] = /^(event|data): ?(.*)$/.exec(line) ?? [];
    if (field === 'event') event.name = value;
    else if (field === 'data') event.data += value;
  }
  return event;
}

async function heardWithin<Value>(hearing: Promise<Value>, ms: number): Promise<Value> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(new ApiProblem('silent', `nothing was heard of it for ${ms / 1_000} s`)), ms);
  try {
    return await Promise.race([hearing, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}
