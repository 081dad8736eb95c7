import { usdToMicro } from "#server/kernel/money.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { openBudgets } from "../../budget.ts";
import { coreAt } from "../../memo.ts";
import { type JobBuilder, NOON_MS } from "../../testing/builders.ts";
import type { RunningAttempt, Snapshot } from "../../types.ts";
import { runningInput } from "../running-input.ts";
import type { RunningInput } from "../types.ts";

/** The input of a cycle with an empty queue. */
export function inputOf(snapshot: Snapshot): RunningInput {
	return runningInput(snapshot, coreAt(snapshot, undefined), openBudgets(snapshot.budgets), new Set());
}

/** A job on an on-demand machine at $2.00 an hour, an hour into its run, with a checkpoint due in two minutes. */
export function inCloud(job: JobBuilder, part: Partial<RunningAttempt> & { usd?: number | string | null } = {}): RunningAttempt {
	const { usd = 2, ...rest } = part;
	const base = job.running("", [], HOUR_MS);
	return {
		...base,
		placement: {
			...base.placement,
			siteId: "aws",
			provider: "aws",
			region: "us-east-1",
			capacityType: "on_demand",
			instanceType: "g5.2xlarge",
			poolId: null,
			accelerator: "A10G-24GB",
		},
		offerId: "aws:us-east-1:*:g5.2xlarge:on_demand",
		microUsdPerHour: usd === null ? null : usdToMicro(usd),
		expiresAtMs: NOON_MS + 20 * HOUR_MS,
		nextCheckpointAtMs: NOON_MS + 2 * MINUTE_MS,
		...rest,
	};
}
