import { createHash } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";

/** The previous hash of the first entry. */
export const GENESIS = "0".repeat(64);

const msOf = (instant: SQL): SQL => sql`floor(extract(epoch from ${instant}) * 1000)::bigint`;

/**
 * One audit log entry (table alias `a`) as sealed: a JSON array of the seal's number and time, then every column in the table's
 * order; times in ms, `before` and `after` as the text of their JSON, so that a missing value differs from JSON's null. Written
 * by PostgreSQL: its jsonb has one text per value, so psql and sha256sum produce the same bytes (docs/audit.md).
 */
export function canonicalLine(seal: { sequence: SQL; sealedAtMs: SQL }): SQL {
	return sql`jsonb_build_array(${seal.sequence}, ${seal.sealedAtMs}, a.id, ${msOf(sql`a.at`)}, a.actor, a.action, a.subject,
		a.before::text, a.after::text, a.request_id, a.via, a.source)::text`;
}

/** The same for an entry with its seal (table alias `s`). */
export const SEALED_LINE = canonicalLine({ sequence: sql`s.sequence`, sealedAtMs: msOf(sql`s.sealed_at`) });

/** hash = sha256(the previous hash, as 64 hex digits ‖ the entry, as UTF-8), as 64 hex digits. */
export function chainHash(previous: string, line: string): string {
	return createHash("sha256").update(previous).update(line, "utf8").digest("hex");
}
