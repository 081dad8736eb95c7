import { isDeepStrictEqual } from "node:util";
import { SpillwayError } from "#server/kernel/errors.ts";

/**
 * Refuses to replace a list by one that was made from another: what somebody else wrote meanwhile would be lost.
 * `seen` undefined: whatever is there is replaced.
 * @throws SpillwayError `conflict`.
 */
export function refuseUnseen(now: unknown, seen: unknown, what: string): void {
	if (seen === undefined || isDeepStrictEqual(now, seen)) return;
	throw new SpillwayError("conflict", `${what} were changed by someone else.`, {
		fix: "Reload them and make the change again.",
	});
}
