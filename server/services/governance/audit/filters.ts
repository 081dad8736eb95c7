import { and, gte, like, lt, or, type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import type { auditFilters } from "#server/contract/inputs/audit.ts";
import { audit } from "#server/db/schema/audit.ts";

export type AuditFilters = z.infer<typeof auditFilters>;

export function whereOf(f: AuditFilters): SQL | undefined {
	return and(
		f.actor === undefined ? undefined : actorIs(f.actor),
		f.action === undefined ? undefined : like(audit.action, `${escaped(f.action)}%`),
		f.subject === undefined ? undefined : like(audit.subject, `${escaped(f.subject)}%`),
		f.fromMs === undefined ? undefined : gte(audit.at, new Date(f.fromMs)),
		f.toMs === undefined ? undefined : lt(audit.at, new Date(f.toMs)),
		f.q === undefined ? undefined : holds(f.q),
	);
}

function actorIs(actor: string): SQL | undefined {
	if (/^(account:|system(:|$))/.test(actor)) return like(audit.actor, `${escaped(actor)}%`);
	const part = `%${escaped(actor)}%`;
	return sql`${audit.actor} in (select 'account:' || id from account where id = ${actor} or name ilike ${part} or email ilike ${part})`;
}

function holds(q: string): SQL | undefined {
	const part = `%${escaped(q)}%`;
	const fields = [audit.subject, sql`${audit.before}::text`, sql`${audit.after}::text`, audit.requestId, audit.source];
	return or(...fields.map((field) => sql`${field} ilike ${part}`));
}

/** Escapes LIKE's own special characters. */
function escaped(value: string): string {
	return value.replace(/[\\%_]/g, "\\$&");
}
