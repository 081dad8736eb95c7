const MICRO = 1_000_000n;

/** Dollars with all six decimals, for machines. */
export function exactDollars(microUsd: bigint): string {
	const abs = microUsd < 0n ? -microUsd : microUsd;
	return `${microUsd < 0n ? "-" : ""}${abs / MICRO}.${(abs % MICRO).toString().padStart(6, "0")}`;
}

/** Milligrams as kilograms, or milliwatt-hours as kilowatt-hours, with six decimals; empty if unknown. */
export function exactKilos(milli: bigint | null): string {
	return milli === null ? "" : exactDollars(milli);
}

/** Downloads text as a file. */
export function saveCsv(name: string, text: string): void {
	const url = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
	const link = Object.assign(document.createElement("a"), { href: url, download: name });
	link.click();
	URL.revokeObjectURL(url);
}
