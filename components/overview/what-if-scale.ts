/** A slider's end and step, in dollars. */
export interface WhatIfScale {
	max: number;
	step: number;
}

/** The slider ends above twice the cap and above the forecast, in about 200 round steps of at least a cent. */
export function whatIfScale({ capUsd, highUsd }: { capUsd: number; highUsd: number }): WhatIfScale {
	const end = Math.max(capUsd * 2, highUsd * 1.25, 1);
	const step = roundUp(end / 200);
	return { max: Number((Math.ceil(end / step) * step).toFixed(2)), step };
}

/** The next of 1, 2 and 5 times a power of ten; at least a cent. */
function roundUp(value: number): number {
	const power = 10 ** Math.floor(Math.log10(value));
	const factor = [1, 2, 5, 10].find((f) => f * power >= value * (1 - 1e-9)) ?? 10;
	return Math.max(0.01, Number((factor * power).toPrecision(2)));
}
