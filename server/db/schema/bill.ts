import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { RECONCILIATION_STATES } from "../../domain/reconciliation.ts";
import { bigInt, instant, json, microUsd } from "./columns.ts";

/** One imported FOCUS file. */
export const bill = pgTable(
	"bill",
	{
		id: text().primaryKey(),
		fileName: text().notNull(),
		sha256: text().notNull(),
		/** Derived from the file's columns, e.g. `1.0`. */
		focusVersion: text().notNull(),
		/** In file order, so that an export reproduces the file. */
		columns: json<string[]>().notNull(),
		providers: text().array().notNull(),
		/** Months covered, e.g. `2026-11`. */
		months: text().array().notNull(),
		rows: integer().notNull(),
		/** Lines identical to lines of earlier bills. */
		repeatedRows: integer().notNull(),
		billedMicroUsd: microUsd().notNull(),
		importedAt: instant().notNull(),
		importedBy: text().notNull(),
		reconciledAt: instant(),
	},
	(t) => [index("bill_sha256").on(t.sha256)],
);

/** A line of a bill: the values to match it by, and the original. */
export const billLine = pgTable(
	"bill_line",
	{
		/** Derived from the bill and row number, so it is known before the insert. */
		id: text().primaryKey(),
		billId: text()
			.notNull()
			.references(() => bill.id),
		rowNumber: integer().notNull(),
		/** SHA-256 of the values, and the occurrence number, because a bill may contain equal lines. */
		contentHash: text().notNull(),
		/**
		 * 64 bits of the SHA-256 of the line's values without amounts. A later line with the same hash and other amounts restates
		 * this one. Null on lines from before this column.
		 */
		aboutHash: bigInt(),
		providerName: text().notNull(),
		month: text().notNull(),
		chargeCategory: text().notNull(),
		chargeClass: text(),
		pricingCategory: text(),
		periodStart: instant().notNull(),
		periodEnd: instant().notNull(),
		resourceId: text(),
		regionId: text(),
		/** Our own tag, if the line has it. */
		taggedInstanceId: text(),
		invoiceId: text(),
		listNanoUsd: bigInt().notNull(),
		contractedNanoUsd: bigInt().notNull(),
		effectiveNanoUsd: bigInt().notNull(),
		billedNanoUsd: bigInt().notNull(),
		/** Every value as text, in the order of the bill's columns; null for a null in the file. */
		values: json<(string | null)[]>().notNull(),
	},
	(t) => [
		uniqueIndex("bill_line_content").on(t.contentHash),
		index("bill_line_bill").on(t.billId, t.rowNumber),
		index("bill_line_resource").on(t.resourceId),
		index("bill_line_month").on(t.month, t.providerName),
		index("bill_line_about").on(t.aboutHash),
	],
);

/** Restated lines: a later bill has the same line with other amounts. Lines themselves never change. */
export const billLineRestated = pgTable("bill_line_restated", {
	lineId: text()
		.primaryKey()
		.references(() => billLine.id),
	/** The bill that restated it. */
	billId: text()
		.notNull()
		.references(() => bill.id),
});

/** Result of reconciling a month's bills with our charges, one row per resource. Replaced by each reconciliation. */
export const reconciliation = pgTable(
	"reconciliation",
	{
		month: text().notNull(),
		provider: text().notNull(),
		resourceId: text().notNull(),
		instanceId: text(),
		billId: text(),
		state: text({ enum: RECONCILIATION_STATES }).notNull(),
		/** Ledger sums before adjustments, and billed amounts. */
		estimatedMicroUsd: microUsd().notNull(),
		billedMicroUsd: microUsd().notNull(),
		/** Corrected by adjustment charges so far. */
		adjustedMicroUsd: microUsd().notNull(),
		/** Why they differ: facts for a sentence. */
		facts: json<Record<string, string | number | null>>().notNull(),
		reconciledAt: instant().notNull(),
	},
	(t) => [
		primaryKey({ columns: [t.month, t.provider, t.resourceId] }),
		index("reconciliation_state").on(t.month, t.state),
		check("reconciliation_adjusts_instances", sql`${t.instanceId} is not null or ${t.state} in ('billed_unknown', 'matched')`),
	],
);
