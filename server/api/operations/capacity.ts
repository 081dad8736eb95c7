import { forecast, instance, offer, overview, site } from "#server/contract/capacity.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { listNodes } from "#server/services/capacity/cluster-node/list.ts";
import { listForeignJobs } from "#server/services/capacity/foreign-job/list.ts";
import { listInstances } from "#server/services/capacity/instance/list.ts";
import { addSite } from "#server/services/capacity/site/add.ts";
import { changeSite } from "#server/services/capacity/site/change.ts";
import { prepareCheck } from "#server/services/capacity/site/check.ts";
import type { CheckSiteInput } from "#server/services/capacity/site/input.ts";
import { listSites } from "#server/services/capacity/site/list.ts";
import { pricePool } from "#server/services/capacity/site/price-pool.ts";
import { removeSite } from "#server/services/capacity/site/remove.ts";
import { getSiteSettings, listSiteKinds } from "#server/services/capacity/site/settings-view.ts";
import type { SiteContext } from "#server/services/capacity/site/tools.ts";
import { readForecastScore } from "#server/services/decision/forecast/score.ts";
import { forecastDemand } from "#server/services/overview/demand-forecast.ts";
import { moneyAtRisk } from "#server/services/overview/money-at-risk.ts";
import { importPrices, listPriceSnapshots } from "#server/services/pricing/offer/import-prices.ts";
import { viewOffers } from "#server/services/pricing/offer/view.ts";
import type { RestAnswer, RestRequest } from "../http/route.ts";
import type { OperationContext } from "../operation-context.ts";
import { bind, bindRest } from "./bind.ts";

export const siteOperations = {
	list: bind(site.list, listSites),
	add: bind(site.add, (ctx, input) => addSite(withTools(ctx), input)),
	checkDraft: bindRest(site.checkDraft, (ctx, input, request) => streamSteps(ctx, request, input)),
	kinds: bind(site.kinds, (ctx) => listSiteKinds(withTools(ctx))),
	get: bind(site.get, (ctx, { id }) => getSiteSettings(ctx, id)),
	change: bind(site.change, (ctx, { id, ...changes }) => changeSite(withTools(ctx), id, changes)),
	remove: bind(site.remove, async (ctx, { id }) => {
		await removeSite(ctx, id);
		return { id, removed: true as const };
	}),
	checkStored: bindRest(site.checkStored, (ctx, input, request) => streamSteps(ctx, request, site.checkStored.input.parse(input))),
	pricePool: bind(site.pricePool, (ctx, { siteId, poolId, ...price }) => pricePool(ctx, { siteId, poolId }, price)),
	queue: bind(site.queue, async (ctx, { id }) => ({ ...(await listForeignJobs(ctx, id)), nextCursor: null })),
	nodes: bind(site.nodes, (ctx, { id, ...input }) => listNodes(ctx, id, input)),
};

export const instanceOperations = { list: bind(instance.list, listInstances) };

export const offerOperations = {
	list: bind(offer.list, async (ctx, input) => ({ ...(await viewOffers(ctx, input)), nextCursor: null })),
	snapshots: bind(offer.snapshots, listPriceSnapshots),
	importPrices: bind(offer.importPrices, importPrices),
};

export const forecastOperations = {
	demand: bind(forecast.demand, forecastDemand),
	score: bind(forecast.score, readForecastScore),
};

export const overviewOperations = { moneyAtRisk: bind(overview.moneyAtRisk, moneyAtRisk) };

export function withTools(ctx: OperationContext): SiteContext {
	if (ctx.siteTools) return { ...ctx, siteTools: ctx.siteTools };
	throw new SpillwayError("unavailable", "This server cannot open sites.", { fix: "Use the web server that npm start runs." });
}

/** Sends each step of a check as a line of JSON when it ends. */
async function streamSteps(ctx: OperationContext, { response, signal }: RestRequest, input: CheckSiteInput): Promise<RestAnswer> {
	const steps = await prepareCheck(withTools(ctx), input);
	response.writeHead(200, {
		"content-type": "application/x-ndjson; charset=utf-8",
		"cache-control": "no-store",
		"x-accel-buffering": "no",
	});
	response.flushHeaders();
	for await (const step of steps) {
		if (signal.aborted) break;
		response.write(`${JSON.stringify(step)}\n`);
	}
	response.end();
	return "streamed";
}
