import { constants } from "node:os";
import type { Exit } from "#server/domain/outcome.ts";

/**
 * Shells and container engines report a death by signal n as 128 + n. A command that exits with such a code is therefore reported
 * as killed.
 */
export function exitOfStatus(status: number): Exit {
	const signal = Object.entries(constants.signals).find(([, number]) => number === status - 128)?.[0] ?? null;
	return { code: signal === null ? status : null, signal, error: null };
}
