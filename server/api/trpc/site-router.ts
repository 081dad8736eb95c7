import { z } from "zod";
import { addSiteInput, changeSiteInput, checkSiteInput, listNodesInput, pricePoolInput } from "#server/contract/inputs/capacity.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { listNodes } from "#server/services/capacity/cluster-node/list.ts";
import { listForeignJobs } from "#server/services/capacity/foreign-job/list.ts";
import { addSite } from "#server/services/capacity/site/add.ts";
import { changeSite } from "#server/services/capacity/site/change.ts";
import { prepareCheck } from "#server/services/capacity/site/check.ts";
import { listSites } from "#server/services/capacity/site/list.ts";
import { pricePool } from "#server/services/capacity/site/price-pool.ts";
import { removeSite } from "#server/services/capacity/site/remove.ts";
import { listSiteKinds, listSiteSettings } from "#server/services/capacity/site/settings-view.ts";
import type { SiteContext } from "#server/services/capacity/site/tools.ts";
import { readUseByHour } from "#server/services/capacity/site/use-by-hour.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { runtime } from "#server/services/runtime.ts";
import { procedure, router } from "./init.ts";

const id = z.string().min(1).max(64);

export const siteRouter = router({
	list: procedure.query(({ ctx }) => listSites(ctx.service)),
	queue: procedure.input(z.strictObject({ id })).query(({ ctx, input }) => listForeignJobs(ctx.service, input.id)),
	nodes: procedure
		.input(listNodesInput.extend({ id }))
		.query(({ ctx, input: { id: siteId, ...input } }) => listNodes(ctx.service, siteId, input)),
	useByHour: procedure.query(({ ctx }) => readUseByHour(ctx.service)),
	settings: procedure.query(({ ctx }) => listSiteSettings(ctx.service)),
	kinds: procedure.query(({ ctx }) => listSiteKinds(withTools(ctx.service))),
	add: procedure.input(addSiteInput).mutation(({ ctx, input }) => addSite(withTools(ctx.service), input)),
	change: procedure
		.input(changeSiteInput.extend({ id }))
		.mutation(({ ctx, input: { id: siteId, ...input } }) => changeSite(withTools(ctx.service), siteId, input)),
	remove: procedure.input(z.strictObject({ id })).mutation(({ ctx, input }) => removeSite(ctx.service, input.id)),
	pricePool: procedure
		.input(pricePoolInput.extend({ siteId: id, poolId: id }))
		.mutation(({ ctx, input: { siteId, poolId, ...input } }) => pricePool(ctx.service, { siteId, poolId }, input)),
	/** A step as it ends. A mutation, although nothing is changed: its input holds credentials, which belong in no address. */
	check: procedure.input(checkSiteInput).mutation(async function* ({ ctx, input }) {
		yield* await prepareCheck(withTools(ctx.service), input);
	}),
});

function withTools(ctx: ServiceContext): SiteContext {
	const { siteTools } = runtime();
	if (siteTools) return { ...ctx, siteTools };
	throw new SpillwayError("unavailable", "This server cannot open sites.", { fix: "Ask the web server that npm start runs." });
}
