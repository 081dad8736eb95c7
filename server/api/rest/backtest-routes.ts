import { startBacktestInput } from "#server/contract/inputs/backtest.ts";
import { cancelBacktest } from "#server/services/decision/backtest/cancel.ts";
import { getBacktest } from "#server/services/decision/backtest/get.ts";
import { listBacktests } from "#server/services/decision/backtest/list.ts";
import { startBacktest } from "#server/services/decision/backtest/start.ts";
import { refuseUnknown } from "./query.ts";
import { ok, type Route } from "./route.ts";

const startBody = startBacktestInput.omit({ name: true });

export const backtestRoutes: Route[] = [
	{
		method: "POST",
		path: "/policies/{name}/backtest",
		summary: "Replay a draft beside the version in force over the last 7, 30 or 90 days; a background job, see GET /backtests/{id}",
		permission: "policy:edit",
		body: startBody,
		write: true,
		handle: async (ctx, { params, body }) => ok(await startBacktest(ctx, { ...startBody.parse(body), name: params["name"] ?? "" }), 202),
	},
	{
		method: "GET",
		path: "/policies/{name}/backtests",
		summary: "Backtests of a policy, newest first, without their results",
		permission: "policy:edit",
		async handle(ctx, { params, query }) {
			refuseUnknown(query, []);
			return ok({ items: await listBacktests(ctx, { name: params["name"] ?? "" }), nextCursor: null });
		},
	},
	{
		method: "GET",
		path: "/backtests/{id}",
		summary: "A backtest with its progress (progressPermille) and, when it is done, its result",
		permission: "policy:edit",
		handle: async (ctx, { params }) => ok(await getBacktest(ctx, params["id"] ?? "")),
	},
	{
		method: "POST",
		path: "/backtests/{id}/cancel",
		summary: "End a backtest that waits or runs",
		permission: "policy:edit",
		handle: async (ctx, { params }) => ok(await cancelBacktest(ctx, params["id"] ?? "")),
	},
];
