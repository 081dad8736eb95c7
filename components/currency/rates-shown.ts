/** Rates that Settings shows at first; the page reads as many ahead. */
export const RATES_SHOWN = 20;
