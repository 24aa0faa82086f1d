// Contracts open an adapter for each test, so that none finds what another has left.

/** A test on an adapter of its own, which is closed however the test ends. */
export const on =
  <Under extends { close: () => Promise<void> }>(open: () => Promise<Under>, run: (under: Under) => Promise<void>): (() => Promise<void>) =>
  async () => {
    const under = await open();
    try {
      await run(under);
    } finally {
      await under.close();
    }
  };
