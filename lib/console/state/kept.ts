// Choices of a person that outlive the page: kept by the browser for this origin.
import { effect, signal, type Signal } from '@preact/signals';

/** @param isValid of what an earlier version kept */
export function keptChoice<Value>(name: string, otherwise: Value, isValid: (value: unknown) => value is Value): Signal<Value> {
  const choice = signal(readKept(name, otherwise, isValid));
  let isFirst = true;
  effect(() => {
    const { value } = choice;
    if (isFirst) isFirst = false;
    else writeKept(name, value);
  });
  return choice;
}

function readKept<Value>(name: string, otherwise: Value, isValid: (value: unknown) => value is Value): Value {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(`farloop-${name}`) ?? 'null');
    return isValid(kept) ? kept : otherwise;
  } catch {
    return otherwise;
  }
}

function writeKept(name: string, value: unknown): void {
  try {
    localStorage.setItem(`farloop-${name}`, JSON.stringify(value));
  } catch {
    return;
  }
}
