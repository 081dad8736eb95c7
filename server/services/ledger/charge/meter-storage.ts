import { and, asc, eq, inArray, sql } from "drizzle-orm";
import { bucketStartMs } from "#server/accounting/calendar.ts";
import { meterStored, type StoredResult } from "#server/accounting/meter-storage.ts";
import type { Calendar } from "#server/accounting/zone.ts";
import type { DbOrTx, Tx } from "#server/db/client.ts";
import { artifact } from "#server/db/schema/artifact.ts";
import { job } from "#server/db/schema/job.ts";
import { store } from "#server/db/schema/store.ts";
import { EMBEDDED_STORE } from "#server/domain/store.ts";
import { storeDimensions } from "#server/domain/store-place.ts";
import { holdLedgerCalendar, ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { pricesOfStores, type StorePrice } from "#server/services/pricing/store/prices.ts";
import { lockStorePrice } from "#server/services/pricing/store/write-price.ts";
import { lockBudgetsOfJobs, postToBudgets } from "../budget/post-to-budgets.ts";
import type { LedgerContext } from "./context.ts";
import { postCharges } from "./post-charges.ts";

/** Results per transaction, and days of each: a long outage is caught up in steps. */
const RESULTS = 200;
const DAYS = 31;

/**
 * Charges storage of kept results for every ended day of the ledger's calendar, and deleted results up to their end. The charged-up-to time
 * of a result changes in the transaction that posts the charge, so a meter that is killed neither loses nor doubles a charge, and any
 * number of meters may run concurrently. Returns how many results it charged.
 */
export async function meterStorage(ctx: LedgerContext): Promise<number> {
	let count = 0;
	for (;;) {
		const step = await meterStep(ctx);
		count += step;
		if (step < RESULTS) return count;
	}
}

async function meterStep(ctx: LedgerContext): Promise<number> {
	const due = await dueResults(ctx.db, ctx.clock.nowMs(), await ledgerCalendar(ctx.db));
	if (due.length === 0) return 0;
	return ctx.db.transaction(async (tx) => {
		const calendar = await holdLedgerCalendar(tx);
		// A price set after this lock applies from a later time than any charged here.
		for (const id of [...new Set(due.map(({ storeId }) => storeId ?? EMBEDDED_STORE))].sort()) await lockStorePrice(tx, id);
		const nowMs = ctx.clock.nowMs();
		const budgets = await lockBudgetsOfJobs(tx, [...new Set(due.map(({ jobId }) => jobId))]);
		const results = await claim(tx, due, { nowMs, calendar });
		const metered = results.map((result) => ({ id: result.artifactId, ...meterStored(result, nowMs, { calendar, daysMax: DAYS }) }));
		await writeMetered(tx, metered);
		const charges = metered.flatMap((m) => m.charges);
		await postToBudgets(tx, charges, budgets);
		await postCharges(tx, charges, nowMs);
		return results.length;
	});
}

type Due = Pick<typeof artifact.$inferSelect, "id" | "jobId" | "storeId">;

/** Results with an ended day, or an end, that is not charged yet. Cost: the index artifact_due, which excludes finished results. */
function isDue(nowMs: number, calendar: Calendar) {
	const today = new Date(bucketStartMs("day", nowMs, calendar)).toISOString();
	const { createdAt, deletedAt, meteredUntil } = artifact;
	return sql`(${deletedAt} is null or ${meteredUntil} is null or ${meteredUntil} < ${deletedAt})
		and (case when ${deletedAt} is null then coalesce(${meteredUntil}, ${createdAt}) else '-infinity' end) < ${today}::timestamptz`;
}

function dueResults(db: DbOrTx, nowMs: number, calendar: Calendar): Promise<Due[]> {
	return db
		.select({ id: artifact.id, jobId: artifact.jobId, storeId: artifact.storeId })
		.from(artifact)
		.where(isDue(nowMs, calendar))
		.orderBy(asc(artifact.id))
		.limit(RESULTS);
}

/** The results that are still due and that no other meter is charging. */
async function claim(tx: Tx, due: readonly Due[], { nowMs, calendar }: { nowMs: number; calendar: Calendar }): Promise<StoredResult[]> {
	const ids = due.map(({ id }) => id);
	const rows = await tx
		.select({ artifact, work: { team: job.team, project: job.project, class: job.class } })
		.from(artifact)
		.innerJoin(job, eq(job.id, artifact.jobId))
		.where(and(inArray(artifact.id, ids), isDue(nowMs, calendar)))
		.orderBy(asc(artifact.id))
		.for("no key update", { of: artifact, skipLocked: true });
	const prices = await pricesOfStores(tx);
	const stores = new Map((await tx.select({ id: store.id, config: store.config }).from(store)).map((row) => [row.id, row]));
	// A result that moved to another store in the meantime has that store's price, which is not locked: the next step charges it.
	const storeOf = new Map(due.map(({ id, storeId }) => [id, storeId]));
	const same = rows.filter(({ artifact: row }) => storeOf.get(row.id) === row.storeId);
	return same.map(({ artifact: row, work }) => toStored(row, { work, prices, store: stores.get(row.storeId ?? "") ?? null }));
}

function toStored(
	row: typeof artifact.$inferSelect,
	of: {
		work: Pick<typeof job.$inferSelect, "team" | "project" | "class">;
		prices: ReadonlyMap<string, StorePrice[]>;
		store: Parameters<typeof storeDimensions>[0];
	},
): StoredResult {
	return {
		...{ artifactId: row.id, jobId: row.jobId, bytes: row.bytes, prices: of.prices.get(row.storeId ?? EMBEDDED_STORE) ?? [] },
		dimensions: { ...of.work, ...storeDimensions(of.store), accelerator: "" },
		createdMs: row.createdAt.getTime(),
		deletedMs: row.deletedAt?.getTime() ?? null,
		meteredUntilMs: row.meteredUntil?.getTime() ?? null,
	};
}

async function writeMetered(tx: Tx, metered: readonly { id: string; meteredUntilMs: number }[]): Promise<void> {
	const rows = metered.map(({ id, meteredUntilMs }) => ({ id, until: new Date(meteredUntilMs).toISOString() }));
	await tx.execute(sql`
		update artifact set metered_until = m.until
		from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as m(id text, until timestamptz) where artifact.id = m.id`);
}
