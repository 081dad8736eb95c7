import { z } from "zod";
import { SpillwayError } from "#server/kernel/errors.ts";
import { LAST_INSTANT_MS } from "#server/kernel/units.ts";

const position = z.tuple([z.number().min(0).max(LAST_INSTANT_MS), z.string().regex(/^[\w-]{1,64}$/)]);

/** A position in a list ordered by time and id, as an opaque text. */
export function encodeCursor(atMs: number, id: string): string {
	return Buffer.from(JSON.stringify([atMs, id])).toString("base64url");
}

/** @throws SpillwayError `invalid_input` when it is not a cursor issued by Spillway. */
export function decodeCursor(cursor: string): { atMs: number; id: string } {
	try {
		const [atMs, id] = position.parse(JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")));
		return { atMs, id };
	} catch {
		throw new SpillwayError("invalid_input", "Invalid cursor.", {
			fields: [{ path: "cursor", message: "use nextCursor of the previous page" }],
		});
	}
}
