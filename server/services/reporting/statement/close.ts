import { sql } from "drizzle-orm";
import type { z } from "zod";
import { buildStatement } from "#server/accounting/statement.ts";
import { isEquivalent } from "#server/accounting/statement-diff.ts";
import { closeInput } from "#server/contract/inputs/statement.ts";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { statement } from "#server/db/schema/statement.ts";
import { defined } from "#server/kernel/assert.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { newId } from "#server/kernel/ids.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import { actorName, type ServiceContext } from "#server/services/core/context.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { reportingCurrency } from "#server/services/pricing/currency/reporting-currency.ts";
import { readMonthFacts, teamsOf } from "./facts.ts";
import { sha256Of } from "./hash.ts";
import { meterLag } from "./meter-lag.ts";
import { type LedgerMonth, ledgerMonth } from "./month.ts";
import { newestOf, type StoredStatement } from "./stored.ts";

export type CloseInput = z.input<typeof closeInput>;

export interface ClosedMonth {
	month: string;
	/** Statements written by this close, the company ("") first. */
	written: { id: string; team: string; version: number; sha256: string }[];
	/** Teams with an unchanged statement, which keep their version. */
	unchanged: string[];
}

/**
 * Closes a month of the ledger's calendar. Writes a statement for the company and for every team with charges in it, all
 * from one snapshot, also in the reporting currency at current rates. Closing a month again writes new versions of the
 * statements that changed, with the reason.
 * @throws SpillwayError `forbidden`; `conflict` when the month is not over, nothing changed, or an exchange rate is
 * missing; `invalid_input` for a correction without a reason.
 */
export async function closeMonth(ctx: ServiceContext, raw: CloseInput): Promise<ClosedMonth> {
	authorize(ctx, "statement:close", null);
	const input = closeInput.parse(raw);
	const month = ledgerMonth(input.month, await ledgerCalendar(ctx.db));
	rejectOpenMonth(ctx, month);
	return ctx.db.transaction(
		async (tx) => {
			// Keeps out writers of charges and other closers: under the lock, every charge posted so far is committed.
			// Must come before the first query, which fixes the snapshot of the whole transaction.
			await tx.execute(sql`lock table charge in share row exclusive mode`);
			await rejectUnmetered(tx, month);
			const nowMs = ctx.clock.nowMs();
			const currency = await reportingCurrency(tx);
			const facts = await readMonthFacts(tx, month, {
				...{ only: null, currency },
				...{ postedUntilMs: nowMs, postedUntilNumber: await lastNumber(tx) },
			});
			const before = await newestOf(tx, month.month);
			rejectCorrection(month.month, before, input.correction);
			if (before.size === 0 && facts.rows.every((r) => r.month !== "this")) {
				throw new SpillwayError("conflict", `${month.month} has no charges to close.`);
			}
			const closed = await writeVersions(tx, ctx, { facts, before, correction: input.correction ?? null, nowMs });
			if (closed.written.length === 0) throw nothingChanged(month.month);
			return closed;
		},
		{ isolationLevel: "repeatable read" },
	);
}

/**
 * The number of the newest charge. A sequence returns its latest value regardless of the transaction's snapshot, and under
 * the lock no other process advances it.
 */
async function lastNumber(tx: Tx): Promise<number> {
	const [row] = await tx.execute<{ last: string }>(
		sql`select (case when is_called then last_value else 0 end)::text as last from charge_number`,
	);
	return Number(defined(row, "charge_number").last);
}

async function writeVersions(
	tx: Tx,
	ctx: ServiceContext,
	at: {
		facts: Awaited<ReturnType<typeof readMonthFacts>>;
		before: ReadonlyMap<string, StoredStatement>;
		correction: string | null;
		nowMs: number;
	},
): Promise<ClosedMonth> {
	const { facts, before, nowMs } = at;
	const result: ClosedMonth = { month: facts.month, written: [], unchanged: [] };
	for (const team of new Set([...teamsOf(facts.rows), ...before.keys()])) {
		const last = before.get(team);
		const content = buildStatement(facts, { team, version: (last?.version ?? 0) + 1, replaces: last?.sha256 ?? null });
		if (last && isEquivalent(last.content, content)) {
			result.unchanged.push(team);
			continue;
		}
		const row = {
			...{ id: newId("stmt", nowMs), month: facts.month, team, version: content.version, content, sha256: sha256Of(content) },
			...{ closedAt: new Date(nowMs), closedBy: actorName(ctx.actor), correction: last ? at.correction : null },
		};
		await tx.insert(statement).values(row);
		result.written.push({ id: row.id, team, version: row.version, sha256: row.sha256 });
		await writeAudit(tx, ctx, {
			action: "statement.close",
			subject: row.id,
			...(last ? { before: { version: last.version, sha256: last.sha256 } } : {}),
			after: { month: row.month, team, version: row.version, sha256: row.sha256, correction: row.correction },
		});
		await notify(tx, { changes: [{ topic: "statement", id: facts.month, team: team === "" ? null : team }] });
	}
	return result;
}

function rejectOpenMonth(ctx: ServiceContext, { month, toMs }: LedgerMonth): void {
	if (ctx.clock.nowMs() >= toMs) return;
	throw new SpillwayError("conflict", `${month} has not ended, so it cannot be closed.`, {
		fix: `Close it from ${new Date(toMs).toISOString()} on. Until then, use its preview.`,
	});
}

async function rejectUnmetered(tx: Tx, { month, toMs }: LedgerMonth): Promise<void> {
	const lag = await meterLag(tx, toMs);
	if (lag === 0) return;
	throw new SpillwayError(
		"conflict",
		`${month} is not fully charged yet: metering is not complete for ${lag} of the machines, pools and commitments.`,
		{
			fix: "Try again in a minute, or in two hours if you have commitments. If this persists, check that the scheduler is running.",
		},
	);
}

function rejectCorrection(month: string, before: ReadonlyMap<string, StoredStatement>, correction: string | undefined): void {
	if (before.size === 0 || correction !== undefined) return;
	throw new SpillwayError("invalid_input", `${month} is already closed. A correction needs a reason.`, {
		fields: [{ path: "correction", message: "must give the reason for the correction" }],
		fix: "Give the reason in one sentence.",
	});
}

function nothingChanged(month: string): SpillwayError {
	return new SpillwayError("conflict", `${month} has not changed since it was closed.`);
}
