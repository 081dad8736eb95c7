import { carbon } from "#server/contract/carbon.ts";
import { importIntensityInput } from "#server/contract/inputs/carbon.ts";
import { listChargesInput, SPEND_DIMENSIONS, spendFilters } from "#server/contract/inputs/spend.ts";
import { ledger, spend } from "#server/contract/spend.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { authorize } from "#server/services/core/authorize.ts";
import { ledgerCalendar, setLedgerZone } from "#server/services/core/ledger-calendar.ts";
import { budgetPeriodAt } from "#server/services/ledger/budget/counted-charges.ts";
import { readLedgerCheck } from "#server/services/ledger/charge/nightly-check.ts";
import { refundCharge } from "#server/services/ledger/charge/refund.ts";
import { importIntensity } from "#server/services/pricing/energy/import-intensity.ts";
import { avoidedEmissions } from "#server/services/reporting/carbon/avoided.ts";
import { carbonBy } from "#server/services/reporting/carbon/carbon-by.ts";
import { gridView } from "#server/services/reporting/carbon/grid-view.ts";
import { carbonVariance } from "#server/services/reporting/carbon/variance.ts";
import { spendByJob } from "#server/services/reporting/spend/by-job.ts";
import { listCharges } from "#server/services/reporting/spend/charges.ts";
import type { SpendFilters } from "#server/services/reporting/spend/filters.ts";
import { spendInCurrency } from "#server/services/reporting/spend/spend-in-currency.ts";
import { spendVariance } from "#server/services/reporting/spend/variance.ts";
import { ok } from "../http/route.ts";
import type { OperationContext } from "../operation-context.ts";
import { bind, bindRest } from "./bind.ts";

const DEFAULT_DAYS = 30;

export const spendOperations = {
	by: bindRest(spend.by, async (ctx, input, { query }) => {
		const { groupBy, cursor, limit, currency } = spend.by.input
			.pick({ groupBy: true, cursor: true, limit: true, currency: true })
			.parse({ groupBy: input.groupBy, cursor: input.cursor, limit: input.limit, currency: input.currency });
		const range = rangeOf(ctx, input);
		const filters = filtersParam(query);
		if (groupBy !== "job") return ok(await spendInCurrency(ctx, { ...range, groupBy, filters, currency }));
		rejectJobCurrency(currency);
		const page = { ...(cursor === undefined ? {} : { cursor }), ...(limit === undefined ? {} : { limit }) };
		return ok(await spendByJob(ctx, { ...range, filters, ...page }));
	}),
	variance: bindRest(spend.variance, async (ctx, input, { query }) =>
		ok(await spendVariance(ctx, { ...rangeOf(ctx, { fromMs: input.fromMs, toMs: input.toMs }), filters: filtersParam(query) })),
	),
	charges: bindRest(spend.charges, async (ctx, input, { query }) => {
		const { fromMs: _from, toMs: _to, period, ...selection } = input;
		for (const name of SPEND_DIMENSIONS) delete selection[name];
		const range = await rangeOfCharges(ctx, input, period);
		return ok(await listCharges(ctx, listChargesInput.parse({ ...selection, ...range, filters: filtersParam(query) })));
	}),
	refund: bind(spend.refund, refundCharge),
};

export const ledgerOperations = {
	get: bind(ledger.get, async (ctx) => {
		authorize(ctx, "spend:read", null);
		const [calendar, lastCheck] = await Promise.all([ledgerCalendar(ctx.db), readLedgerCheck(ctx.db)]);
		return { zone: calendar.zone, lastCheck };
	}),
	setZone: bind(ledger.setZone, async (ctx, input) => {
		const { zone } = ledger.setZone.input.parse(input);
		await setLedgerZone(ctx, zone);
		return { zone };
	}),
};

export const carbonOperations = {
	by: bind(carbon.by, (ctx, input) => {
		const { fromMs, toMs, groupBy, ...filters } = carbon.by.input.parse(input);
		return carbonBy(ctx, { ...rangeOf(ctx, { fromMs, toMs }), groupBy, filters: spendFilters.parse(filters) });
	}),
	variance: bindRest(carbon.variance, async (ctx, input, { query }) =>
		ok(await carbonVariance(ctx, { ...rangeOf(ctx, { fromMs: input.fromMs, toMs: input.toMs }), filters: filtersParam(query) })),
	),
	avoided: bind(carbon.avoided, (ctx, input) => avoidedEmissions(ctx, rangeOf(ctx, input))),
	intensities: bind(carbon.intensities, (ctx, input) => gridView(ctx, rangeOf(ctx, input))),
	importIntensities: bind(carbon.importIntensities, (ctx, input) => importIntensity(ctx, importIntensityInput.parse(input))),
};

interface Range {
	fromMs: number;
	toMs: number;
}

type AskedRange = { [K in keyof Range]?: number | undefined };

export function rangeOf(ctx: OperationContext, { fromMs, toMs = ctx.clock.nowMs() }: AskedRange): Range {
	return { fromMs: fromMs ?? toMs - DEFAULT_DAYS * DAY_MS, toMs };
}

/** Sums of jobs are kept by month, but rates are daily. */
function rejectJobCurrency(currency: string | undefined): void {
	if (currency === undefined || currency === "USD") return;
	throw new SpillwayError(
		"invalid_input",
		"Spend by job is available in US dollars only: it is stored by month, and exchange rates are daily.",
		{
			fields: [{ path: "currency", message: "not with groupBy=job" }],
			fix: "Omit currency, or use another groupBy.",
		},
	);
}

/** The whole period of a budget, unless the query has a time range. */
async function rangeOfCharges(
	ctx: OperationContext,
	asked: AskedRange & { budget?: string | undefined },
	period: string | undefined,
): Promise<Range> {
	const hasTimes = asked.fromMs !== undefined || asked.toMs !== undefined;
	if (period !== undefined && (asked.budget === undefined || hasTimes))
		throw new SpillwayError("invalid_input", "period selects a period of a budget, and cannot be used with from and to.", {
			fields: [{ path: "period", message: "only with budget, and without from and to" }],
		});
	if (asked.budget === undefined || hasTimes) return rangeOf(ctx, asked);
	const { fromMs, toMs } = await budgetPeriodAt(ctx, { id: asked.budget, ...(period === undefined ? {} : { period }) });
	return { fromMs, toMs };
}

/** `?team=risk,nlp&region=us-east-1`; `?team=` matches charges without a team. */
function filtersParam(query: URLSearchParams): SpendFilters {
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
		{ fields },
	);
}
