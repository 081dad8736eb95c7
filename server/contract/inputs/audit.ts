import { z } from "zod";
import { instantMs } from "../parts.ts";

/** Free text without NUL, which PostgreSQL cannot store. */
const text = (max: number) =>
	z
		.string()
		.trim()
		.min(1)
		.max(max)
		.regex(/^[^\0]*$/, "no NUL");

/** Filters of the audit log, combined with AND. */
export const auditFilters = z.strictObject({
	/** `account:…`, `system:…`, or a person's name, address or id. */
	actor: text(200).optional(),
	/** Prefix of the action: `policy` finds `policy.publish`. */
	action: text(100).optional(),
	/** The subject, or a prefix of it. */
	subject: text(200).optional(),
	fromMs: instantMs.optional(),
	toMs: instantMs.optional(),
	/** Anywhere in subject, before, after, request id or address; ignores case. */
	q: text(200).optional(),
});

export const LIMIT_MAX = 200;

export const listAuditInput = auditFilters.extend({
	cursor: z.string().max(200).optional(),
	limit: z.number().int().min(1).max(LIMIT_MAX).default(50),
});

export const AUDIT_FORMATS = ["csv", "ndjson"] as const;

/** An earlier hash of the chain, or a prefix of it. */
export const chainHead = z.string().regex(/^[0-9a-f]{12,64}$/, "a head is 64 hexadecimal digits, or at least the first 12 of them");
