import { SpillwayError } from "#server/kernel/errors.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { listBudgets } from "#server/services/budget/list.ts";
import { readForecastScore } from "#server/services/forecast/score.ts";
import { type ListInstancesInput, listInstances } from "#server/services/instance/list.ts";
import { viewOffers } from "#server/services/offer/view.ts";
import { moneyAtRisk } from "#server/services/overview/money-at-risk.ts";
import { viewPolicy } from "#server/services/policy/view.ts";
import { listSites } from "#server/services/site/list.ts";
import { SPEND_GROUPS, type SpendGroup, spendBy } from "#server/services/spend/spend-by.ts";
import { flagParam, listParam, numberParam, refuseUnknown, textParam, timeParam } from "./query.ts";
import { ok, type Route } from "./route.ts";

const SPEND_DEFAULT_DAYS = 30;

export const otherRoutes: Route[] = [
	{
		method: "GET",
		path: "/instances",
		summary: "Cloud instances, newest first; live=1 for those that may still cost money",
		permission: "instance:read",
		async handle(ctx, { query }) {
			refuseUnknown(query, ["state", "live", "job", "cursor", "limit"]);
			const jobId = textParam(query, "job");
			const cursor = textParam(query, "cursor");
			const limit = numberParam(query, "limit");
			return ok(
				await listInstances(ctx, {
					state: listParam(query, "state") as ListInstancesInput["state"],
					live: flagParam(query, "live"),
					...(jobId === undefined ? {} : { jobId }),
					...(cursor === undefined ? {} : { cursor }),
					...(limit === undefined ? {} : { limit }),
				}),
			);
		},
	},
	{
		method: "GET",
		path: "/sites",
		summary: "Sites with pools, slots, health and the last sweep",
		permission: "capacity:read",
		handle: async (ctx) => ok({ items: await listSites(ctx), nextCursor: null }),
	},
	{
		method: "GET",
		path: "/offers",
		summary: "What can be bought, cheapest GPU-hour first",
		permission: "capacity:read",
		async handle(ctx, { query }) {
			refuseUnknown(query, ["gpus", "accelerator", "limit"]);
			const gpus = numberParam(query, "gpus");
			const accelerator = textParam(query, "accelerator");
			const limit = numberParam(query, "limit");
			const { items, total } = await viewOffers(ctx, {
				...(gpus === undefined ? {} : { gpus }),
				...(accelerator === undefined ? {} : { accelerator }),
				...(limit === undefined ? {} : { limit }),
			});
			return ok({ items, total, nextCursor: null });
		},
	},
	{
		method: "GET",
		path: "/forecasts/score",
		summary: "How often forecasts of the wait at home held, in all and by horizon",
		permission: "capacity:read",
		handle: async (ctx) => ok(await readForecastScore(ctx)),
	},
	{
		method: "GET",
		path: "/budgets",
		summary: "Budgets of the policy in force: cap, posted, held, free",
		permission: "budget:read",
		handle: async (ctx) => ok({ items: await listBudgets(ctx), nextCursor: null }),
	},
	{
		method: "GET",
		path: "/spend",
		summary: "Owned, idle and cloud cost by one dimension",
		permission: "spend:read",
		async handle(ctx, { query }) {
			refuseUnknown(query, ["from", "to", "groupBy"]);
			const toMs = timeParam(query, "to") ?? ctx.clock.nowMs();
			const fromMs = timeParam(query, "from") ?? toMs - SPEND_DEFAULT_DAYS * DAY_MS;
			const groupBy = textParam(query, "groupBy") ?? "team";
			if (!(SPEND_GROUPS as readonly string[]).includes(groupBy)) {
				throw new SpillwayError("invalid_input", `groupBy: "${groupBy.slice(0, 40)}" is not a dimension.`, {
					fields: [{ path: "groupBy", message: `one of ${SPEND_GROUPS.join(", ")}` }],
				});
			}
			return ok(await spendBy(ctx, { fromMs, toMs, groupBy: groupBy as SpendGroup }));
		},
	},
	{
		method: "GET",
		path: "/policies/{name}",
		summary: "The policy in force, as YAML and as rules",
		permission: "policy:read",
		handle: async (ctx, { params }) => ok(await viewPolicy(ctx, params.name ?? "")),
	},
	{
		method: "GET",
		path: "/money-at-risk",
		summary: "Machines that may be running for nothing",
		permission: "capacity:read",
		handle: async (ctx) => ok(await moneyAtRisk(ctx)),
	},
];
