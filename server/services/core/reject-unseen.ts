import { isDeepStrictEqual } from "node:util";
import { SpillwayError } from "#server/kernel/errors.ts";

/**
 * Rejects replacing a list with one derived from an outdated list, which would lose another person's changes.
 * `seen` undefined: any list may be replaced.
 * @throws SpillwayError `conflict`.
 */
export function rejectUnseen(now: unknown, seen: unknown, what: string): void {
	if (seen === undefined || isDeepStrictEqual(now, seen)) return;
	throw new SpillwayError("conflict", `${what} were changed by someone else.`, {
		fix: "Reload them and make the change again.",
	});
}
