import { z } from "zod";
import { AUDIT_FORMATS, auditFilters, chainHead, listAuditInput } from "./inputs/audit.ts";
import { TIME_RANGE } from "./inputs/spend.ts";
import { operation } from "./operation.ts";
import { auditLineSchema, chainStateSchema, verificationLineSchema } from "./outputs/audit.ts";
import { pageOf } from "./parts.ts";

export const audit = {
	list: operation({
		method: "GET",
		path: "/audit",
		summary: "List who changed what, when and from where, newest first",
		description: "`action` and `subject` by their beginnings, `q` anywhere ([audit](audit.md)).",
		permission: "audit:read",
		example: { action: "policy", limit: 20 },
		output: pageOf(auditLineSchema),
		wire: TIME_RANGE,
		input: listAuditInput,
		procedure: "query",
	}),
	chain: operation({
		method: "GET",
		path: "/audit/chain",
		summary: "Get the latest hash of the audit chain and its last check",
		permission: "audit:read",
		output: chainStateSchema,
		procedure: "query",
	}),
	verify: operation({
		method: "GET",
		path: "/audit/verify",
		summary: "Verify the whole audit chain; streams progress and a result",
		description: "`head` is the hash of an earlier head, or its first 12 digits.",
		permission: "audit:read",
		line: verificationLineSchema,
		input: z.strictObject({ head: chainHead.optional() }),
		media: ["application/x-ndjson"],
	}),
	export: operation({
		method: "GET",
		path: "/exports/audit",
		summary: "Export audit lines with their hashes",
		permission: "audit:read",
		wire: TIME_RANGE,
		input: auditFilters.extend({ format: z.enum(AUDIT_FORMATS).optional() }),
		media: ["text/csv", "application/x-ndjson"],
	}),
};
