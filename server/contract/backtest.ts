import { z } from "zod";
import { getShadowInput, listBacktestsInput, startBacktestInput, startShadowInput, stopRunningShadowInput } from "./inputs/backtest.ts";
import { operation } from "./operation.ts";
import { backtestSchema, backtestSummarySchema, shadowSchema } from "./outputs/backtest.ts";
import { byId } from "./parts.ts";

export const backtest = {
	start: operation({
		method: "POST",
		path: "/policies/{name}/backtest",
		summary: "Replay a draft and the version in force over past days, in the background",
		description:
			"`days` is 7, 30 or 90. `replace` cancels your other backtests of this policy and leaves the start out of the audit log; for editors that start one after each edit.",
		permission: "policy:edit",
		example: { source: "apiVersion: spillway/v1\nkind: Policy\n…", days: 7 },
		output: backtestSchema,
		input: startBacktestInput,
		status: 202,
		write: true,
		procedure: "mutation",
	}),
	list: operation({
		method: "GET",
		path: "/policies/{name}/backtests",
		summary: "List backtests of a policy, newest first, without results",
		permission: "policy:edit",
		output: z.array(backtestSummarySchema),
		input: listBacktestsInput,
		procedure: "query",
	}),
	get: operation({
		method: "GET",
		path: "/backtests/{id}",
		summary: "Get a backtest with its progress, its estimate and its result",
		permission: "policy:edit",
		output: backtestSchema,
		input: byId,
		procedure: "query",
	}),
	cancel: operation({
		method: "POST",
		path: "/backtests/{id}/cancel",
		summary: "Cancel a queued or running backtest",
		permission: "policy:edit",
		output: backtestSchema,
		input: byId,
		procedure: "mutation",
	}),
};

export const shadow = {
	get: operation({
		method: "GET",
		path: "/policies/{name}/shadow",
		summary: "Get the latest shadow: agreement, both costs and the newest differences",
		description: "The newest 50 differences.",
		permission: "policy:edit",
		output: shadowSchema,
		input: getShadowInput,
	}),
	start: operation({
		method: "POST",
		path: "/policies/{name}/shadow",
		summary: "Run a draft in the shadow of the policy in force; it only records",
		description: "409 while another shadow runs ([shadow](policy.md#tried-before-it-counts)).",
		permission: "policy:edit",
		output: shadowSchema,
		accepts: ["application/yaml"],
		text: "source",
		input: startShadowInput,
		status: 201,
		write: true,
	}),
	stop: operation({
		method: "POST",
		path: "/policies/{name}/shadow/stop",
		summary: "Stop the running shadow and keep its records",
		permission: "policy:edit",
		output: shadowSchema,
		input: stopRunningShadowInput,
	}),
};
