// How a registration or a removal says what it has done.

/** Prints one line per completed step. */
export type Tell = (step: string, what: string) => void;
