/** "12,480". The grouping is fixed so that server and browser match. */
export function formatCount(value: number): string {
	return Math.round(value).toLocaleString("en-US");
}

/** A share from 0 to 1 as "26%"; below 10% with one decimal unless whole. */
export function formatPercent(share: number): string {
	const percent = share * 100;
	const digits = Math.abs(percent) < 10 && Math.abs(percent - Math.round(percent)) >= 0.05 ? 1 : 0;
	return `${minus(percent.toFixed(digits))}%`;
}

/** A probability in whole percent, "37%"; forecasts cannot distinguish values beyond 1% and 99%. */
export function formatChance(share: number): string {
	return share < 0.01 ? "under 1%" : share > 0.99 ? "over 99%" : `${Math.round(share * 100)}%`;
}

/** A change as "+18%", "−9%" or "0%". */
export function formatChange(share: number): string {
	const rounded = Math.round(share * 100);
	return rounded > 0 ? `+${rounded}%` : `${minus(String(rounded))}%`;
}

/** Three significant digits for mixed sizes: 0.42, 6.42, 49.7, 334. */
export function formatThreeDigits(value: number): string {
	const abs = Math.abs(value);
	if (abs === 0) return "0";
	if (abs >= 99.95) return minus(formatCount(value));
	return minus(value.toFixed(abs >= 9.995 ? 1 : 2));
}

/** A real minus sign: as wide as a plus and not a line-breaking hyphen. */
export function minus(text: string): string {
	return text === "-0" ? "0" : text.replace(/^-/, "−");
}
