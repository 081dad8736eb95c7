import { type Interval, monthOfKey } from "#server/accounting/calendar.ts";
import { EXPORT_COLUMNS } from "#server/accounting/focus/columns.ts";
import { csvRecord } from "#server/accounting/focus/csv.ts";
import type { BillingPeriod, ExportFacts } from "#server/accounting/focus/facts.ts";
import { fixedCells } from "#server/accounting/focus/fixed-cells.ts";
import { type RowPlan, rowPlan, rowRecord } from "#server/accounting/focus/row.ts";
import type { Db } from "#server/db/client.ts";
import { defined } from "#server/kernel/assert.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { cutAt, readCut } from "../spend/cut.ts";
import {
	type ChargeBatch,
	type ChargeSelection,
	parseOwn,
	parseShared,
	readChargeBatch,
	type SharedFields,
	sharedPartOf,
} from "./charge-lines.ts";
import { loadFacts } from "./load-facts.ts";

/** Rows of one read. Two batches are in memory at a time: one being written, one being read. */
const BATCH_ROWS = 4_000;
/** Causes with cached facts and cells; about 3 kB each. When it is full, all are let go. */
const KNOWN_MAX = 10_000;

export interface FocusExport {
	fileName: string;
	/** CSV of FOCUS 1.2: the head, then a row for each charge of the month. Reads on only as it is read. */
	chunks: AsyncGenerator<Buffer, void, undefined>;
}

/**
 * Every charge of a month of the ledger's calendar as FOCUS 1.2, owned hardware included. A data scientist gets the rows
 * of their teams. `asOf`: the ledger when a version of a statement was closed, or at an instant. Cost: streams, in constant
 * memory; no transaction is held open.
 * @throws SpillwayError `forbidden`, `invalid_input` for a month or a cut that is none, `not_found` for a version that was never written.
 */
export async function exportFocus(
	ctx: Pick<ServiceContext, "actor" | "db" | "clock">,
	input: { month: string; format?: string; asOf?: string | undefined },
): Promise<FocusExport> {
	const teams = teamScope(ctx, "charge:read");
	if ((input.format ?? "csv") !== "csv") throw wrong("format", "the only format is csv");
	const month = monthOfKey(input.month, await ledgerCalendar(ctx.db));
	if (month === null) throw wrong("month", "must be a month such as 2026-11");
	const cut = input.asOf === undefined ? cutAt(ctx.clock.nowMs()) : await readCut(ctx, input.asOf, "asOf");
	const selection = { ...month, posted: cut.by, teams };
	return { fileName: `focus-1.2-${input.month}.csv`, chunks: rowsOf(ctx.db, selection, billingPeriodOf(month)) };
}

function wrong(path: string, message: string): SpillwayError {
	return new SpillwayError("invalid_input", `Could not create the export: ${message}.`, { fields: [{ path, message }] });
}

export function billingPeriodOf({ fromMs, toMs }: Interval): BillingPeriod {
	const text = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;
	return { start: text(fromMs), end: text(toMs) };
}

interface Known {
	shared: SharedFields;
	facts: ExportFacts;
	/** Made with the first row of this cause. */
	plan: RowPlan | null;
}

async function* rowsOf(db: Db, selection: ChargeSelection, period: BillingPeriod): AsyncGenerator<Buffer, void, undefined> {
	yield Buffer.from(csvRecord(EXPORT_COLUMNS));
	const known = new Map<string, Known>();
	let next: Promise<ChargeBatch> | null = readChargeBatch(db, selection, null, BATCH_ROWS);
	// A reader that leaves lets the read that is under way end unheard.
	const unheard = () => {};
	while (next !== null) {
		const batch: ChargeBatch = await next;
		next = batch.after === null ? null : readChargeBatch(db, selection, batch.after, BATCH_ROWS);
		next?.catch(unheard);
		if (batch.rows.length === 0) continue;
		await learn(db, known, batch.rows);
		yield Buffer.from(batch.rows.map((row) => line(row, known, period)).join(""));
	}
}

function line(row: string, known: ReadonlyMap<string, Known>, period: BillingPeriod): string {
	const about = defined(known.get(sharedPartOf(row)), "facts of a charge");
	about.plan ??= rowPlan(about.shared, about.facts, fixedCells(about.shared, about.facts), period);
	return rowRecord(about.plan, parseOwn(row));
}

async function learn(db: Db, known: Map<string, Known>, rows: readonly string[]): Promise<void> {
	let missing = missingOf(known, rows);
	if (known.size + missing.length > KNOWN_MAX) {
		known.clear();
		missing = missingOf(known, rows);
	}
	if (missing.length === 0) return;
	const shared = missing.map(parseShared);
	const facts = await loadFacts(db, shared);
	for (const [i, part] of missing.entries()) {
		known.set(part, { shared: defined(shared[i], "fields"), facts: defined(facts[i], "facts"), plan: null });
	}
}

function missingOf(known: ReadonlyMap<string, Known>, rows: readonly string[]): string[] {
	const missing = new Set<string>();
	for (const row of rows) {
		const part = sharedPartOf(row);
		if (!known.has(part)) missing.add(part);
	}
	return [...missing].map(copyOf);
}

/** A part that is kept would keep the whole batch that it was cut from. */
function copyOf(part: string): string {
	return Buffer.from(part).toString();
}
