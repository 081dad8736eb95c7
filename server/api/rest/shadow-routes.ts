import { startShadowInput } from "#server/contract/inputs/backtest.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { getShadow, type ShadowView } from "#server/services/decision/shadow/get.ts";
import { startShadow } from "#server/services/decision/shadow/start.ts";
import { stopRunningShadow } from "#server/services/decision/shadow/stop.ts";
import { refuseUnknown } from "./query.ts";
import { ok, type Route } from "./route.ts";

const startBody = startShadowInput.omit({ name: true });
const nameIn = (params: Record<string, string>): string => params["name"] ?? "";

export const shadowRoutes: Route[] = [
	{
		method: "GET",
		path: "/policies/{name}/shadow",
		summary: "The draft that decides beside the policy in force, or did last: agreement, cost of both, and the newest differences",
		permission: "policy:edit",
		async handle(ctx, { params, query }) {
			refuseUnknown(query, []);
			return ok(await shadowOf(ctx, nameIn(params)));
		},
	},
	{
		method: "POST",
		path: "/policies/{name}/shadow",
		summary: "Let a draft decide beside the policy in force on live work; it only records. 409 while another one runs",
		permission: "policy:edit",
		body: startBody,
		write: true,
		async handle(ctx, { params, body }) {
			const name = nameIn(params);
			await startShadow(ctx, { ...startBody.parse(typeof body === "string" ? { source: body } : body), name });
			return ok(await shadowOf(ctx, name), 201);
		},
	},
	{
		method: "POST",
		path: "/policies/{name}/shadow/stop",
		summary: "Stop the shadow that runs; what it recorded stays",
		permission: "policy:edit",
		async handle(ctx, { params }) {
			const name = nameIn(params);
			await stopRunningShadow(ctx, { name });
			return ok(await shadowOf(ctx, name));
		},
	},
];

async function shadowOf(ctx: ServiceContext, name: string): Promise<ShadowView> {
	const view = await getShadow(ctx, { name });
	if (view) return view;
	throw new SpillwayError("not_found", `No draft was ever in the shadow of the policy "${name}".`, { fix: "POST one here." });
}
