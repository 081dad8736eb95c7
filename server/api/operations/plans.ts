import { plan } from "#server/contract/plan.ts";
import { storeUpload } from "#server/services/core/upload.ts";
import { cancelStudy } from "#server/services/decision/plan/cancel.ts";
import { filterDemand, getStudy, listStudies } from "#server/services/decision/plan/get.ts";
import { startStudy } from "#server/services/decision/plan/start.ts";
import { getPlanDecision } from "#server/services/reporting/plan-decision/get.ts";
import { ok } from "../http/route.ts";
import { planDecisionFile } from "../plan-decision-file.ts";
import { bind, bindRest, withRest } from "./bind.ts";

export const planOperations = {
	upload: bindRest(plan.upload, async (ctx, { name = "trace" }, { upload }) =>
		ok(await storeUpload(ctx, "plan:run", { name, bytes: upload }), 201),
	),
	start: bind(plan.start, startStudy),
	list: bind(plan.list, listStudies),
	get: bind(plan.get, (ctx, { id }) => getStudy(ctx, id)),
	demand: bind(plan.demand, filterDemand),
	decision: withRest(
		bind(plan.decision, (ctx, { id }) => getPlanDecision(ctx, id)),
		async (ctx, { id, format = "json" }, { response }) => {
			if (format === "json") return ok(await getPlanDecision(ctx, id));
			const file = await planDecisionFile(ctx, id);
			response.writeHead(200, file.headers);
			response.end(file.bytes);
			return "streamed";
		},
	),
	cancel: bind(plan.cancel, (ctx, { id }) => cancelStudy(ctx, id)),
};
