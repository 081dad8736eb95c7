const REFUSED = /\brefused(?:: |, since )(.+)$/;

/**
 * Why a price that a provider gave is not believed, from the words of its source: drivers put it there. Null when it is
 * believed. The offer then has no price, or an older one that is.
 */
export function quarantineOf(priceSource: string): string | null {
	const why = REFUSED.exec(priceSource)?.[1];
	return why === undefined ? null : `a price was refused: ${why}`;
}
