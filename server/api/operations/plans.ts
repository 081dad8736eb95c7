import { plan } from "#server/contract/plan.ts";
import { cancelStudy } from "#server/services/decision/plan/cancel.ts";
import { getStudy, listStudies } from "#server/services/decision/plan/get.ts";
import { startStudy } from "#server/services/decision/plan/start.ts";
import { bind } from "./bind.ts";

export const planOperations = {
	start: bind(plan.start, startStudy),
	list: bind(plan.list, listStudies),
	get: bind(plan.get, (ctx, { id }) => getStudy(ctx, id)),
	cancel: bind(plan.cancel, (ctx, { id }) => cancelStudy(ctx, id)),
};
