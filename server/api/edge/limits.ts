import type { JsonBounds } from "./scan-json.ts";

export interface Door {
	/** Bytes of a body that is read into memory. Streamed uploads have their own limits. */
	bodyBytes: number;
	json: JsonBounds;
	/** Time to send a body, ms. */
	bodyMs: number;
	/** Calls in one batch. */
	batch: number;
}

const KIB = 1024;
const MIB = 1024 * KIB;
/** 1,000 jobs of 100 fields each fit; the page with the most nesting has 12 levels. */
const JSON_BOUNDS: JsonBounds = { depth: 64, members: 200_000, keys: 10_000 };

/** What each entrance reads at most, checked before anything is parsed. docs/security.md lists them. */
export const DOORS = {
	/** Sign-in, its callbacks, and forms of pages. */
	page: { bodyBytes: 64 * KIB, json: { depth: 16, members: 1_000, keys: 1_000 }, bodyMs: 10_000, batch: 1 },
	trpc: { bodyBytes: 8 * MIB, json: JSON_BOUNDS, bodyMs: 30_000, batch: 40 },
	rest: { bodyBytes: 8 * MIB, json: JSON_BOUNDS, bodyMs: 30_000, batch: 1 },
} satisfies Record<string, Door>;

export type DoorName = keyof typeof DOORS;

/** Next answers everything else than REST and agents: tRPC and pages. */
export function pageDoorOf(path: string): DoorName {
	return path.startsWith("/api/trpc/") ? "trpc" : "page";
}
