// The contract of a provider: whatever runs tasks for the pods of a virtual node passes it.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Pod } from '../../lib/objects/kubernetes.ts';
import type { Task } from '../../lib/objects/task.ts';
import { NotFoundError } from '../../lib/ports/errors.ts';
import { MOST_TASKS_OF_A_LOOK, type Provider } from '../../lib/ports/provider.ts';

export interface ProviderUnderTest {
  provider: Provider;
  /** Of another node of the same provider. */
  other: Provider;
  /** A pod that runs until it is stopped, bound to the node. */
  podOf(uid: string): Pod;
  /** Resolves once the condition holds. */
  until(condition: () => Promise<boolean>): Promise<void>;
  /** Words about tasks that it has given by itself, by uid. */
  told: readonly string[];
  close(): void;
}

const FAR = { wallMs: Number.MAX_SAFE_INTEGER, monotonicMs: Number.MAX_SAFE_INTEGER };
const taskOf = (uid: string) => ({ uid, attempt: 1 });

export function providerContract(name: string, open: () => ProviderUnderTest): void {
  describe(`a provider: ${name}`, () => {
    let under: ProviderUnderTest;
    beforeEach(() => {
      under = open();
    });
    afterEach(() => under.close());

    const look = async (uid: string): Promise<Task | undefined> => (await under.provider.look([taskOf(uid)], FAR))[0];
    const isRunning = async (uid: string): Promise<boolean> => (await look(uid))?.status.phase === 'Running';

    test('what is started is known from then on, and runs', async () => {
      await under.provider.start(taskOf('a'), under.podOf('a'), FAR);
      expect(await look('a')).toMatchObject({ uid: 'a', attempt: 1, name: 'pod-a', hasEnded: false });
      await under.until(async () => await isRunning('a'));
      expect((await look('a'))?.status.containerStatuses).toHaveLength(1);
    });

    test('R5: a start that is repeated makes no second task', async () => {
      for (let time = 0; time < 3; time += 1) await under.provider.start(taskOf('a'), under.podOf('a'), FAR);
      expect((await under.provider.list({ limit: 10 }, FAR)).tasks.map(({ uid }) => uid)).toEqual(['a']);
    });

    test('it is unknown until it is started, and on any other node', async () => {
      expect(await look('a')).toBeUndefined();
      await under.provider.start(taskOf('a'), under.podOf('a'), FAR);
      if (!under.provider.sharesTasks) expect(await under.other.look([taskOf('a')], FAR)).toEqual([undefined]);
      const others = (await under.other.list({ limit: 10 }, FAR)).tasks.map(({ uid }) => uid);
      expect(others).toEqual(under.provider.sharesTasks ? ['a'] : []);
    });

    test('a stop ends it, with a state of every container; repeated it is harmless', async () => {
      await under.provider.start(taskOf('a'), under.podOf('a'), FAR);
      await under.until(async () => await isRunning('a'));
      for (let time = 0; time < 2; time += 1) await under.provider.stop(taskOf('a'), { graceSeconds: 1 }, FAR);
      await under.until(async () => (await look('a'))?.hasEnded === true);
      await under.provider.stop(taskOf('a'), { graceSeconds: 1 }, FAR);
      expect((await look('a'))?.status.containerStatuses?.[0]?.state?.terminated).toBeDefined();
    });

    test('R5: a start that comes late makes nothing of a task that has ended', async () => {
      await under.provider.start(taskOf('a'), under.podOf('a'), FAR);
      await under.provider.stop(taskOf('a'), { graceSeconds: 1 }, FAR);
      await under.until(async () => (await look('a'))?.hasEnded === true);
      await under.provider.start(taskOf('a'), under.podOf('a'), FAR);
      expect((await look('a'))?.hasEnded).toBe(true);
    });

    test('what it does not know it neither stops nor updates', async () => {
      await expect(under.provider.stop(taskOf('a'), { graceSeconds: 1 }, FAR)).rejects.toThrow(NotFoundError);
      await expect(under.provider.update(taskOf('a'), under.podOf('a'), FAR)).rejects.toThrow(NotFoundError);
    });

    test('a look answers in the order of the names, for as many as one may ask', async () => {
      const uids = Array.from({ length: MOST_TASKS_OF_A_LOOK }, (_, at) => `u${at}`);
      await under.provider.start(taskOf('u7'), under.podOf('u7'), FAR);
      const found = await under.provider.look(uids.map(taskOf), FAR);
      expect(found.map((task) => task?.uid)).toEqual(uids.map((uid) => (uid === 'u7' ? uid : undefined)));
    });

    test('a list comes by pages, each task once', async () => {
      for (const uid of ['a', 'b', 'c']) await under.provider.start(taskOf(uid), under.podOf(uid), FAR);
      const uids: string[] = [];
      for (let after: string | undefined, pages = 0; pages < 5; pages += 1) {
        const page = await under.provider.list({ limit: 2, ...(after !== undefined && { after }) }, FAR);
        uids.push(...page.tasks.map(({ uid }) => uid));
        if (page.next === undefined) break;
        after = page.next;
      }
      expect(uids.toSorted()).toEqual(['a', 'b', 'c']);
    });

    test('a version, where there is one, only rises; each change is told of, or looked for again in time', async () => {
      await under.provider.start(taskOf('a'), under.podOf('a'), FAR);
      await under.until(async () => await isRunning('a'));
      const before = (await look('a'))?.version;
      await under.provider.stop(taskOf('a'), { graceSeconds: 1 }, FAR);
      await under.until(async () => (await look('a'))?.hasEnded === true);
      if (before !== undefined) expect((await look('a'))?.version).toBeGreaterThan(before);
      if (under.provider.lookAgainSeconds !== undefined) return expect([under.told, under.provider.lookAgainSeconds]).toEqual([[], 10]);
      await under.until(async () => under.told.includes('a'));
      expect(new Set(under.told)).toEqual(new Set(['a']));
    });
  });
}
