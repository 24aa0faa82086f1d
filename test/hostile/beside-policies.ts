// Costly policies and definitions in the sandbox: each holds its process for half a second at most, with the server's words, and ordinary
// Jobs beside them end in their usual time.
import { CONFIG_MAPS } from '../../lib/objects/resources.ts';
import { join } from 'node:path';
import type { KubernetesObject } from '../../lib/objects/kubernetes.ts';
import type { Resource } from '../../lib/objects/resources.ts';
import { TerminalError, UnknownOutcomeError } from '../../lib/ports/errors.ts';
import { check, until } from '../claims.ts';
import { COSTLY_DEFINITIONS, costlyObject, costlyResource, DEFINITIONS, definitionOf } from './costly-definitions.ts';
import { BINDINGS, bindingOf, COSTLY_RULES, judgedConfigMap, POLICIES, policyOf } from './costly-policies.ts';
import { Instance } from './instance.ts';
import { judgeRounds, OrdinaryJobs } from './ordinary-jobs.ts';

/** A rule is ended after half a second, by the clock; a machine half as fast sees that somewhat later. */
const RULE_MS = 750;
/** The server's words for a budget that is exceeded: where a rule runs, and where it is estimated. */
const EXCEEDED = /actual cost limit exceeded|running out of cost budget|exceeds budget/;
/** After so many costly things ordinary Jobs are looked at. */
const COSTLY_PER_ROUND = 6;

/** @returns the server's words, where it refused */
async function put({ access, soon }: Instance, resource: Resource, object: KubernetesObject): Promise<string | undefined> {
  try {
    await access.create(resource, object, soon());
    return undefined;
  } catch (error) {
    // An answer may repeat the object, and is longer than anybody reads.
    if (error instanceof TerminalError || (error instanceof UnknownOutcomeError && error.message.includes('answer is longer')))
      return error.message;
    throw error;
  }
}

async function remove({ access, soon }: Instance, resource: Resource, name: string): Promise<void> {
  const { object } = await access.get(resource, { namespace: '', name }, soon());
  await access.delete(resource, { namespace: '', name, uid: object.metadata.uid ?? '' }, soon());
}

/** A policy is judged by what it is about, then goes. @returns the server's words, where it refused the policy or what it judges */
async function tryPolicy(farloop: Instance, what: string): Promise<string | undefined> {
  const rule = COSTLY_RULES[what] ?? { expression: '', text: '' };
  const name = what.replaceAll(' ', '-');
  const refused = await put(farloop, POLICIES, policyOf(name, rule.expression));
  if (refused !== undefined) return refused;
  await put(farloop, BINDINGS, bindingOf(name));
  const denied = await put(farloop, CONFIG_MAPS, judgedConfigMap(name, rule.text));
  await remove(farloop, POLICIES, name);
  return denied;
}

/** The same for a definition, and an object of it. */
async function tryDefinition(farloop: Instance, what: string): Promise<string | undefined> {
  const definition = COSTLY_DEFINITIONS[what] ?? { schema: {}, spec: '' };
  const resource = costlyResource(what);
  const made = definitionOf(resource, definition);
  const refused = await put(farloop, DEFINITIONS, made);
  if (refused !== undefined) return refused;
  const { access, soon } = farloop;
  const isServed = async (): Promise<boolean> =>
    await access.list(resource, { namespace: 'default' }, soon()).then(
      () => true,
      () => false,
    );
  await until(`${resource.plural} are served`, isServed);
  const denied = await put(farloop, resource, costlyObject(resource, definition));
  await remove(farloop, DEFINITIONS, made.metadata.name ?? '');
  return denied;
}

/** Rules of half a second each come one after another, and an ordinary Job may meet two of them: 1.9 times its usual time was seen. */
const TIMES = 2;

export async function besidePolicies(folder: string): Promise<void> {
  const farloop = await Instance.start({ state: join(folder, 'policies-state') });
  try {
    const { ordinary, usualMs } = await OrdinaryJobs.measured(farloop, 'beside');
    const costly = [
      ...Object.entries(COSTLY_RULES).map(([what, { isEndless }]) => ({ what, isEndless, attempt: tryPolicy })),
      ...Object.entries(COSTLY_DEFINITIONS).map(([what, { isEndless }]) => ({ what, isEndless, attempt: tryDefinition })),
    ];
    const rounds: number[][] = [];
    const faults: string[] = [];
    let longest = { what: '', ms: 0 };
    for (let at = 0; at < costly.length; at += COSTLY_PER_ROUND) {
      const running = ordinary.round();
      running.catch(() => {});
      for (const { what, isEndless, attempt } of costly.slice(at, at + COSTLY_PER_ROUND)) {
        await farloop.ask('held', {});
        const refused = await attempt(farloop, what).catch((error: unknown) => {
          throw new Error(`policies: ${what} kept the server from answering`, { cause: error });
        });
        const ms = await farloop.ask('held', {});
        if (ms > longest.ms) longest = { what, ms };
        if (ms > RULE_MS) faults.push(`${what} held the process for ${ms.toFixed(0)} ms`);
        if (isEndless && !EXCEEDED.test(refused ?? '')) faults.push(`${what}: ${(refused ?? 'let through').slice(-300)}`);
      }
      rounds.push(await running);
    }
    console.log(`hostile: policies: the longest held the process for ${longest.ms.toFixed(0)} ms: ${longest.what}`);
    check(faults.length === 0, `policies: a rule may take half a second, then is over its budget:\n${faults.join('\n')}`);
    judgeRounds(`policies, ${costly.length} costly policies and definitions`, usualMs, rounds, TIMES);
    farloop.judgeMemory('policies');
    await farloop.stop();
  } finally {
    farloop.kill();
  }
}
