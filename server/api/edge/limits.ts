import type { JsonBounds } from "./scan-json.ts";

export interface Door {
	/** Maximum bytes of a body that is read into memory. Streamed uploads have their own limits. */
	bodyBytes: number;
	json: JsonBounds;
	/** Time to send a body, ms. */
	bodyMs: number;
	/** Maximum calls in one batch. */
	batch: number;
}

const KIB = 1024;
const MIB = 1024 * KIB;
/** Allows 1,000 jobs of 100 fields each; the page with the deepest nesting has 12 levels. */
const JSON_BOUNDS: JsonBounds = { depth: 64, members: 200_000, keys: 10_000 };

/** Limits of each entry point, checked before anything is parsed. docs/security.md lists them. */
export const DOORS = {
	/** Sign-in, its callbacks, and forms of pages. */
	page: { bodyBytes: 64 * KIB, json: { depth: 16, members: 1_000, keys: 1_000 }, bodyMs: 10_000, batch: 1 },
	trpc: { bodyBytes: 8 * MIB, json: JSON_BOUNDS, bodyMs: 30_000, batch: 40 },
	rest: { bodyBytes: 8 * MIB, json: JSON_BOUNDS, bodyMs: 30_000, batch: 1 },
} satisfies Record<string, Door>;

export type DoorName = keyof typeof DOORS;

/** Next handles everything except REST and agents: tRPC and pages. */
export function pageDoorOf(path: string): DoorName {
	return path.startsWith("/api/trpc/") ? "trpc" : "page";
}
