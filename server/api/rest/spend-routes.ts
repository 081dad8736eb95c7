import { z } from "zod";
import { listChargesInput, refundInput, SPEND_DIMENSIONS, SPEND_GROUPS, spendFilters } from "#server/contract/inputs/spend.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { authorize } from "#server/services/core/authorize.ts";
import { ledgerCalendar, setLedgerZone } from "#server/services/core/ledger-calendar.ts";
import { budgetPeriodAt } from "#server/services/ledger/budget/counted-charges.ts";
import { readLedgerCheck } from "#server/services/ledger/charge/nightly-check.ts";
import { refundCharge } from "#server/services/ledger/charge/refund.ts";
import { spendByJob } from "#server/services/reporting/spend/by-job.ts";
import { listCharges } from "#server/services/reporting/spend/charges.ts";
import type { SpendFilters } from "#server/services/reporting/spend/filters.ts";
import type { SpendGroup } from "#server/services/reporting/spend/group-sums.ts";
import { spendBy } from "#server/services/reporting/spend/spend-by.ts";
import { flagParam, listParam, numberParam, refuseUnknown, textParam, timeParam } from "./query.ts";
import { ok, type RestContext, type Route } from "./route.ts";

const SPEND_DEFAULT_DAYS = 30;
/** Of a charge's selection, beside the filters that sums have too. */
const CHARGE_PARTS = ["cause", "lost", "asOf", "since", "budget"] as const;
const GROUPS = [...SPEND_GROUPS, "job"] as const;
const refundBody = refundInput.omit({ chargeId: true });
const zoneInput = z.strictObject({ zone: z.string().min(1).max(64) });

export const spendRoutes: Route[] = [
	{
		method: "GET",
		path: "/spend",
		summary: "Owned, idle and cloud cost by a dimension, by time or by job; filtered by any dimension, an empty value being what has none",
		permission: "spend:read",
		async handle(ctx, { query }) {
			refuseUnknown(query, ["from", "to", "groupBy", "cursor", "limit", ...SPEND_DIMENSIONS]);
			const range = rangeOf(ctx, query);
			const groupBy = groupOf(query);
			const filters = filtersParam(query);
			if (groupBy === "job") return ok(await spendByJob(ctx, { ...range, filters, ...pageOf(query) }));
			return ok(await spendBy(ctx, { ...range, groupBy, filters }));
		},
	},
	{
		method: "GET",
		path: "/charges",
		summary:
			"The charges behind a number, newest first, with the sums of the whole selection; filtered as /spend, by job, cause or correction, by how its attempts ended (lost), withoutIdle, the ledger at that time (asOf) or what came later (since), and by the budget that counts them (budget), of its current period or that of a day (period)",
		permission: "charge:read",
		async handle(ctx, { query }) {
			refuseUnknown(query, [
				"from",
				"to",
				"job",
				"period",
				...CHARGE_PARTS,
				"correction",
				"withoutIdle",
				"cursor",
				"limit",
				...SPEND_DIMENSIONS,
			]);
			const jobId = textParam(query, "job");
			const selection = { ...(await rangeOfCharges(ctx, query)), filters: filtersParam(query), ...(jobId === undefined ? {} : { jobId }) };
			const parts = Object.fromEntries(CHARGE_PARTS.map((name) => [name, textParam(query, name)]));
			const corrections = listParam(query, "correction");
			const more = { withoutIdle: flagParam(query, "withoutIdle"), ...(corrections.length === 0 ? {} : { correction: corrections }) };
			return ok(await listCharges(ctx, listChargesInput.parse({ ...selection, ...parts, ...more, ...pageOf(query) })));
		},
	},
	{
		method: "POST",
		path: "/charges/{id}/refund",
		summary: "Reverse a charge of a cloud's machine, or amountUsd of it, by a correction next to it; the reason is in the audit",
		permission: "rates:change",
		body: refundBody,
		write: true,
		async handle(ctx, { params, body }) {
			return ok(await refundCharge(ctx, { ...refundBody.parse(body), chargeId: params["id"] ?? "" }), 201);
		},
	},
	{
		method: "GET",
		path: "/ledger",
		summary: "The time zone of the ledger's days and months, and what came of its last check",
		permission: "spend:read",
		async handle(ctx) {
			authorize(ctx, "spend:read", null);
			const [calendar, lastCheck] = await Promise.all([ledgerCalendar(ctx.db), readLedgerCheck(ctx.db)]);
			return ok({ zone: calendar.zone, lastCheck });
		},
	},
	{
		method: "PUT",
		path: "/ledger/zone",
		summary: "Choose the time zone of the ledger's days and months, before the first charge",
		permission: "rates:change",
		body: zoneInput,
		write: true,
		async handle(ctx, { body }) {
			const { zone } = zoneInput.parse(body);
			await setLedgerZone(ctx, zone);
			return ok({ zone });
		},
	},
];

/** `?team=risk,nlp&region=us-east-1`; `?team=` is what belongs to no team. */
export function filtersParam(query: URLSearchParams): SpendFilters {
	const given = SPEND_DIMENSIONS.flatMap((name) => {
		const values = query.getAll(name).flatMap((value) => value.split(",").map((v) => v.trim()));
		return values.length === 0 ? [] : [[name, values] as const];
	});
	const parsed = spendFilters.safeParse(Object.fromEntries(given));
	if (parsed.success && !given.some(([, values]) => values.some((v) => v.includes("\u0000")))) return parsed.data;
	const fields = (parsed.error?.issues ?? []).map((issue) => ({ path: String(issue.path[0] ?? ""), message: issue.message }));
	throw new SpillwayError(
		"invalid_input",
		`The filter cannot be used: ${fields.map((f) => `${f.path}: ${f.message}`).join("; ") || "a text has a NUL"}.`,
		{
			fields,
		},
	);
}

function groupOf(query: URLSearchParams): SpendGroup | "job" {
	const asked = textParam(query, "groupBy") ?? "team";
	const group = GROUPS.find((name) => name === asked);
	if (group !== undefined) return group;
	throw new SpillwayError("invalid_input", `groupBy: "${asked.slice(0, 40)}" is not a dimension.`, {
		fields: [{ path: "groupBy", message: `one of ${GROUPS.join(", ")}` }],
	});
}

function rangeOf(ctx: RestContext, query: URLSearchParams): { fromMs: number; toMs: number } {
	const toMs = timeParam(query, "to") ?? ctx.clock.nowMs();
	return { fromMs: timeParam(query, "from") ?? toMs - SPEND_DEFAULT_DAYS * DAY_MS, toMs };
}

/** Of a budget its whole period, unless other times are asked for. */
async function rangeOfCharges(ctx: RestContext, query: URLSearchParams): Promise<{ fromMs: number; toMs: number }> {
	const [id, period] = [textParam(query, "budget"), textParam(query, "period")];
	const times = query.has("from") || query.has("to");
	if (period !== undefined && (id === undefined || times))
		throw new SpillwayError("invalid_input", "period says which period of a budget is meant, and cannot be used with from and to.", {
			fields: [{ path: "period", message: "only with budget, and without from and to" }],
		});
	if (id === undefined || times) return rangeOf(ctx, query);
	const { fromMs, toMs } = await budgetPeriodAt(ctx, { id, ...(period === undefined ? {} : { period }) });
	return { fromMs, toMs };
}

function pageOf(query: URLSearchParams): { cursor?: string; limit?: number } {
	const cursor = textParam(query, "cursor");
	const limit = numberParam(query, "limit");
	return { ...(cursor === undefined ? {} : { cursor }), ...(limit === undefined ? {} : { limit }) };
}
