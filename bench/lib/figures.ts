/** The value below which a share `q` of the samples lies (nearest rank). */
export function quantile(samples: readonly number[], q: number): number {
	const sorted = samples.toSorted((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(q * sorted.length) - 1))] ?? Number.NaN;
}

export function round(value: number, digits = 1): number {
	return Number(value.toFixed(digits));
}

/** JSON with --json, else one line per figure. */
export function print(json: boolean, title: string, figures: Record<string, number | string>): void {
	if (json) {
		process.stdout.write(`${JSON.stringify(figures)}\n`);
		return;
	}
	const width = Math.max(...Object.keys(figures).map((k) => k.length));
	process.stdout.write(
		`${title}\n${Object.entries(figures)
			.map(([k, v]) => `  ${k.padEnd(width)}  ${v}`)
			.join("\n")}\n`,
	);
}
