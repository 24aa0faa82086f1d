// Findings of the checks of a value, as the API server gathers them: each text once, and how many checks were passed on the way.
import type { FieldError } from '../../objects/field-error.ts';
import { invalidValue } from '../../objects/refusals.ts';

export interface Finding {
  /** Path of the value within what is checked, such as `spec.x[0]`; undefined for texts that speak of no single field. */
  name: string | undefined;
  text: string;
  toProblem: (field: string) => FieldError;
}

/** @param text names the place itself. @param value as the refusal shows it */
export const invalidFinding = (name: string, text: string, value: unknown): Finding => ({
  name,
  text,
  toProblem: (field) => invalidValue(field, value, text),
});

/** Of a text that speaks of no single field. */
export const textFinding = (text: string): Finding => ({ name: undefined, text, toProblem: (field) => invalidValue(field, '', text) });

export class Findings {
  readonly found: Finding[] = [];
  /** Of several schemas of which none fits, the one with the most passed checks is reported. */
  passed = 0;

  add(...findings: readonly Finding[]): void {
    for (const finding of findings) if (!this.found.some(({ text }) => text === finding.text)) this.found.push(finding);
  }

  merge(others: Findings): void {
    if (others.found.length > 0) this.add(...others.found);
    this.passed += others.passed;
  }

  get isEmpty(): boolean {
    return this.found.length === 0;
  }
}

/** @param root of what was checked; '' for a whole object */
export const problemsOf = (findings: readonly Finding[], root: string): FieldError[] =>
  findings.map(({ name = '', toProblem }) => toProblem([root, name.replace(/^\./, '')].filter((part) => part !== '').join('.') || '<nil>'));
