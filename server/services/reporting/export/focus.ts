import { type Interval, monthOfKey } from "#server/accounting/calendar.ts";
import { EXPORT_COLUMNS } from "#server/accounting/focus/columns.ts";
import { CONTRACT_COLUMNS, contractRecord } from "#server/accounting/focus/contract.ts";
import { csvRecord } from "#server/accounting/focus/csv.ts";
import type { BillingPeriod, ExportFacts } from "#server/accounting/focus/facts.ts";
import { fixedCells } from "#server/accounting/focus/fixed-cells.ts";
import { type RowPlan, rowPlan, rowRecord } from "#server/accounting/focus/row.ts";
import type { Db } from "#server/db/client.ts";
import { type ExportVersion, FOCUS_DATASETS, FOCUS_VERSIONS } from "#server/domain/focus-version.ts";
import { defined } from "#server/kernel/assert.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { authorize, teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { limitRunning } from "#server/services/core/running-of-person.ts";
import { readCommitments } from "#server/services/pricing/commitment/commitments.ts";
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

/** Rows per read. Other requests wait while a batch is written; the next one is read meanwhile. */
const BATCH_ROWS = 500;
/** Maximum number of causes with cached facts and cells, about 3 kB each. A full cache is cleared. */
const KNOWN_MAX = 10_000;

export interface FocusExport {
	fileName: string;
	/** FOCUS CSV: the header, then a row for each charge of the month. Reads the next batch only on demand. */
	chunks: AsyncGenerator<Buffer, void, undefined>;
}

export interface FocusInput {
	month: string;
	format?: string | undefined;
	/** One of FOCUS_VERSIONS; defaults to the first. */
	version?: string | undefined;
	/** One of FOCUS_DATASETS; defaults to the first. */
	dataset?: string | undefined;
	/** The ledger as it was when a statement version was closed, or at an instant. */
	asOf?: string | undefined;
}

/**
 * A month of the ledger's calendar as FOCUS: every charge, including owned hardware, or the month's commitments. A data
 * scientist gets only their teams' rows. Cost: streams in constant memory and holds no transaction open.
 * @throws SpillwayError `forbidden`; `invalid_input` for an invalid month, version, dataset or cut; `not_found` for a
 * statement version that was never written.
 */
export async function exportFocus(ctx: Pick<ServiceContext, "actor" | "db" | "clock">, input: FocusInput): Promise<FocusExport> {
	const teams = teamScope(ctx, "charge:read");
	if ((input.format ?? "csv") !== "csv") throw wrong("format", "the only format is csv");
	const version = FOCUS_VERSIONS.find((one) => one === (input.version ?? FOCUS_VERSIONS[0]));
	if (version === undefined) throw wrong("version", `the version must be one of ${FOCUS_VERSIONS.join(", ")}`);
	const dataset = FOCUS_DATASETS.find((one) => one === (input.dataset ?? FOCUS_DATASETS[0]));
	if (dataset === undefined) throw wrong("dataset", `the dataset must be one of ${FOCUS_DATASETS.join(", ")}`);
	const month = monthOfKey(input.month, await ledgerCalendar(ctx.db));
	if (month === null) throw wrong("month", "must be a month such as 2026-11");
	if (dataset === "contract-commitment") {
		if (version !== "1.3") throw wrong("version", "the dataset contract-commitment is exported as FOCUS 1.3");
		authorize(ctx, "rates:read", null);
		return { fileName: `focus-${version}-${dataset}-${input.month}.csv`, chunks: limitRunning(ctx, "export", contractRows(ctx.db, month)) };
	}
	const cut = input.asOf === undefined ? cutAt(ctx.clock.nowMs()) : await readCut(ctx, input.asOf, "asOf");
	const selection = { ...month, posted: cut.by, teams };
	return {
		fileName: `focus-${version}-${input.month}.csv`,
		chunks: limitRunning(ctx, "export", streamRows(ctx.db, selection, { period: billingPeriodOf(month), version })),
	};
}

/** Commitments that overlap the month, with their current terms. */
async function* contractRows(db: Db, month: Interval): AsyncGenerator<Buffer, void, undefined> {
	yield Buffer.from(csvRecord(CONTRACT_COLUMNS));
	const commitments = await readCommitments(db);
	const due = commitments.filter(({ fromMs, toMs }) => fromMs < month.toMs && toMs > month.fromMs);
	if (due.length > 0) yield Buffer.from(due.map(contractRecord).join(""));
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
	/** Built with the first row of this cause. */
	plan: RowPlan | null;
}

/** Values that are the same for all rows. */
interface ExportFrame {
	period: BillingPeriod;
	version: ExportVersion;
}

async function* streamRows(db: Db, selection: ChargeSelection, frame: ExportFrame): AsyncGenerator<Buffer, void, undefined> {
	yield Buffer.from(csvRecord(EXPORT_COLUMNS[frame.version]));
	const known = new Map<string, Known>();
	let next: Promise<ChargeBatch> | null = readChargeBatch(db, selection, null, BATCH_ROWS);
	// When the reader leaves, ignore the outcome of the read in progress.
	const unheard = () => {};
	while (next !== null) {
		const batch: ChargeBatch = await next;
		next = batch.after === null ? null : readChargeBatch(db, selection, batch.after, BATCH_ROWS);
		next?.catch(unheard);
		if (batch.rows.length === 0) continue;
		await learn(db, known, batch.rows);
		yield Buffer.from(batch.rows.map((row) => line(row, known, frame)).join(""));
	}
}

function line(row: string, known: ReadonlyMap<string, Known>, frame: ExportFrame): string {
	const about = defined(known.get(sharedPartOf(row)), "facts of a charge");
	about.plan ??= rowPlan(about.shared, about.facts, fixedCells(about.shared, about.facts), frame);
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

/** Copies a part of a batch: a slice would keep its whole batch in memory. */
function copyOf(part: string): string {
	return Buffer.from(part).toString();
}
