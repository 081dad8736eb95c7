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

/** Before, each cause that changed anything, and after; each step begins where the one before it ended. `order`: of the causes. */
export function waterfall<Cause extends string>(
	{ beforeAmount, afterAmount, byCause }: Change<Cause>,
	order: readonly Cause[],
): WaterfallStep<Cause>[] {
	const of = (cause: Cause): bigint => byCause[cause] ?? 0n;
	const causes = order.filter((cause) => of(cause) !== 0n);
	const levels = [beforeAmount];
	for (const cause of causes) levels.push((levels.at(-1) ?? 0n) + of(cause));
	const all = [0n, afterAmount, ...levels].map(Number);
	const [least, most] = [Math.min(...all), Math.max(...all)];
	const at = (amount: bigint) => (most === least ? 0 : (Number(amount) - least) / (most - least));
	return [
		{ cause: "before", amount: beforeAmount, from: at(0n), to: at(beforeAmount) },
		...causes.map((cause, i) => ({ cause, amount: of(cause), from: at(levels[i] ?? 0n), to: at(levels[i + 1] ?? 0n) })),
		{ cause: "after", amount: afterAmount, from: at(0n), to: at(afterAmount) },
	];
}
