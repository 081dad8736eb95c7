import { and, asc, desc, eq, inArray, isNotNull, isNull, like, lte, sql } from "drizzle-orm";
import type { Db, DbOrTx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { alert } from "#server/db/schema/alert.ts";
import { artifact, artifactFile } from "#server/db/schema/artifact.ts";
import { resultDelivery } from "#server/db/schema/delivery-target.ts";
import { job } from "#server/db/schema/job.ts";
import { homeFolderOf } from "#server/domain/delivery-target.ts";
import { egressOfDelivery, postDeliveryEgress } from "#server/services/ledger/charge/delivery-egress.ts";
import { openAlert } from "#server/services/notification/alert/open.ts";

/** Failures before an alert is sent. */
const ALERT_FAILURES = 3;
/** A folder contains the files of the latest delivery, and after interruptions also those of a few earlier ones. */
const LATEST_DELIVERIES = 10;

export type DueDelivery = typeof resultDelivery.$inferSelect & {
	storeId: string | null;
	jobId: string;
	jobName: string;
	team: string;
	name: string;
};

/** Deliveries to try now, oldest first. Deleted results are not delivered any more. */
export async function dueDeliveries(db: Db, nowMs: number, limit: number): Promise<DueDelivery[]> {
	const rows = await db
		.select({
			delivery: resultDelivery,
			storeId: artifact.storeId,
			jobId: artifact.jobId,
			jobName: job.name,
			team: artifact.team,
			name: artifact.name,
		})
		.from(resultDelivery)
		.innerJoin(artifact, eq(artifact.id, resultDelivery.artifactId))
		.innerJoin(job, eq(job.id, artifact.jobId))
		.where(and(eq(resultDelivery.state, "pending"), lte(resultDelivery.nextAt, new Date(nowMs)), isNull(artifact.deletedAt)))
		.orderBy(asc(resultDelivery.nextAt))
		.limit(limit);
	return rows.map(({ delivery, ...facts }) => ({ ...delivery, ...facts }));
}

/** Records a delivery and charges its egress. Recording it again charges nothing. */
export async function recordDelivered(db: Db, row: DueDelivery, nowMs: number): Promise<void> {
	await db.transaction(async (tx) => {
		const egress = await egressOfDelivery(tx, row.artifactId, nowMs);
		const done = await tx
			.update(resultDelivery)
			.set({ state: "delivered", deliveredAt: new Date(nowMs), error: null })
			.where(and(eq(resultDelivery.id, row.id), eq(resultDelivery.state, "pending")))
			.returning({ id: resultDelivery.id });
		if (done.length === 0) return;
		await tx
			.update(alert)
			.set({ closedAt: new Date(nowMs) })
			.where(and(eq(alert.rule, "delivery_failing"), eq(alert.subject, row.id), isNull(alert.closedAt)));
		await notify(tx, { changes: [{ topic: "job", id: row.jobId, team: row.team }] });
		await postDeliveryEgress(tx, egress, nowMs);
	});
}

export async function recordDeliveryFailure(
	db: Db,
	row: DueDelivery,
	input: { failures: number; error: string; nextAt: Date; isOver: boolean; nowMs: number },
): Promise<void> {
	const { failures, nextAt, isOver, nowMs } = input;
	const error = input.error.slice(0, 1_000);
	await db.transaction(async (tx) => {
		const state = isOver ? ("failed" as const) : ("pending" as const);
		await tx.update(resultDelivery).set({ failures, error, nextAt, state }).where(eq(resultDelivery.id, row.id));
		if (failures >= ALERT_FAILURES) {
			const facts = { job: row.jobName, jobId: row.jobId, name: row.name, target: row.target, error, failures };
			await openAlert(tx, { rule: "delivery_failing", subject: row.id, team: row.team, facts }, nowMs);
		}
		await notify(tx, { changes: [{ topic: "job", id: row.jobId, team: row.team }] });
	});
}

/** Files that can be in the `home:` folder of a delivery because Spillway put them there: its own, and those of the team's latest ones. */
export async function filesDeliveredTo(db: Db, row: DueDelivery): Promise<{ path: string; bytes: number; sha256: string }[]> {
	const sameFolder = sql`trim(both '/' from substr(${resultDelivery.target}, 6)) = ${homeFolderOf(row.target)}`;
	const latest = await db
		.select({ artifactId: resultDelivery.artifactId })
		.from(resultDelivery)
		.innerJoin(artifact, and(eq(artifact.id, resultDelivery.artifactId), eq(artifact.team, row.team)))
		.where(and(isNotNull(resultDelivery.deliveredAt), like(resultDelivery.target, "home:%"), sameFolder))
		.orderBy(desc(resultDelivery.deliveredAt))
		.limit(LATEST_DELIVERIES);
	const files = await db
		.select({ path: artifactFile.path, bytes: artifactFile.bytes, sha256: artifactFile.sha256 })
		.from(artifactFile)
		.where(inArray(artifactFile.artifactId, [row.artifactId, ...latest.map(({ artifactId }) => artifactId)]));
	return files.map((file) => ({ ...file, bytes: Number(file.bytes) }));
}

export interface DeliveryView {
	target: string;
	state: "pending" | "delivered" | "failed";
	failures: number;
	error: string | null;
	nextAt: string | null;
	deliveredAt: string | null;
}

/** Deliveries of results, by result. */
export async function deliveriesOf(db: DbOrTx, artifactIds: readonly string[]): Promise<Map<string, DeliveryView[]>> {
	if (artifactIds.length === 0) return new Map();
	const rows = await db
		.select()
		.from(resultDelivery)
		.where(inArray(resultDelivery.artifactId, [...artifactIds]));
	return Map.groupBy(rows.map(viewOf), ({ artifactId }) => artifactId);
}

function viewOf(row: typeof resultDelivery.$inferSelect): DeliveryView & { artifactId: string } {
	const { artifactId, target, state, failures, error, nextAt, deliveredAt } = row;
	const next = state === "pending" ? nextAt.toISOString() : null;
	return { artifactId, target, state, failures, error, nextAt: next, deliveredAt: deliveredAt?.toISOString() ?? null };
}
