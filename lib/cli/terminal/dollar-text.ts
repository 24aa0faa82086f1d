// Small amounts of money.

/** Four figures: most of it is far below a cent. */
export const dollarText = (dollars: number): string =>
  dollars > 0 && dollars < 1e-6 ? '<$0.000001' : `$${Number(dollars.toPrecision(4)).toString()}`;
