import { eq } from "drizzle-orm";
import { z } from "zod";
import type { Db, DbOrTx } from "#server/db/client.ts";
import { auditSeal } from "#server/db/schema/audit-seal.ts";
import { setting } from "#server/db/schema/setting.ts";
import type { Clock } from "#server/kernel/clock.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { GENESIS } from "./canonical.ts";
import { raiseChainAlert } from "./chain-alert.ts";
import { BREAK_KINDS, breakSentence } from "./chain-break.ts";
import { type ChainHead, readHead } from "./head.ts";
import { type ChainPosition, type Verification, verifyChain } from "./verify.ts";

const CHECK_SETTING = "audit_check";

const storedCheck = z.object({
	checkedAtMs: z.number(),
	/** Every seal up to this one was valid. */
	verified: z.object({ sequence: z.number(), hash: z.string() }),
	/** Time of the last full walk from the first seal; between two of them only new entries are checked. */
	fullAtMs: z.number(),
	broken: z.object({ kind: z.enum(BREAK_KINDS), sequence: z.number().nullable(), auditId: z.number().nullable() }).nullable(),
});
export type StoredChainCheck = z.infer<typeof storedCheck>;

/** null before the first check. */
export async function readChainCheck(db: DbOrTx): Promise<StoredChainCheck | null> {
	const [row] = await db.select({ value: setting.value }).from(setting).where(eq(setting.key, CHECK_SETTING));
	return storedCheck.safeParse(row?.value).data ?? null;
}

/**
 * Verifies the entries sealed since the last check, and once a day the whole chain. A break is checked again from the start
 * each time, so it is reported until it is fixed. The last verified hash is kept, so entries that were truncated or rewritten
 * since then are found too.
 */
export async function checkChain(ctx: { db: Db; clock: Clock }, signal?: AbortSignal): Promise<StoredChainCheck> {
	const last = await readChainCheck(ctx.db);
	const nowMs = ctx.clock.nowMs();
	const full = last === null || last.broken !== null || nowMs - last.fullAtMs >= DAY_MS;
	const from: ChainPosition = full ? { sequence: 0, hash: GENESIS } : last.verified;
	// After truncation no entry would follow the verified seal, which must still exist.
	const cut = last !== null && !(await isUnchanged(ctx.db, last.verified));
	const whole = full || cut;
	const found = await walk(ctx, {
		...(whole ? {} : { from }),
		...(whole && last !== null ? { head: last.verified.hash } : {}),
		...(signal ? { signal } : {}),
	});
	const value: StoredChainCheck = {
		checkedAtMs: nowMs,
		// Do not remember the hash of rewritten entries.
		verified: found.broken === null || last === null ? found.verified : last.verified,
		fullAtMs: whole ? nowMs : (last?.fullAtMs ?? nowMs),
		broken: found.broken,
	};
	await ctx.db.transaction(async (tx) => {
		await tx.insert(setting).values({ key: CHECK_SETTING, value }).onConflictDoUpdate({ target: setting.key, set: { value } });
		await raiseChainAlert(tx, value.broken, nowMs);
	});
	return value;
}

async function isUnchanged(db: Db, verified: ChainPosition): Promise<boolean> {
	if (verified.sequence === 0) return true;
	const [row] = await db.select({ hash: auditSeal.hash }).from(auditSeal).where(eq(auditSeal.sequence, verified.sequence));
	return row?.hash === verified.hash;
}

async function walk(ctx: { db: Db; clock: Clock }, options: Parameters<typeof verifyChain>[1]): Promise<Verification> {
	const steps = verifyChain(ctx, options);
	for (;;) {
		const step = await steps.next();
		if (step.done) return step.value;
	}
}

export interface ChainState {
	head: ChainHead | null;
	/** The scheduler's last check; null before the first. */
	lastCheck: (StoredChainCheck & { sentence: string | null }) | null;
}

/** @throws SpillwayError `forbidden`. */
export async function chainState(ctx: ServiceContext): Promise<ChainState> {
	authorize(ctx, "audit:read", null);
	const [head, check] = await Promise.all([readHead(ctx.db), readChainCheck(ctx.db)]);
	return { head, lastCheck: check && { ...check, sentence: check.broken && breakSentence(check.broken) } };
}
