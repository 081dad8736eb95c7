import { describe, expect, it } from "vitest";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { decide } from "../decide.ts";
import { aBudget, aJob, anOffer, aPolicy, aPool, aSnapshot, BURST_AFTER_10S, NOON_MS } from "../testing/builders.ts";
import type { Action, RunningAttempt, Snapshot } from "../types.ts";
import { planRunning } from "./plan-running.ts";
import { moveAsRequested } from "./requested-move.ts";
import { inCloud, inputOf } from "./testing/input.ts";

const policy = aPolicy({ rules: [BURST_AFTER_10S] });
const offers = [anOffer({ usd: 3, capacityType: "on_demand" })];
const requested = (to: "home" | "cloud", part: Partial<RunningAttempt> = {}): RunningAttempt =>
	inCloud(aJob("a").estimate(5 * HOUR_MS), { moveRequest: { to, by: "Ada" }, ...part });
const atHome = (part: Partial<RunningAttempt> = {}): RunningAttempt => ({
	...aJob("a")
		.estimate(5 * HOUR_MS)
		.running("home-a", [0], HOUR_MS),
	nextCheckpointAtMs: NOON_MS + 2 * MINUTE_MS,
	moveRequest: { to: "cloud", by: "Ada" },
	...part,
});
const moves = (snapshot: Partial<Snapshot>): Action[] => moveAsRequested(inputOf(aSnapshot({ policy, offers, ...snapshot })));

describe("a move requested by a person", () => {
	it("goes home at the next checkpoint, although no rule allows moves", () => {
		expect(moves({ running: [requested("home")] })).toMatchObject([
			{
				...{ kind: "move", jobId: "job_a", atMs: NOON_MS + 2 * MINUTE_MS, holdMicroUsd: 0n },
				to: { kind: "home", poolId: "home-a", slots: [0] },
				reason: { code: "moved_by_person", facts: { by: "Ada", poolId: "home-a" } },
			},
		]);
	});

	it("leaves home or its offer for the cloud even if that costs more, with the worst case as hold", () => {
		const to = { kind: "cloud", offerId: offers[0]?.id };
		for (const running of [atHome(), requested("cloud")]) {
			const [action, ...more] = moves({ running: [running] });
			expect(more).toEqual([]);
			expect(action).toMatchObject({ kind: "move", to, reason: { code: "moved_by_person" } });
			expect(action?.kind === "move" && action.holdMicroUsd > 0n).toBe(true);
		}
	});

	it("leaves at once when no checkpoint is announced", () => {
		expect(moves({ running: [requested("home", { nextCheckpointAtMs: null })] })).toMatchObject([{ atMs: NOON_MS }]);
	});

	it("waits while there is no room, no offer, no burst rule, no money, or the job has not started", () => {
		const full = aPool({ nodes: 1, gpusPerNode: 1 });
		const other = aJob("b").running("home-a", [0], HOUR_MS);
		expect(moves({ pools: [full], running: [requested("home"), other] })).toEqual([]);
		expect(moves({ offers: [], running: [atHome()] })).toEqual([]);
		expect(moves({ policy: aPolicy({ rules: [] }), running: [atHome()] })).toEqual([]);
		const capped = aPolicy({ rules: [BURST_AFTER_10S], budgets: [{ id: "month", capMicroUsd: 1_000_000n }] });
		expect(moves({ policy: capped, budgets: [aBudget("month", { cap: 1, posted: 1 })], running: [atHome()] })).toEqual([]);
		expect(moves({ running: [requested("home", { startedAtMs: null })] })).toEqual([]);
	});

	it("leaves a job that stops, moves or is home already where it is", () => {
		expect(moves({ running: [requested("home", { stopping: true })] })).toEqual([]);
		expect(moves({ running: [requested("home", { movingTo: { kind: "cloud", offerId: "x" } })] })).toEqual([]);
		expect(moves({ running: [atHome({ moveRequest: { to: "home", by: "Ada" } })] })).toEqual([]);
	});

	it("is in the plan of a cycle once, and keeps rules from moving the job elsewhere", () => {
		const rules: Parameters<typeof aPolicy>[0] = {
			rules: [BURST_AFTER_10S, ["save", null, { kind: "move", to: ["home", "cheaper"], savingMicroUsd: 1n }]],
		};
		const snapshot = aSnapshot({ policy: aPolicy(rules), offers, running: [requested("home")] });
		expect(decide(snapshot).actions.filter(({ kind }) => kind === "move")).toMatchObject([{ reason: { code: "moved_by_person" } }]);
		const cheap = [anOffer({ usd: "0.10", capacityType: "on_demand" })];
		expect(planRunning(inputOf(aSnapshot({ policy: aPolicy(rules), offers: cheap, running: [requested("cloud")] })))).toEqual([]);
	});
});
