/** Amounts of one unit: micro-dollars, or mg CO2e. */
export interface Change<Cause extends string> {
	beforeAmount: bigint;
	afterAmount: bigint;
	byCause: Partial<Record<Cause, bigint>>;
}

/** A bar of the waterfall. Positions are shares of the width, 0 to 1. */
export interface WaterfallStep<Cause extends string> {
	cause: Cause | "before" | "after";
	amount: bigint;
	from: number;
	to: number;
}

/** Bars from zero to the largest level, or, when all levels are close together, from `originAmount` with a marked break. */
export interface Waterfall<Cause extends string> {
	originAmount: bigint;
	steps: WaterfallStep<Cause>[];
}

/** The axis is broken where the levels would otherwise differ by less than this share of the width. */
const SPREAD_MIN = 1 / 3;
/** Share of the spread that is left below the lowest level of a broken axis. */
const BELOW = 1 / 4;

/** Before, each cause that changed anything, and after; each step begins where the one before it ended. `order`: of the causes. */
export function waterfall<Cause extends string>(
	{ beforeAmount, afterAmount, byCause }: Change<Cause>,
	order: readonly Cause[],
): Waterfall<Cause> {
	const of = (cause: Cause): bigint => byCause[cause] ?? 0n;
	const causes = order.filter((cause) => of(cause) !== 0n);
	const levels = [beforeAmount];
	for (const cause of causes) levels.push((levels.at(-1) ?? 0n) + of(cause));
	const originAmount = originOf([afterAmount, ...levels].map(Number));
	const all = [originAmount, afterAmount, ...levels].map(Number);
	const [least, most] = [Math.min(...all), Math.max(...all)];
	const at = (amount: bigint) => (most === least ? 0 : (Number(amount) - least) / (most - least));
	const total = (cause: "before" | "after", amount: bigint) => ({ cause, amount, from: at(originAmount), to: at(amount) });
	return {
		originAmount,
		steps: [
			total("before", beforeAmount),
			...causes.map((cause, i) => ({ cause, amount: of(cause), from: at(levels[i] ?? 0n), to: at(levels[i + 1] ?? 0n) })),
			total("after", afterAmount),
		],
	};
}

/** Zero, or a round amount below the lowest of levels that are close together. */
function originOf(levels: readonly number[]): bigint {
	const [least, most] = [Math.min(...levels), Math.max(...levels)];
	const spread = most - least;
	if (spread === 0 || spread >= SPREAD_MIN * most) return 0n;
	const unit = 10 ** Math.floor(Math.log10(spread));
	return BigInt(Math.max(0, Math.floor((least - BELOW * spread) / unit) * unit));
}
