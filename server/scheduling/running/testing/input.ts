import { usdToMicro } from "#server/kernel/money.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { openBudgets } from "../../budget.ts";
import { makeAskApproval } from "../../choose-offer.ts";
import { openHome } from "../../home.ts";
import { openOfferBook } from "../../offers.ts";
import { makeRunTimeOf } from "../../run-time.ts";
import { makeShapes } from "../../shape.ts";
import { type JobBuilder, NOON_MS } from "../../testing/builders.ts";
import type { RunningAttempt, Snapshot } from "../../types.ts";
import type { HomeRoom, RunningInput } from "../types.ts";

/** An input as a cycle with an empty queue gives it: all free slots of healthy pools are room. */
export function inputOf(snapshot: Snapshot, part: Partial<RunningInput> = {}): RunningInput {
	const runTimeOf = makeRunTimeOf(snapshot.durations);
	const free = new Map(snapshot.pools.filter((p) => p.healthy).map((p) => [p.id, [...p.freeSlots]]));
	const shapeOf = makeShapes(snapshot.policy, openHome(snapshot.pools), openOfferBook(snapshot), snapshot.nowMs);
	return {
		snapshot,
		shapeOf,
		runTimeOf,
		roomFor: (spec): HomeRoom | null => {
			for (const { view } of shapeOf(spec).home) {
				const slots = free.get(view.id) ?? [];
				const nodes = Array.from({ length: view.nodes }, (_, node) => slots.filter((s) => Math.floor(s / view.gpusPerNode) === node));
				const fit = nodes.filter((n) => n.length >= spec.resources.gpus).slice(0, spec.nodes);
				if (fit.length < spec.nodes) continue;
				const given = fit.flatMap((n) => n.slice(0, spec.resources.gpus));
				const take = (): number[] => {
					const left = slots.filter((s) => !given.includes(s));
					free.set(view.id, left);
					return given;
				};
				return { poolId: view.id, speed: view.speed ?? 1, take };
			}
			return null;
		},
		freeGpus: () => [...free.values()].reduce((sum, slots) => sum + slots.length, 0),
		budgets: openBudgets(snapshot.budgets),
		askApproval: makeAskApproval(snapshot.policy),
		settled: new Set(),
		...part,
	};
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
