import { promisify } from "node:util";
import { deflateRaw } from "node:zlib";
import { lt, sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { decisionPart } from "#server/db/schema/decision-part.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import type { Snapshot } from "#server/scheduling/types.ts";
import { partsOf } from "./input-parts.ts";

/** Parts unused by decisions for this long are deleted. The decision itself stays, but can no longer be replayed. */
export const KEPT_DAYS = 90;
/** Rows per statement. */
const BATCH = 200;
const KNOWN_MAX = 20_000;

/** Stored parts, so that most cycles write little; losing it costs inserts that change nothing. */
export interface InputMemory {
	/** Hash → the last day (UTC ms) on which it was used. */
	known: Map<string, number>;
	tidiedAtMs: number;
}

export function newInputMemory(): InputMemory {
	return { known: new Map(), tidiedAtMs: Number.NEGATIVE_INFINITY };
}

const deflate = promisify(deflateRaw);

/**
 * Stores the input of a cycle's decisions and returns the hash that decisions refer to. Cost: the text of the changes since the last time,
 * and a hash over everything; only new parts are compressed and written.
 */
export async function recordInput(db: Db, snapshot: Snapshot, memory: InputMemory): Promise<string> {
	const { hash, texts } = partsOf(snapshot);
	const day = Math.floor(snapshot.nowMs / DAY_MS) * DAY_MS;
	const fresh = [...texts].filter(([name]) => (memory.known.get(name) ?? Number.NEGATIVE_INFINITY) < day);
	for (let i = 0; i < fresh.length; i += BATCH) {
		const batch = fresh.slice(i, i + BATCH);
		const rows = await Promise.all(batch.map(async ([name, text]) => ({ hash: name, body: await deflate(text), usedAt: new Date(day) })));
		await db
			.insert(decisionPart)
			.values(rows)
			.onConflictDoUpdate({ target: decisionPart.hash, set: { usedAt: sql`greatest(${decisionPart.usedAt}, excluded.used_at)` } });
		for (const [name] of batch) memory.known.set(name, day);
	}
	if (memory.known.size > KNOWN_MAX) memory.known = new Map([...memory.known].filter(([name]) => texts.has(name)));
	await tidy(db, day, memory);
	return hash;
}

async function tidy(db: Db, day: number, memory: InputMemory): Promise<void> {
	if (day <= memory.tidiedAtMs) return;
	memory.tidiedAtMs = day;
	await db.delete(decisionPart).where(lt(decisionPart.usedAt, new Date(day - KEPT_DAYS * DAY_MS)));
}
