import { type ListNodesInput, listNodes } from "#server/services/capacity/cluster-node/list.ts";
import { listForeignJobs } from "#server/services/capacity/foreign-job/list.ts";
import { type ListInstancesInput, listInstances } from "#server/services/capacity/instance/list.ts";
import { readForecastScore } from "#server/services/decision/forecast/score.ts";
import { moneyAtRisk } from "#server/services/overview/money-at-risk.ts";
import { type OffersInput, viewOffers } from "#server/services/pricing/offer/view.ts";
import { flagParam, listParam, numberParam, refuseUnknown, textParam } from "./query.ts";
import { ok, type Route } from "./route.ts";

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
		path: "/sites/{site}/queue",
		summary: "The cluster's own queue: jobs that Spillway did not submit, and which of them are adopted",
		permission: "capacity:read",
		handle: async (ctx, { params }) => ok({ ...(await listForeignJobs(ctx, params.site ?? "")), nextCursor: null }),
	},
	{
		method: "GET",
		path: "/sites/{site}/nodes",
		summary: "The nodes of an owned site by name, with how they stand and why; those that are down come first",
		permission: "capacity:read",
		async handle(ctx, { params, query }) {
			refuseUnknown(query, ["state", "cursor", "limit"]);
			const cursor = textParam(query, "cursor");
			const limit = numberParam(query, "limit");
			return ok(
				await listNodes(ctx, params["site"] ?? "", {
					state: listParam(query, "state") as ListNodesInput["state"],
					...(cursor === undefined ? {} : { cursor }),
					...(limit === undefined ? {} : { limit }),
				}),
			);
		},
	},
	{
		method: "GET",
		path: "/offers",
		summary: "What can be bought, cheapest GPU-hour first",
		permission: "capacity:read",
		async handle(ctx, { query }) {
			refuseUnknown(query, ["gpus", "accelerator", "region", "capacity", "limit"]);
			const gpus = numberParam(query, "gpus");
			const accelerator = textParam(query, "accelerator");
			const region = textParam(query, "region");
			const capacity = textParam(query, "capacity") as OffersInput["capacity"];
			const limit = numberParam(query, "limit");
			const { items, total } = await viewOffers(ctx, {
				...(region === undefined ? {} : { region }),
				...(capacity === undefined ? {} : { capacity }),
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
		path: "/money-at-risk",
		summary: "Machines that may be running for nothing",
		permission: "capacity:read",
		handle: async (ctx) => ok(await moneyAtRisk(ctx)),
	},
];
