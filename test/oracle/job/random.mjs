// Chance from a seed, and what cases are made of it with.
export function random(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  for (let i = 0; i < 4; i++) next();
  const int = (low, high) => low + Math.floor(next() * (high - low + 1));
  const chance = (percent) => next() * 100 < percent;
  const pick = (list) => list[int(0, list.length - 1)];
  // weighted: {value: weight, …}
  const weighted = (weights) => {
    let at = next() * Object.values(weights).reduce((a, b) => a + b, 0);
    for (const [value, weight] of Object.entries(weights)) if ((at -= weight) < 0) return value;
    return Object.keys(weights).pop();
  };
  const subset = (list, percent) => list.filter(() => chance(percent));
  const text = (length) => Array.from({ length }, () => pick('bcdfghjklmnpqrstvwxz2456789')).join('');
  const hex = (length) => Array.from({ length }, () => pick('0123456789abcdef')).join('');
  const uid = () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;
  return { next, int, chance, pick, weighted, subset, text, uid };
}

export const range = (n) => Array.from({ length: n }, (_, i) => i);

export function indexText(indexes) {
  const sorted = [...new Set(indexes)].toSorted((a, b) => a - b);
  const parts = [];
  for (let i = 0; i < sorted.length;) {
    let j = i;
    while (j + 1 < sorted.length && sorted[j + 1] === sorted[j] + 1) j++;
    parts.push(j === i ? `${sorted[i]}` : j === i + 1 ? `${sorted[i]},${sorted[j]}` : `${sorted[i]}-${sorted[j]}`);
    i = j + 1;
  }
  return parts.join(',');
}
