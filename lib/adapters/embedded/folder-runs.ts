// Runs of one machine, a folder and a file for each: the command line and a running instance see the same runs, and a run's lock is its own.
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RunRecord, Runs } from '../../ports/runs.ts';
import { EmbeddedRuns, RUNS_FILE } from './runs.ts';

/** An id is the name of a folder. */
const SAFE_ID = /^[a-z0-9][-a-z0-9.]{0,62}$/;

export class FolderRuns implements Runs {
  readonly #folder: string;
  readonly #opened = new Map<string, EmbeddedRuns>();

  /** @param folder of all runs; made with the first one */
  constructor(folder: string) {
    this.#folder = folder;
  }

  close(): void {
    for (const runs of this.#opened.values()) runs.close();
    this.#opened.clear();
  }

  async get(id: string): Promise<RunRecord | undefined> {
    return await this.#existing(id)?.get(id);
  }

  async put(record: Omit<RunRecord, 'version'>, expectedVersion: number): Promise<RunRecord> {
    return await this.#made(record.id).put(record, expectedVersion);
  }

  async list({ limit, after = '' }: { limit: number; after?: string }): Promise<{ runs: RunRecord[]; next?: string }> {
    const ids = this.#ids().filter((id) => id > after);
    const runs = await this.#records(ids.slice(0, limit));
    const last = ids[limit - 1];
    return { runs, ...(ids.length > limit && last !== undefined && { next: last }) };
  }

  async dueBefore(timeMs: number, limit: number): Promise<string[]> {
    const open = (await this.#records(this.#ids())).filter(({ dueAtMs = Infinity }) => dueAtMs < timeMs);
    return open
      .toSorted((one, other) => (one.dueAtMs ?? 0) - (other.dueAtMs ?? 0))
      .slice(0, limit)
      .map(({ id }) => id);
  }

  async putPart(id: string, name: string, text: string): Promise<void> {
    await this.#made(id).putPart(id, name, text);
  }

  async readPart(id: string, name: string): Promise<string | undefined> {
    return await this.#existing(id)?.readPart(id, name);
  }

  async removeParts(id: string, prefix: string): Promise<void> {
    await this.#existing(id)?.removeParts(id, prefix);
  }

  async remove(id: string, version: number): Promise<boolean> {
    const runs = this.#existing(id);
    if (!runs) return true;
    const isGone = await runs.remove(id, version);
    if (!isGone) return false;
    runs.close();
    this.#opened.delete(id);
    rmSync(join(this.#folder, id), { recursive: true, force: true });
    return true;
  }

  #ids(): string[] {
    if (!existsSync(this.#folder)) return [];
    return readdirSync(this.#folder)
      .filter((id) => SAFE_ID.test(id) && existsSync(join(this.#folder, id, RUNS_FILE)))
      .toSorted();
  }

  async #records(ids: readonly string[]): Promise<RunRecord[]> {
    const records = await Promise.all(ids.map(async (id) => await this.get(id)));
    return records.filter((record) => record !== undefined);
  }

  #existing(id: string): EmbeddedRuns | undefined {
    const isThere = SAFE_ID.test(id) && existsSync(join(this.#folder, id, RUNS_FILE));
    if (isThere) return this.#made(id);
    // The command line has dropped it.
    this.#opened.get(id)?.close();
    this.#opened.delete(id);
    return undefined;
  }

  #made(id: string): EmbeddedRuns {
    if (!SAFE_ID.test(id)) throw new RangeError(`${JSON.stringify(id)} is no id of a run`);
    const known = this.#opened.get(id);
    if (known) return known;
    const folder = join(this.#folder, id);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const runs = EmbeddedRuns.open({ folder });
    this.#opened.set(id, runs);
    return runs;
  }
}
