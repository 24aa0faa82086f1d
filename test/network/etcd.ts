// What etcd itself tells: every pod that was ever created, whoever was away or killed meanwhile. Through its JSON gateway.

const PODS_PREFIX = '/registry/pods/';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

interface WatchLine {
  result?: {
    canceled?: boolean;
    cancel_reason?: string;
    events?: { type?: string; kv: { key: string; create_revision: string; mod_revision: string } }[];
  };
  error?: unknown;
}

/** A write that no API server makes: what was read before it lies in the past now. */
export async function writeAlienKey(etcdUrl: string): Promise<void> {
  const response = await fetch(`${etcdUrl}/v3/kv/put`, {
    method: 'POST',
    body: JSON.stringify({ key: base64('alien'), value: base64('key') }),
  });
  if (!response.ok) throw new Error(`etcd answered ${response.status} to a put: ${await response.text()}`);
  await response.arrayBuffer();
}

/** Sees every creation of a pod from its start on. */
export class CreationWitness {
  /** `namespace/name` of every pod ever created; a name that was created twice stands there twice. */
  readonly created: string[] = [];
  readonly #ending = new AbortController();
  #failure: Error | undefined;

  private constructor(answer: Response) {
    void this.#follow(answer);
  }

  static async start(etcdUrl: string): Promise<CreationWitness> {
    const range = { key: base64(PODS_PREFIX), range_end: base64('/registry/pods0'), filters: ['NODELETE'] };
    const answer = await fetch(`${etcdUrl}/v3/watch`, { method: 'POST', body: JSON.stringify({ create_request: range }) });
    if (!answer.ok) throw new Error(`etcd answered ${answer.status} to a watch: ${await answer.text()}`);
    return new CreationWitness(answer);
  }

  /** How many pods whose names begin with that were ever created. @throws when some may have been missed */
  count(prefix: string): number {
    if (this.#failure) throw new Error(`the witness lost sight of etcd: ${this.#failure.message}`);
    return this.created.filter((name) => name.startsWith(prefix)).length;
  }

  stop(): void {
    this.#ending.abort();
  }

  async #follow(answer: Response): Promise<void> {
    try {
      const reader = answer.body?.getReader();
      this.#ending.signal.addEventListener('abort', () => void reader?.cancel().catch(() => {}));
      const decoder = new TextDecoder();
      let rest = '';
      for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
        const lines = (rest + decoder.decode(read.value, { stream: true })).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) if (line.trim() !== '') this.#saw(JSON.parse(line));
      }
      throw new Error('the watch ended');
    } catch (error) {
      if (!this.#ending.signal.aborted) this.#failure = error instanceof Error ? error : new Error(String(error));
    }
  }

  #saw({ result, error }: WatchLine): void {
    if (error !== undefined || result?.canceled === true)
      throw new Error(`the watch was refused: ${JSON.stringify(error ?? result?.cancel_reason)}`);
    for (const { kv } of result?.events ?? [])
      if (kv.create_revision === kv.mod_revision)
        this.created.push(Buffer.from(kv.key, 'base64').toString('utf8').slice(PODS_PREFIX.length));
  }
}
