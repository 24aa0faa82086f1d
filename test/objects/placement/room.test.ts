// The room of a node: who has some, who waits, and who is next.
import { describe, expect, test } from '@jest/globals';
import type { Pod } from '../../../lib/objects/kubernetes.ts';
import { Room } from '../../../lib/objects/placement/room.ts';

const asking = (uid: string, requests: Record<string, string> = {}): Pod => ({
  metadata: { name: uid, namespace: 'default', uid },
  spec: { containers: [{ name: 'main', image: 'x', resources: { requests } }] },
});

const aRoom = (more: { cpu?: string; memory?: string; pods?: string } = {}): Room =>
  new Room({ cpu: '2', memory: '1Gi', 'ephemeral-storage': '1Ti', pods: '10', ...more });

const missingOf = (room: Room, pod: Pod): string[] => room.take(pod).map(({ resource }) => resource);

describe('the room of a node', () => {
  test('pods without requests are bounded by their number alone', () => {
    const room = aRoom({ pods: '2' });
    expect(['a', 'b', 'c'].map((uid) => missingOf(room, asking(uid)))).toEqual([[], [], ['pods']]);
    expect(room.release('a')).toEqual(['c']);
  });

  test('a pod that has room keeps it however often it asks', () => {
    const room = aRoom();
    for (const _ of [1, 2, 3]) expect(missingOf(room, asking('a', { cpu: '1500m' }))).toEqual([]);
    expect(missingOf(room, asking('b', { cpu: '500m' }))).toEqual([]);
    expect(missingOf(room, asking('c', { cpu: '1m', memory: '2Gi' }))).toEqual(['cpu', 'memory']);
  });

  test('a pod that leaves makes room for as many of those that wait as there is room for, in their order', () => {
    const room = aRoom();
    room.take(asking('big', { cpu: '2' }));
    for (const uid of ['a', 'b', 'c']) room.take(asking(uid, { cpu: '800m' }));
    room.take(asking('huge', { cpu: '3' }));
    room.take(asking('tiny', { cpu: '100m' }));
    expect(room.release('big')).toEqual(['a', 'b', 'tiny']);
    expect(room.release('a')).toEqual(['c']);
  });

  test('a pod that waited and is gone is not given room', () => {
    const room = aRoom();
    room.take(asking('big', { cpu: '2' }));
    room.take(asking('gone', { cpu: '2' }));
    room.take(asking('next', { cpu: '2' }));
    expect(room.release('gone')).toEqual([]);
    expect(room.release('big')).toEqual(['next']);
  });

  test('a pod that somebody bound is counted although there was no room', () => {
    const room = aRoom();
    room.hold(asking('bound', { cpu: '3' }));
    expect(missingOf(room, asking('a', { cpu: '1' }))).toEqual(['cpu']);
    expect(room.release('bound')).toEqual(['a']);
  });

  test('devices are not counted: a job that asks for some can be tried', () => {
    expect(missingOf(aRoom(), asking('a', { 'nvidia.com/gpu': '8' }))).toEqual([]);
  });
});
