/** Progress that is too little to extrapolate from. */
const LEAST_PERMILLE = 50;

/**
 * Time left by the progress so far, ms, in whole seconds; null before there is enough progress, and after the end.
 */
export function backtestLeftMs(
	backtest: { progressPermille: number; startedAt: string | null; finishedAt: string | null },
	nowMs: number,
): number | null {
	const { progressPermille, startedAt, finishedAt } = backtest;
	if (startedAt === null || finishedAt !== null || progressPermille < LEAST_PERMILLE) return null;
	const elapsedMs = Math.max(0, nowMs - Date.parse(startedAt));
	return Math.ceil((elapsedMs * (1_000 - progressPermille)) / progressPermille / 1_000) * 1_000;
}
