// Addresses of pods: each has one of its own in the loopback's range, so that servers of two pods may listen on the same port.
import { createHash } from 'node:crypto';

/** 127.64.0.0 to 127.127.255.255: the lower ones are used by others. */
const FIRST = 127 * 2 ** 24 + 64 * 2 ** 16;
const COUNT = 64 * 2 ** 16;

export class Addresses {
  readonly #used = new Set<string>();
  #next: number;

  /** @param seed instances of different folders begin at different places */
  constructor(seed: string) {
    this.#next = createHash('sha256').update(seed).digest().readUInt32BE() % COUNT;
  }

  take(): string {
    for (;;) {
      const text = addressAt(this.#next);
      this.#next = (this.#next + 1) % COUNT;
      const isEdge = /\.(?:0|255)$/.test(text);
      if (isEdge || this.#used.has(text)) continue;
      this.#used.add(text);
      return text;
    }
  }

  /** In use by a pod that was found. */
  keep(address: string): void {
    this.#used.add(address);
  }

  release(address: string): void {
    this.#used.delete(address);
  }
}

function addressAt(index: number): string {
  const whole = FIRST + index;
  return [24, 16, 8, 0].map((bits) => (whole >>> bits) & 255).join('.');
}
