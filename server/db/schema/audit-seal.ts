import { bigint, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { instant } from "./columns.ts";

/**
 * The hash chain over the audit: `hash` = sha256 of the hash before and of every column of one audit line. Lines are
 * sealed in the order of `sequence` by one writer after they are committed, so that no change waits for another one's line.
 * Insert-only.
 */
export const auditSeal = pgTable(
	"audit_seal",
	{
		sequence: bigint({ mode: "number" }).primaryKey(),
		auditId: bigint({ mode: "number" }).notNull(),
		hash: text().notNull(),
		sealedAt: instant().notNull(),
	},
	(t) => [uniqueIndex("audit_seal_line").on(t.auditId)],
);
