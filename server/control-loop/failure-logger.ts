import { SpillwayError } from "#server/kernel/errors.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import type { LoopContext } from "./context.ts";
import { messageOf } from "./messages.ts";

/**
 * Logs failures of a task that is retried within seconds: a new message at once, the same one again at most once a minute with the
 * number of failures since. A SpillwayError is a warning: a person can end it, for example by publishing the first policy.
 */
export function failureLogger(ctx: Pick<LoopContext, "clock" | "log">, name: string): (error: unknown) => void {
	let last: { message: string; atMs: number } | null = null;
	let unlogged = 0;
	return (error) => {
		const message = messageOf(error);
		const nowMs = ctx.clock.nowMs();
		if (last?.message === message && Math.abs(nowMs - last.atMs) < MINUTE_MS) {
			unlogged++;
			return;
		}
		ctx.log(error instanceof SpillwayError ? "warn" : "error", `${name} failed; retrying`, {
			error: message,
			...(unlogged > 0 && { failuresSince: unlogged }),
		});
		last = { message, atMs: nowMs };
		unlogged = 0;
	};
}
