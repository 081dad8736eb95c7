const MICRO = 1_000_000n;

/** Dollars with all six digits, as a machine reads them. */
export function exactDollars(microUsd: bigint): string {
	const abs = microUsd < 0n ? -microUsd : microUsd;
	return `${microUsd < 0n ? "-" : ""}${abs / MICRO}.${(abs % MICRO).toString().padStart(6, "0")}`;
}

/** Milligrams as kilograms, milliwatt-hours as kilowatt-hours, with all six digits; empty where it is not known. */
export function exactKilos(milli: bigint | null): string {
	return milli === null ? "" : exactDollars(milli);
}

/** Lines of fields as CSV (RFC 4180), the first of them the head. */
export function csvText(lines: readonly (readonly string[])[]): string {
	return `${lines.map((line) => line.map(field).join(",")).join("\r\n")}\r\n`;
}

/** A field that a spreadsheet takes for text, never for a formula: an apostrophe in front, which it does not show. Numbers stay. */
function field(text: string): string {
	const safe = /^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${text}` : text;
	return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Hands a text out as a file. */
export function saveCsv(name: string, text: string): void {
	const url = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
	const link = Object.assign(document.createElement("a"), { href: url, download: name });
	link.click();
	URL.revokeObjectURL(url);
}
