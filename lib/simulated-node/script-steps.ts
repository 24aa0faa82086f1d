// The steps of a script that is played: words with a joint between, and nothing else that a shell knows.

export interface ScriptStep {
  /** The joint before it, `&&`, `;` or a line break; empty before the first. */
  before: string;
  words: string[];
}

export function stepsOf(script: string): ScriptStep[] {
  // Odd parts are the joints.
  const parts = script.split(/(&&|;|\n)/);
  return parts.flatMap((text, at) => {
    const words = text.trim().split(/\s+/).filter(Boolean);
    return at % 2 === 1 || words.length === 0 ? [] : [{ before: parts[at - 1] ?? '', words }];
  });
}
