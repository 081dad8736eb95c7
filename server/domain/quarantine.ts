const REFUSED = /\brefused(?:: |, since )(.+)$/;

/**
 * Why a provider's price was rejected, from the text that drivers add to its source. Null when the price was accepted.
 * A rejected price leaves the offer with no price, or with an older accepted one.
 */
export function quarantineOf(priceSource: string): string | null {
	const why = REFUSED.exec(priceSource)?.[1];
	return why === undefined ? null : `a price was refused: ${why}`;
}
