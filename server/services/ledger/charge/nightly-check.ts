import { and, eq, isNull, sql } from "drizzle-orm";
import { z } from "zod";
import type { Db, DbOrTx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { alert } from "#server/db/schema/alert.ts";
import { setting } from "#server/db/schema/setting.ts";
import { newId } from "#server/kernel/ids.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { type LedgerCheck, ledgerCheck } from "./check.ts";
import type { LedgerContext } from "./context.ts";

const CHECK_SETTING = "ledger_check";
/** Subject of the ledger's alert: there is one ledger. */
const SUBJECT = "ledger";
/** Number of differences kept for review. */
const KEPT_DIFFERENCES = 20;

const storedCheck = z.object({
	checkedAtMs: z.number(),
	/** Duration of the check. */
	tookMs: z.number(),
	ok: z.boolean(),
	/** Number of entries added up. */
	charges: z.number(),
	differenceCount: z.number(),
	differences: z.array(
		z.object({
			granularity: z.string(),
			bucketStartMs: z.number(),
			dimensions: z.string(),
			column: z.string(),
			rollup: z.string(),
			charges: z.string(),
		}),
	),
});
/** The last check of the ledger as stored; sums are decimal texts. */
export type StoredCheck = z.infer<typeof storedCheck>;

/** null before the first check. */
export async function readLedgerCheck(db: DbOrTx): Promise<StoredCheck | null> {
	const [row] = await db.select({ value: setting.value }).from(setting).where(eq(setting.key, CHECK_SETTING));
	const parsed = storedCheck.safeParse(row?.value);
	return parsed.success ? parsed.data : null;
}

/**
 * Checks the ledger when the last check is at least a day old or missing, stores the result, and opens or closes the alert
 * `ledger_mismatch`. Cost: reads every charge five times in one read-only transaction, about ten seconds per million. Returns
 * false when it was not due.
 */
export async function checkLedgerWhenDue(ctx: LedgerContext): Promise<boolean> {
	const last = await readLedgerCheck(ctx.db);
	if (last && ctx.clock.nowMs() - last.checkedAtMs < DAY_MS) return false;
	await checkLedgerNow(ctx);
	return true;
}

export async function checkLedgerNow(ctx: LedgerContext): Promise<StoredCheck> {
	const startedMs = ctx.clock.nowMs();
	const check = await ledgerCheck(ctx);
	const value: StoredCheck = {
		checkedAtMs: check.checkedAtMs,
		tookMs: Math.max(0, ctx.clock.nowMs() - startedMs),
		ok: check.ok,
		charges: check.charges,
		differenceCount: check.differences.length,
		differences: check.differences
			.slice(0, KEPT_DIFFERENCES)
			.map((d) => ({ ...d, rollup: d.rollup.toString(), charges: d.charges.toString() })),
	};
	await ctx.db.transaction(async (tx) => {
		await tx.insert(setting).values({ key: CHECK_SETTING, value }).onConflictDoUpdate({ target: setting.key, set: { value } });
		await raiseMismatch(tx, check);
		await notify(tx, { changes: [{ topic: "spend", id: null, team: null }] });
	});
	return value;
}

/** Keep one alert open while sums differ; the alert sender reads it from the table. */
async function raiseMismatch(tx: Parameters<Parameters<Db["transaction"]>[0]>[0], check: LedgerCheck): Promise<void> {
	const at = new Date(check.checkedAtMs);
	const [first] = check.differences;
	if (!first) {
		await tx
			.update(alert)
			.set({ closedAt: at })
			.where(and(eq(alert.rule, "ledger_mismatch"), eq(alert.subject, SUBJECT), isNull(alert.closedAt)));
		return;
	}
	const facts = {
		differences: check.differences.length,
		granularity: first.granularity,
		bucketStartMs: first.bucketStartMs,
		dimensions: first.dimensions,
		column: first.column,
		rollup: first.rollup.toString(),
		charges: first.charges.toString(),
	};
	await tx
		.insert(alert)
		.values({ id: newId("alrt", check.checkedAtMs), rule: "ledger_mismatch", subject: SUBJECT, team: null, facts, openedAt: at })
		.onConflictDoUpdate({ target: [alert.rule, alert.subject], targetWhere: sql`closed_at is null`, set: { facts } });
}
