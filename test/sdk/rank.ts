// Stands for the framework in one container: `rank.ts HOSTS`, started with the environment of the container and nothing else. HOSTS is what
// its cluster's DNS would know, as JSON: host to address. It meets the other ranks as its framework would, says whom it met, and ends.
import { createServer, connect } from 'node:net';

interface Meeting {
  /** Its own name among the ranks. */
  self: string;
  /** Where it waits for others, and for how many. */
  listens?: { host: string; port: number; for: number };
  /** Where others wait for it. */
  calls: { host: string; port: number }[];
}

const PATIENCE_MS = 15_000;
const hosts = new Map(Object.entries(JSON.parse(process.argv[2] ?? '{}') as Record<string, string>));

function addressOf(host: string): string {
  const address = hosts.get(host);
  if (address === undefined) throw new Error(`no such host: ${host}`);
  return address;
}

const wanted = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
};

/** One waits, all others call it. */
const star = (self: string, isFirst: boolean, size: number, at: { host: string; port: number }): Meeting =>
  isFirst ? { self, listens: { ...at, for: size - 1 }, calls: [] } : { self, calls: [at] };

function meetingOf(): Meeting {
  const { env } = process;
  if (env['TF_CONFIG'] !== undefined) {
    const { cluster, task } = JSON.parse(env['TF_CONFIG']) as {
      cluster: Record<string, string[]>;
      task: { type: string; index: number };
    };
    const all = Object.entries(cluster).flatMap(([type, addresses]) =>
      addresses.map((address, index) => ({
        name: `${type}-${index}`,
        host: address.split(':')[0] ?? '',
        port: Number(address.split(':')[1]),
      })),
    );
    const self = `${task.type}-${task.index}`;
    const own = all.find(({ name }) => name === self);
    if (!own) throw new Error(`TF_CONFIG has no address of ${self}`);
    return { self, listens: { ...own, for: all.length - 1 }, calls: all.filter((other) => other !== own) };
  }
  if (env['DMLC_ROLE'] !== undefined) {
    const { task } = JSON.parse(wanted('MX_CONFIG')) as { task: { type: string; index: number } };
    const size = 1 + Number(wanted('DMLC_NUM_SERVER')) + Number(wanted('DMLC_NUM_WORKER'));
    const at = { host: wanted('DMLC_PS_ROOT_URI'), port: Number(wanted('DMLC_PS_ROOT_PORT')) };
    return star(`${env['DMLC_ROLE']}-${env['DMLC_WORKER_ID'] ?? task.index}`, env['DMLC_ROLE'] === 'scheduler', size, at);
  }
  if (env['PADDLE_MASTER'] !== undefined) {
    const [host = '', port] = env['PADDLE_MASTER'].split(':');
    // A node that is told its own address is the one that the others call.
    const isFirst = host === env['POD_IP_DUMMY'];
    return star(isFirst ? 'first' : `node ${process.pid}`, isFirst, Number(wanted('PADDLE_NNODES')), { host, port: Number(port) });
  }
  if (env['COORDINATOR_ADDRESS'] !== undefined) {
    const at = { host: env['COORDINATOR_ADDRESS'], port: Number(wanted('COORDINATOR_PORT')) };
    return star(wanted('PROCESS_ID'), wanted('PROCESS_ID') === '0', Number(wanted('NUM_PROCESSES')), at);
  }
  const at = { host: wanted('MASTER_ADDR'), port: Number(wanted('MASTER_PORT')) };
  return star(wanted('RANK'), wanted('RANK') === '0', Number(wanted('WORLD_SIZE')), at);
}

const { self, listens, calls } = meetingOf();
const met = new Set<string>();

async function callersMet({ host, port, for: count }: NonNullable<Meeting['listens']>): Promise<void> {
  if (count === 0) return;
  await new Promise<void>((resolve, reject) => {
    const server = createServer((socket) => {
      socket.on('error', reject).on('data', (name) => {
        met.add(name.toString());
        socket.end(self);
        if (met.size < count) return;
        server.close();
        resolve();
      });
    });
    server.on('error', reject).listen(port, addressOf(host));
  });
}

async function called(at: { host: string; port: number }): Promise<string> {
  const untilMs = Date.now() + PATIENCE_MS;
  for (;;) {
    const answer = await new Promise<string | undefined>((resolve) => {
      const socket = connect(at.port, addressOf(at.host), () => socket.write(self));
      socket.on('data', (name) => resolve(name.toString())).on('error', () => resolve(undefined));
    });
    if (answer !== undefined) return answer;
    if (Date.now() > untilMs) throw new Error(`${at.host}:${at.port} does not answer`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const outOfPatience = setTimeout(() => {
  console.error(`met only ${[...met].join(', ') || 'nobody'}`);
  process.exit(1);
}, PATIENCE_MS);
const heard = await Promise.all([listens && callersMet(listens), ...calls.map(called)]);
clearTimeout(outOfPatience);
const answers = heard.filter((answer) => answer !== undefined);
console.log(JSON.stringify({ self, met: [...new Set([...met, ...answers])].toSorted() }));
