import { and, gte, like, lt, or, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { audit } from "#server/db/schema/audit.ts";

/** Free text without NUL, which PostgreSQL cannot hold. */
const text = (max: number) =>
	z
		.string()
		.trim()
		.min(1)
		.max(max)
		.regex(/^[^\0]*$/, "no NUL");
const time = z.number().int().min(0).max(8.64e15);

/** What of the audit is asked for; every part narrows it. */
export const auditFilters = z.strictObject({
	/** `account:…`, `system:…`, or a person's name, address or id. */
	actor: text(200).optional(),
	/** The beginning of the action: `policy` finds `policy.publish`. */
	action: text(100).optional(),
	/** What it was done to, or the beginning of that. */
	subject: text(200).optional(),
	fromMs: time.optional(),
	toMs: time.optional(),
	/** Anywhere in subject, before, after, request id or address, whatever the case. */
	q: text(200).optional(),
});
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

/** LIKE's own characters stand for themselves. */
function escaped(value: string): string {
	return value.replace(/[\\%_]/g, "\\$&");
}
