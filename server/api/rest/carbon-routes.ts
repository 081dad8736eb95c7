import { importIntensityInput } from "#server/contract/inputs/carbon.ts";
import { SPEND_DIMENSIONS, SPEND_GROUPS, spendFilters } from "#server/contract/inputs/spend.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { importIntensity } from "#server/services/pricing/energy/import-intensity.ts";
import { avoidedEmissions } from "#server/services/reporting/carbon/avoided.ts";
import { carbonBy } from "#server/services/reporting/carbon/carbon-by.ts";
import { gridView } from "#server/services/reporting/carbon/grid-view.ts";
import type { SpendGroup } from "#server/services/reporting/spend/group-sums.ts";
import { listParam, refuseUnknown, textParam, timeParam } from "./query.ts";
import { ok, type RestContext, type Route } from "./route.ts";

const DEFAULT_DAYS = 30;

export const carbonRoutes: Route[] = [
	{
		method: "GET",
		path: "/carbon",
		summary: "Energy and emissions by one dimension or by time: operational (location- and market-based) and embodied, with data quality",
		permission: "spend:read",
		async handle(ctx, { query }) {
			refuseUnknown(query, ["from", "to", "groupBy", ...SPEND_DIMENSIONS]);
			const groupBy = textParam(query, "groupBy") ?? "team";
			if (!(SPEND_GROUPS as readonly string[]).includes(groupBy)) {
				throw new SpillwayError("invalid_input", `groupBy: "${groupBy.slice(0, 40)}" is not a dimension.`, {
					fields: [{ path: "groupBy", message: `one of ${SPEND_GROUPS.join(", ")}` }],
				});
			}
			const given = SPEND_DIMENSIONS.flatMap((name) => {
				const values = listParam(query, name);
				return values.length === 0 ? [] : [[name, values] as const];
			});
			const filters = spendFilters.parse(Object.fromEntries(given));
			return ok(await carbonBy(ctx, { ...rangeOf(ctx, query), groupBy: groupBy as SpendGroup, filters }));
		},
	},
	{
		method: "GET",
		path: "/carbon/avoided",
		summary: "What bursting avoided or added, against counterfactuals that are stated word for word",
		permission: "spend:read",
		async handle(ctx, { query }) {
			refuseUnknown(query, ["from", "to"]);
			return ok(await avoidedEmissions(ctx, rangeOf(ctx, query)));
		},
	},
	{
		method: "GET",
		path: "/carbon/intensities",
		summary: "The grid's intensity by place and hour on the last day of the range; yearly averages are marked",
		permission: "spend:read",
		async handle(ctx, { query }) {
			refuseUnknown(query, ["from", "to"]);
			return ok(await gridView(ctx, rangeOf(ctx, query)));
		},
	},
	{
		method: "POST",
		path: "/carbon/intensities",
		summary: "Take in hourly grid intensities: csv (zone, ts, g_per_kwh) or Electricity Maps' history. Charges already written are kept",
		permission: "rates:change",
		body: importIntensityInput,
		write: true,
		handle: async (ctx, { body }) => ok(await importIntensity(ctx, importIntensityInput.parse(body))),
	},
];

function rangeOf(ctx: RestContext, query: URLSearchParams): { fromMs: number; toMs: number } {
	const toMs = timeParam(query, "to") ?? ctx.clock.nowMs();
	return { fromMs: timeParam(query, "from") ?? toMs - DEFAULT_DAYS * DAY_MS, toMs };
}
