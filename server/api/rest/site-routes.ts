import type { z } from "zod";
import { addSiteInput, changeSiteInput, checkSiteInput, pricePoolInput } from "#server/contract/inputs/capacity.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { addSite } from "#server/services/capacity/site/add.ts";
import { changeSite } from "#server/services/capacity/site/change.ts";
import { prepareCheck } from "#server/services/capacity/site/check.ts";
import type { AddSiteInput, ChangeSiteInput, CheckSiteInput } from "#server/services/capacity/site/input.ts";
import { listSites } from "#server/services/capacity/site/list.ts";
import { type PricePoolInput, pricePool } from "#server/services/capacity/site/price-pool.ts";
import { removeSite } from "#server/services/capacity/site/remove.ts";
import { getSiteSettings, listSiteKinds } from "#server/services/capacity/site/settings-view.ts";
import type { SiteContext } from "#server/services/capacity/site/tools.ts";
import { refuseUnknown } from "./query.ts";
import { ok, type RestAnswer, type RestContext, type RestRequest, type Route } from "./route.ts";

export const siteRoutes: Route[] = [
	{
		method: "GET",
		path: "/sites",
		summary: "Sites with pools, slots, health and the last sweep",
		permission: "capacity:read",
		handle: async (ctx) => ok({ items: await listSites(ctx), nextCursor: null }),
	},
	{
		method: "POST",
		path: "/sites",
		summary: "Connect a cloud account or a cluster; its credentials are stored encrypted and never answered",
		permission: "site:manage",
		body: addSiteInput,
		write: true,
		handle: async (ctx, { body }) => ok(await addSite(withTools(ctx), body as AddSiteInput), 201),
	},
	{
		method: "POST",
		path: "/sites/check",
		summary: "Check a draft of a site step by step, before it is stored and before anything is bought: NDJSON, a step a line",
		permission: "site:manage",
		body: checkSiteInput,
		answers: "application/x-ndjson",
		handle: (ctx, request) => streamSteps(ctx, request, (request.body ?? {}) as CheckSiteInput),
	},
	{
		method: "GET",
		path: "/site-kinds",
		summary: "The providers that can be connected: what is asked for each, and the least rights to paste there",
		permission: "site:manage",
		handle: async (ctx) => ok({ items: listSiteKinds(withTools(ctx)), nextCursor: null }),
	},
	{
		method: "GET",
		path: "/sites/{id}",
		summary: "A site's settings, and where its credentials are; never the credentials",
		permission: "site:manage",
		handle: async (ctx, { params }) => ok(await getSiteSettings(ctx, params["id"] ?? "")),
	},
	{
		method: "PATCH",
		path: "/sites/{id}",
		summary: "Change a site, or enable or disable it; what is left out stays, the credentials too",
		permission: "site:manage",
		body: changeSiteInput,
		write: true,
		handle: async (ctx, { params, body }) => ok(await changeSite(withTools(ctx), params["id"] ?? "", (body ?? {}) as ChangeSiteInput)),
	},
	{
		method: "DELETE",
		path: "/sites/{id}",
		summary: "Remove a disabled site that runs none of our resources; otherwise the error lists what remains",
		permission: "site:manage",
		write: true,
		async handle(ctx, { params }) {
			await removeSite(ctx, params["id"] ?? "");
			return ok({ id: params["id"], removed: true });
		},
	},
	{
		method: "POST",
		path: "/sites/{id}/check",
		summary: "Check a site as it is stored, or with the settings and credentials of the body instead: NDJSON, a step a line",
		permission: "site:manage",
		body: checkSiteInput.omit({ id: true, provider: true }),
		answers: "application/x-ndjson",
		async handle(ctx, request) {
			const input = checkSiteInput.omit({ id: true, provider: true }).parse(request.body ?? {}) satisfies z.infer<typeof checkSiteInput>;
			return streamSteps(ctx, request, { ...input, id: request.params["id"] ?? "" });
		},
	},
	{
		method: "PUT",
		path: "/sites/{site}/pools/{pool}",
		summary: "Say what a GPU of a pool costs in an hour; before that nothing is placed on a pool that a cluster shows",
		permission: "site:manage",
		body: pricePoolInput,
		write: true,
		handle: async (ctx, { params, body }) =>
			ok(await pricePool(ctx, { siteId: params["site"] ?? "", poolId: params["pool"] ?? "" }, (body ?? {}) as PricePoolInput), 201),
	},
];

function withTools(ctx: RestContext): SiteContext {
	if (ctx.siteTools) return { ...ctx, siteTools: ctx.siteTools };
	throw new SpillwayError("unavailable", "This server cannot open sites.", { fix: "Ask the web server that npm start runs." });
}

async function streamSteps(ctx: RestContext, { query, response, signal }: RestRequest, input: CheckSiteInput): Promise<RestAnswer> {
	refuseUnknown(query, []);
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
