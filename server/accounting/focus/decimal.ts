/** Exact decimal text of value / 10^scale, without trailing zeros: decimalText(1234500n, 6) is "1.2345". */
export function decimalText(value: bigint, scale: number): string {
	const digits = value < 0n ? (-value).toString() : value.toString();
	const sign = value < 0n ? "-" : "";
	if (scale === 0) return sign + digits;
	const padded = digits.length > scale ? digits : digits.padStart(scale + 1, "0");
	let end = padded.length;
	const point = padded.length - scale;
	while (end > point && padded.charCodeAt(end - 1) === 48) end--;
	return end === point ? sign + padded.slice(0, point) : `${sign}${padded.slice(0, point)}.${padded.slice(point, end)}`;
}

/** a / b rounded to the nearest integer, halves away from zero. b must be positive. */
export function divideRounded(a: bigint, b: bigint): bigint {
	const doubled = 2n * a;
	return a < 0n ? -((b - doubled) / (2n * b)) : (doubled + b) / (2n * b);
}

export function absolute(value: bigint): bigint {
	return value < 0n ? -value : value;
}

const NUMBER = /^(-?)(\d*)(?:\.(\d*))?(?:[eE](-?\d{1,4}))?$/;

/**
 * Parses FOCUS's numeric format (plain or E notation) to whole units of 10^-scale, rounding finer values half away
 * from zero. null if it is not a number.
 */
export function parseDecimal(text: string, scale: number): bigint | null {
	const match = NUMBER.exec(text);
	if (!match) return null;
	const [, sign, whole = "", fraction = "", exponent = "0"] = match;
	if (whole === "" && fraction === "") return null;
	const shift = scale + Number(exponent) - fraction.length;
	if (shift > 60) return null;
	const digits = BigInt(whole + fraction);
	const value = shift >= 0 ? digits * 10n ** BigInt(shift) : shift < -400 ? 0n : divideRounded(digits, 10n ** BigInt(-shift));
	return sign === "-" ? -value : value;
}
