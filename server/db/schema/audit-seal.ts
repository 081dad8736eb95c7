import { bigint, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { instant } from "./columns.ts";

/**
 * The hash chain over the audit log: `hash` = sha256 of the previous hash and every column of one entry. One writer
 * seals entries in the order of `sequence` after they are committed, so that changes never wait for each other's
 * entries. Insert-only.
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
