import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { LIMIT_MAX } from "#server/contract/inputs/audit.ts";
import { breakSentence } from "#server/services/governance/audit/chain-break.ts";
import { chainState } from "#server/services/governance/audit/check-chain.ts";
import { exportAudit } from "#server/services/governance/audit/export.ts";
import type { AuditFilters } from "#server/services/governance/audit/filters.ts";
import { listAudit } from "#server/services/governance/audit/list.ts";
import { type Verification, verifyAudit } from "#server/services/governance/audit/verify.ts";
import { numberParam, refuseUnknown, textParam, timeParam } from "./query.ts";
import { ok, type RestRequest, type Route } from "./route.ts";
import { streamCsv } from "./stream-file.ts";

const FILTERS = ["actor", "action", "subject", "from", "to", "q"];
const headSchema = z.string().regex(/^[0-9a-f]{12,64}$/, "a head is 64 hexadecimal digits, or at least the first 12 of them");

export const auditRoutes: Route[] = [
	{
		method: "GET",
		path: "/audit",
		summary: `Who did what when from where, newest first; action and subject by their beginnings, q anywhere; up to ${LIMIT_MAX} a page`,
		permission: "audit:read",
		async handle(ctx, { query }) {
			refuseUnknown(query, [...FILTERS, "cursor", "limit"]);
			const [cursor, limit] = [textParam(query, "cursor"), numberParam(query, "limit")];
			const page = { ...(cursor === undefined ? {} : { cursor }), ...(limit === undefined ? {} : { limit }) };
			return ok(await listAudit(ctx, { ...filtersOf(query), ...page }));
		},
	},
	{
		method: "GET",
		path: "/audit/chain",
		summary: "The head of the hash chain over the audit, and what came of the scheduler's last check of it",
		permission: "audit:read",
		async handle(ctx, { query }) {
			refuseUnknown(query, []);
			return ok(await chainState(ctx));
		},
	},
	{
		method: "GET",
		path: "/audit/verify",
		summary: "Walk the whole chain: a line of JSON for each stretch, {seals}, and at the end {result}; head is the hash of an earlier head",
		permission: "audit:read",
		answers: "application/x-ndjson",
		async handle(ctx, { query, response, signal }) {
			refuseUnknown(query, ["head"]);
			const head = textParam(query, "head");
			const steps = verifyAudit(ctx, { signal, ...(head === undefined ? {} : { head: headSchema.parse(head) }) });
			response.writeHead(200, { "content-type": "application/x-ndjson; charset=utf-8", "cache-control": "no-store" });
			await pipeline(Readable.from(progressOf(steps)), response, { signal }).catch((error: unknown) => {
				if (!signal.aborted) throw error;
			});
			return "streamed";
		},
	},
	{
		method: "GET",
		path: "/exports/audit",
		summary: "Every line of the audit that the filters leave, with its seal; format=csv or ndjson",
		permission: "audit:read",
		answers: "text/csv",
		async handle(ctx, request: RestRequest) {
			refuseUnknown(request.query, [...FILTERS, "format"]);
			return streamCsv(request, exportAudit(ctx, filtersOf(request.query), textParam(request.query, "format")));
		},
	},
];

/** The query's parts as the filters of the service; times are ISO dates or times. */
export function filtersOf(query: URLSearchParams): AuditFilters {
	const texts = (["actor", "action", "subject", "q"] as const).flatMap((name) => {
		const value = textParam(query, name);
		return value === undefined ? [] : [[name, value]];
	});
	const times = (["from", "to"] as const).flatMap((name) => {
		const value = timeParam(query, name);
		return value === undefined ? [] : [[`${name}Ms`, value]];
	});
	return Object.fromEntries([...texts, ...times]) as AuditFilters;
}

async function* progressOf(steps: AsyncGenerator<number, Verification, undefined>): AsyncGenerator<string> {
	for (;;) {
		const step = await steps.next();
		if (!step.done) {
			yield `${JSON.stringify({ seals: step.value })}\n`;
			continue;
		}
		const { broken } = step.value;
		yield `${JSON.stringify({ result: { ...step.value, sentence: broken && breakSentence(broken) } })}\n`;
		return;
	}
}
