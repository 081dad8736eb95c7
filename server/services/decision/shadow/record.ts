import { sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { shadowDecision } from "#server/db/schema/shadow.ts";
import type { Policy } from "#server/domain/policy.ts";
import { decide } from "#server/scheduling/decide.ts";
import type { DecideMemo, Plan, Snapshot } from "#server/scheduling/types.ts";
import { policyOf, runningShadow } from "./active.ts";
import { agree, choicesOf, draftSnapshot, inWords, isFinal } from "./choices.ts";

/** How often to check whether a shadow was started or stopped. */
const LOOK_EVERY_MS = 1_000;
/**
 * A shadow may use this share of the control loop's time, plus this burst. Beyond that it pauses, and placements during the pause are not
 * compared.
 */
const SHARE_MAX = 0.2;
const AHEAD_MAX_MS = 1_000;
const ROWS_MAX = 500;

/** A leader's shadow state between cycles. */
export interface ShadowMemory {
	lookedAtMs: number;
	running: { id: string; policy: Policy } | null;
	memo: DecideMemo;
	/** Time used beyond its share, at a time by performance.now(). */
	aheadMs: number;
	aheadAtMs: number;
	/** Recorded outcomes, by waiting job. */
	known: Map<string, string>;
}

export function newShadowMemory(): ShadowMemory {
	return { lookedAtMs: Number.NEGATIVE_INFINITY, running: null, memo: { kept: new Map() }, aheadMs: 0, aheadAtMs: 0, known: new Map() };
}

/** Runs the draft on the snapshot that was just decided, and records differences and agreement. It has no other effect. */
export async function recordShadow(db: Db, snapshot: Snapshot, plan: Plan, memory: ShadowMemory): Promise<number> {
	await look(db, snapshot, memory);
	const { running } = memory;
	const began = performance.now();
	memory.aheadMs = Math.max(0, memory.aheadMs - SHARE_MAX * (began - memory.aheadAtMs));
	memory.aheadAtMs = began;
	if (!running || snapshot.pending.length === 0 || memory.aheadMs > AHEAD_MAX_MS) return 0;
	const other = decideOf(snapshot, running.policy, memory);
	memory.aheadMs += performance.now() - began;
	const published = choicesOf(plan);
	const draft = choicesOf(other);
	const rows: (typeof shadowDecision.$inferInsert)[] = [];
	for (const [jobId, mine] of published) {
		const its = draft.get(jobId);
		if (!its || rows.length >= ROWS_MAX) continue;
		const outcome = `${mine.outcome} ${its.outcome} ${its.place}`;
		// For a job that waits under both policies, nothing is written until one of them would place it.
		if (!isFinal(mine) && (memory.known.get(jobId) ?? "waits waits null") === outcome) continue;
		if (isFinal(mine)) memory.known.delete(jobId);
		else memory.known.set(jobId, outcome);
		const at = new Date(snapshot.nowMs);
		rows.push({ shadowId: running.id, jobId, decidedAt: at, agrees: agree(mine, its), published: inWords(mine), draft: inWords(its) });
	}
	if (rows.length === 0) return 0;
	await db
		.insert(shadowDecision)
		.values(rows)
		.onConflictDoUpdate({
			target: [shadowDecision.shadowId, shadowDecision.jobId],
			set: {
				decidedAt: sql`excluded.decided_at`,
				agrees: sql`excluded.agrees`,
				published: sql`excluded.published`,
				draft: sql`excluded.draft`,
			},
		});
	return rows.length;
}

async function look(db: Db, { nowMs, policy }: Snapshot, memory: ShadowMemory): Promise<void> {
	if (nowMs - memory.lookedAtMs < LOOK_EVERY_MS && nowMs >= memory.lookedAtMs) return;
	memory.lookedAtMs = nowMs;
	const row = await runningShadow(db, policy.name);
	if (row?.id === memory.running?.id) return;
	const draft = row && policyOf(row);
	memory.running = row && draft ? { id: row.id, policy: draft } : null;
	memory.memo.kept.clear();
	memory.known.clear();
}

/** A failed decision may leave its memo half updated. */
function decideOf(snapshot: Snapshot, policy: Policy, { memo }: ShadowMemory): Plan {
	try {
		return decide(draftSnapshot(snapshot, policy), { memo, brief: true });
	} catch (error) {
		memo.kept.clear();
		throw error;
	}
}
