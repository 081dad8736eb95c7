import { and, desc, eq, lt, sql } from "drizzle-orm";
import type { z } from "zod";
import { listAuditInput } from "#server/contract/inputs/audit.ts";
import type { Db } from "#server/db/client.ts";
import { account } from "#server/db/schema/account.ts";
import { audit } from "#server/db/schema/audit.ts";
import { auditSeal } from "#server/db/schema/audit-seal.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { decodeCursor, encodeCursor } from "#server/services/core/cursor.ts";
import { type AuditFilters, whereOf } from "./filters.ts";

export type ListAuditInput = z.input<typeof listAuditInput>;

export interface AuditLine {
	id: number;
	at: string;
	/** `account:<id>` or `system:<part>`. */
	actor: string;
	/** Current name of the account; null for the system. */
	actorName: string | null;
	action: string;
	subject: string;
	before: unknown;
	after: unknown;
	requestId: string | null;
	via: "session" | "token" | null;
	source: string | null;
	/** Null for up to a second, until the sealer runs. */
	seal: { sequence: number; hash: string } | null;
}

/**
 * Audit entries, newest first. They cover every team and all costs, so only platform engineers and finance may read them; a job's page
 * shows its own team's part.
 * @throws SpillwayError `forbidden`, `invalid_input`.
 */
export async function listAudit(ctx: ServiceContext, raw: ListAuditInput): Promise<{ items: AuditLine[]; nextCursor: string | null }> {
	authorize(ctx, "audit:read", null);
	const { cursor, limit, ...filters } = listAuditInput.parse(raw);
	const beforeId = cursor === undefined ? null : idOf(cursor);
	const rows = await readLines(ctx.db, filters, { beforeId, limit: limit + 1 });
	const items = rows.slice(0, limit);
	const last = items.at(-1);
	return { items, nextCursor: rows.length > limit && last ? encodeCursor(Date.parse(last.at), String(last.id)) : null };
}

function idOf(cursor: string): number {
	const id = Number(decodeCursor(cursor).id);
	if (Number.isSafeInteger(id) && id > 0) return id;
	throw new SpillwayError("invalid_input", "Invalid cursor.", {
		fields: [{ path: "cursor", message: "use nextCursor of the previous page" }],
	});
}

/** In descending order of ids, which is the order in which they were begun. */
export async function readLines(db: Db, filters: AuditFilters, page: { beforeId: number | null; limit: number }): Promise<AuditLine[]> {
	const rows = await db
		.select({ line: audit, name: account.name, sequence: auditSeal.sequence, hash: auditSeal.hash })
		.from(audit)
		.leftJoin(account, eq(audit.actor, sql`'account:' || ${account.id}`))
		.leftJoin(auditSeal, eq(auditSeal.auditId, audit.id))
		.where(and(page.beforeId === null ? undefined : lt(audit.id, page.beforeId), whereOf(filters)))
		.orderBy(desc(audit.id))
		.limit(page.limit);
	return rows.map(({ line, name, sequence, hash }) => ({
		...line,
		at: line.at.toISOString(),
		actorName: name,
		seal: sequence === null || hash === null ? null : { sequence, hash },
	}));
}
