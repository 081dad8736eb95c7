/** Below this progress, no estimate is shown. */
const LEAST_PERMILLE = 50;

/**
 * Estimates the time left from the progress so far: ms, rounded to seconds. Null with too little progress, and after the end.
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
