import { describe, expect, it } from "vitest";
import type { Policy } from "#server/domain/policy.ts";
import { reason } from "#server/domain/reasons.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { specOf } from "../world.ts";
import { allPromises, brokenAfter } from "./all.ts";
import type { Observed, StateChange } from "./observed.ts";

const T0 = Date.UTC(2026, 10, 2, 8);
const at = (minutes: number): Date => new Date(T0 + minutes * MINUTE_MS);
const USD_PER_MINUTE = 60_000n;

const policy: Policy = {
	...{ name: "default", rules: [], shares: [], weights: { delayMicroUsdPerHour: 0n, carbonMicroUsdPerTonne: 0n } },
	budgets: [{ id: "all", scope: "true", period: "month", capMicroUsd: 1_000_000n, atCap: "hold", line: 1 }],
	caps: [
		{ id: "machines", scope: "true", line: 2, kind: "instances", count: 1 },
		{ id: "rate", scope: "true", line: 3, kind: "burn_rate", microUsdPerHour: 60n * USD_PER_MINUTE },
	],
};
const spec = specOf({ name: "a" });

/** A job that ran at home, one that ran in a cloud until minute 20 and one that waits; only the columns that promises read. */
function sound(): Observed {
	const job = (id: string, state: string, code: "completed" | "budget_exceeded", end: Date | null) => ({
		...{ id, state, reason: reason(code), spec, finishedAt: end, cancelRequestedAt: null },
	});
	const attempt = (id: string, jobId: string, end: Date) => ({
		id,
		jobId,
		state: "succeeded",
		reason: reason("completed"),
		finishedAt: end,
	});
	const metered = (period: [number, number], microUsd: bigint, of: Partial<Observed["charges"][number]>) => ({
		...{ kind: "compute", correction: null, instanceId: null, allocationId: null, poolId: null },
		...{ periodStart: at(period[0]), periodEnd: at(period[1]), effectiveMicroUsd: microUsd },
		...{ gpuMs: BigInt((period[1] - period[0]) * MINUTE_MS), ...of },
	});
	const states = { jobs: ["queued", "admitted", "running", "succeeded"], attempts: ["starting", "running", "succeeded"] };
	const path = (machine: StateChange["machine"], id: string, along: readonly string[]): StateChange[] =>
		along.map((to, i) => ({ machine, id, from: along[i - 1] ?? null, to }));
	return {
		...{ nowMs: T0 + 20 * MINUTE_MS, healedAtMs: T0, policy },
		pools: [{ id: "home", nodes: 1, gpusPerNode: 2, microUsdPerGpuHour: 60n * USD_PER_MINUTE, ownedSince: at(0) }],
		jobs: [
			job("j1", "succeeded", "completed", at(10)),
			job("j2", "succeeded", "completed", at(19)),
			job("j3", "held", "budget_exceeded", null),
		],
		attempts: [attempt("a1", "j1", at(10)), attempt("a2", "j2", at(19))],
		instances: [
			{
				...{
					id: "i2",
					jobId: "j2",
					attemptId: "a2",
					state: "terminated",
					reason: reason("job_finished"),
					gpus: 1,
					provider: "aws",
					capacityType: "on_demand",
				},
				...{ microUsdPerHour: 60n * USD_PER_MINUTE, billedFrom: at(10), billedUntil: at(20), meteredUntil: at(20), terminatedAt: at(20) },
				expiresAt: at(60),
			},
		],
		allocations: [{ id: "l1", attemptId: "a1", poolId: "home", slots: [0], startedAt: at(0), endedAt: at(10) }],
		holds: [{ id: "h2", instanceId: "i2", warm: false, amountMicroUsd: 900_000n, postedMicroUsd: 600_000n, state: "posted" }],
		holdBudgets: [{ holdId: "h2", budgetId: "all", periodKey: "2026-11-01" }],
		periods: [{ budgetId: "all", periodKey: "2026-11-01", postedMicroUsd: 600_000n, heldMicroUsd: 0n }],
		charges: [
			metered([10, 15], 300_000n, { instanceId: "i2" }),
			metered([15, 20], 300_000n, { instanceId: "i2" }),
			metered([0, 10], 600_000n, { allocationId: "l1" }),
			metered([0, 20], 1_800_000n, { poolId: "home", gpuMs: BigInt(30 * MINUTE_MS) }),
		],
		changes: [
			...["j1", "j2"].flatMap((id) => path("job", id, states.jobs)),
			...path("job", "j3", ["queued", "held"]),
			...["a1", "a2"].flatMap((id) => path("attempt", id, states.attempts)),
			...path("instance", "i2", ["intended", "requested", "provisioning", "ready", "terminating", "terminated"]),
		],
		machines: [{ id: "m2", instanceId: "i2", alive: false }],
		commands: [],
	} as unknown as Observed;
}

/** The broken promises, at the end of a sound run with one thing changed. */
function brokenBy(sabotage: (seen: Observed) => void): string[] {
	const seen = sound();
	sabotage(seen);
	return brokenAfter(allPromises(), seen, "atEnd");
}

type Field = "jobs" | "attempts" | "instances" | "allocations" | "holds" | "periods" | "charges";
/** Changes columns of the first row of a table. */
const set =
	(field: Field, columns: Record<string, unknown>) =>
	(seen: Observed): void =>
		void Object.assign(seen[field][0] ?? {}, columns);

const SABOTAGE: [string, string, (seen: Observed) => void, RegExp][] = [
	["transitions", "a job is queued again without a change", set("jobs", { state: "queued", finishedAt: null }), /no change led there/],
	[
		"transitions",
		"an instance returns from terminated",
		({ changes }) => void changes.push({ machine: "instance", id: "i2", from: "terminated", to: "ready" }),
		/no arrow allows/,
	],
	[
		"live-attempts",
		"a job has a second live attempt",
		({ attempts }) => void attempts.push(...alive("b", "c")),
		/has two live attempts: b and c/,
	],
	[
		"live-attempts",
		"two commands of a job run",
		({ commands }) => void commands.push({ jobId: "j1", attemptId: "a1" }, { jobId: "j1", attemptId: "a9" }),
		/two commands of job j1 run at once/,
	],
	[
		"slots",
		"two attempts hold a slot",
		({ allocations }) => void allocations.push({ ...first(allocations), attemptId: "a9", startedAt: at(9), endedAt: null }),
		/slot 0 of pool home is held by a1 and a9/,
	],
	["slots", "a slot is given that its pool does not have", set("allocations", { slots: [2] }), /holds slot 2 of pool home, which has 2/],
	[
		"orphans",
		"a machine lives for which no row accounts",
		({ machines }) => void machines.push({ id: "m9", instanceId: "i9", alive: true }),
		/m9 of i9 lives, and its row is missing/,
	],
	[
		"orphans",
		"an instance is called terminated and its machine lives",
		({ machines }) => void Object.assign(first(machines), { alive: true }),
		/its row is terminated/,
	],
	["budgets", "a hold is lost from its period", set("holds", { state: "pending" }), /was never closed/],
	["budgets", "a period holds what no hold says", set("periods", { heldMicroUsd: 1n }), /holds 1 µ\$, its holds say 0/],
	["budgets", "a cap is exceeded", set("periods", { postedMicroUsd: 1_000_001n }), /its cap is 1000000/],
	["budgets", "a machine costs more than was held", set("holds", { amountMicroUsd: 599_999n }), /cost 1 µ\$ more than was held/],
	["budgets", "a posting is lost", set("holds", { postedMicroUsd: 599_999n }), /was charged 600000 µ\$, its hold says 599999/],
	["budgets", "an instance has no hold", ({ holds }) => void holds.pop(), /instance i2 has no hold/],
	["charges", "a charge is doubled", ({ charges }) => void charges.push(first(charges)), /leave or double/],
	["charges", "a charge is a micro-dollar short", set("charges", { effectiveMicroUsd: 299_999n }), /is charged 599999 µ\$/],
	["charges", "a charge is missing", ({ charges }) => void charges.shift(), /leave or double/],
	["charges", "a machine is not charged to its end", set("instances", { billedUntil: at(21) }), /is not charged to its end/],
	["charges", "an hour of an owned pool is missing", ({ charges }) => void charges.pop(), /owning it cost/],
	["reasons", "an attempt ends without a reason", set("attempts", { reason: null }), /without a time or a reason/],
	["reasons", "an instance ends without a reason", set("instances", { reason: null }), /without a time or a reason/],
	[
		"reasons",
		"a job waits and says that it runs",
		({ jobs }) => void Object.assign(last(jobs), { reason: reason("started") }),
		/its reason is started/,
	],
];

const first = <T>([row]: readonly T[]): T => row as T;
const last = <T>(rows: readonly T[]): T => rows.at(-1) as T;
const alive = (...ids: string[]) =>
	ids.map((id) => ({ ...first(sound().attempts), id, state: "running" as const, finishedAt: null, reason: null }));

describe("promises that can be broken", () => {
	it("hold in a sound run", () => expect(brokenBy(() => {})).toEqual([]));

	it.each(SABOTAGE)("%s: %s", (name, _what, sabotage, words) => {
		const broken = brokenBy(sabotage).filter((line) => line.startsWith(`${name}:`));
		expect(broken.join()).toMatch(words);
	});

	it.each([
		["instances", { id: "i9" }, /^caps: 2 instances under cap machines of 1/],
		["the rate", { id: "i9", microUsdPerHour: 60n * USD_PER_MINUTE }, /caps: 2 instances/],
	])("caps: more than a cap of %s allows", (_what, changes, words) => {
		const seen = sound();
		const live = { state: "ready" as const, terminatedAt: null };
		seen.instances = [
			{ ...first(seen.instances), ...live },
			{ ...first(seen.instances), ...live, ...changes },
		];
		expect(
			brokenAfter(allPromises(), seen)
				.filter((line) => line.startsWith("caps:"))
				.join(),
		).toMatch(words);
	});

	it("caps: a rate above its cap", () => {
		const seen = sound();
		seen.instances = [{ ...first(seen.instances), state: "ready", microUsdPerHour: 60n * USD_PER_MINUTE + 1n }];
		expect(brokenAfter(allPromises(), seen).filter((line) => line.startsWith("caps:"))).toEqual([
			"caps: 3600001 µ$ an hour under cap rate of 3600000",
		]);
	});

	it("orphans: a machine long past its end of life, and one without a row for too long", () => {
		const promises = allPromises();
		const seen = { ...sound(), machines: [{ id: "m2", instanceId: "i2", alive: true }] };
		seen.instances = [{ ...first(seen.instances), state: "ready" }];
		const orphans = (nowMs: number) => brokenAfter(promises, { ...seen, nowMs }).filter((line) => line.startsWith("orphans:"));
		expect(orphans(T0 + HOUR_MS + 5 * MINUTE_MS)).toEqual([]);
		expect(orphans(T0 + HOUR_MS + 11 * MINUTE_MS).join()).toMatch(/lives 660000 ms past its end of life/);
		seen.machines = [{ id: "m9", instanceId: "i9", alive: true }];
		expect(orphans(T0)).toEqual([]);
		expect(orphans(T0 + 6 * MINUTE_MS).join()).toMatch(/m9 \(i9\) has been an orphan for 360000 ms/);
	});
});
