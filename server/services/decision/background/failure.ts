import { SpillwayError } from "#server/kernel/errors.ts";

const WHY_CHARS = 300;

/** Why a backtest failed, for people. An unexpected error shows its innermost cause: its wrapper may be a whole query. */
export function failureOf(error: unknown): string {
	if (error instanceof SpillwayError) return error.message;
	let cause = error;
	while (cause instanceof Error && cause.cause !== undefined) cause = cause.cause;
	const [why = ""] = (cause instanceof Error ? cause.message : String(cause)).split("\n");
	return `It ended with an error that no one foresaw: ${why.slice(0, WHY_CHARS)}. Run it again; if it fails again, look into the scheduler's log.`;
}
