// Where the outcomes of stories stand that the operator itself played.

/** @param file as in stories/all.ts */
export const recordOf = (file: string): URL => new URL(`recorded/${file}.json`, import.meta.url);
