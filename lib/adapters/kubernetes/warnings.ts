// Warnings of an API server: a header for each, which Node joins.

const MOST_WARNINGS = 100;
const WARNING = /(?:^|,\s*)\d{3} \S+ "((?:[^"\\]|\\.)*)"/g;

/** @param header as in `299 - "unknown field \"spec.foo\"", 299 - "…"`. @returns their texts */
export const warningsIn = (header: string | undefined): string[] =>
  [...(header ?? '').matchAll(WARNING)]
    .slice(0, MOST_WARNINGS)
    // Headers are read as Latin-1; kube-apiserver writes UTF-8.
    .map(([, text = '']) => Buffer.from(text.replace(/\\(.)/gs, '$1'), 'latin1').toString('utf8'));
