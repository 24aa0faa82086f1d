// `npm run bench NAME [options]`: one figure each, never part of the tests.
const BENCHES: Record<string, { module: () => Promise<unknown>; tells: string }> = {
  plan: { module: () => import('./plan.ts'), tells: 'microseconds of one plan at 1,000 and 100,000 indexes, when ten pods changed' },
  admissions: { module: () => import('./admissions.ts'), tells: 'admissions a second of farloop plan --stream, with thirty pods each' },
  counts: { module: () => import('./counts.ts'), tells: 'API-server writes, write units and passes per pod, counted on a virtual clock' },
  list: { module: () => import('./list.ts'), tells: 'milliseconds of a page of 10,000 workloads, and reads of an unchanged poll' },
  watchers: {
    module: () => import('./watchers.ts'),
    tells: "the API's share of a core while farloop up works, with three clients that watch",
  },
  cost: { module: () => import('./cost.ts'), tells: 'AWS requests and dollars per pod, and what an idle stack and cluster cost a month' },
  fairness: {
    module: () => import('./fairness.ts'),
    tells:
      "the others' lag beside that of a quiet run: a hundred clusters, one dead, one flooding (six minutes); small Jobs beside a large one",
  },
  decode: { module: () => import('./decode.ts'), tells: 'milliseconds and heap that the costliest messages of 1 MiB take to read' },
  start: { module: () => import('./start.ts'), tells: 'milliseconds until a deployed function is ready, and the size of its zip' },
  large: { module: () => import('./large.ts'), tells: 'a Job of 100,000 indexes through the whole loop, on a virtual clock' },
  sandbox: { module: () => import('./sandbox.ts'), tells: 'pods per second of one Job on farloop up with its own sandbox' },
  relay: {
    module: () => import('./relay.ts'),
    tells: "events per second and memory at 50,000 pods, beside the JavaScript client's informer",
  },
  'api-server': {
    module: () => import('./api-server.ts'),
    tells: 'writes per second, processor time and memory of the embedded API server with 10,000 pods and many watchers',
  },
  reaction: {
    module: () => import('./reaction.ts'),
    tells: 'milliseconds from a change to its pod, a thousand Jobs at once and memory, beside kube-controller-manager',
  },
  node: { module: () => import('./node.ts'), tells: 'pods per second of a virtual node, from the first create until all run' },
  processes: {
    module: () => import('./processes.ts'),
    tells: 'pods per second of true as processes of this machine, beside xargs, and what idle pods cost',
  },
  'run-once': {
    module: () => import('./run-once.ts'),
    tells: 'seconds and memory of farloop run-once, from start to exit: one pod, 500 pods',
  },
  cluster: { module: () => import('./cluster.ts'), tells: 'pods per second on a real API server, beside kube-controller-manager' },
};

// What is left is the benchmark's own.
const [name = ''] = process.argv.splice(2, 1);
const bench = BENCHES[name];
if (bench) await bench.module();
else {
  console.error(`${name === '' ? 'no benchmark named' : `no benchmark "${name}"`}; there are:`);
  for (const [known, { tells }] of Object.entries(BENCHES)) console.error(`  npm run bench ${known.padEnd(10)} ${tells}`);
  process.exitCode = 2;
}
