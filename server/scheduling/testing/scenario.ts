import type { WorkloadClass } from "#server/domain/vocabulary.ts";
import { assert, defined } from "#server/kernel/assert.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { parseDurationMs } from "#server/kernel/units.ts";
import { parsePolicy } from "#server/policy/parse-policy.ts";
import type { Snapshot } from "../types.ts";
import { aBudget, aJob, anOffer, aPool, aSnapshot, NOON_MS } from "./builders.ts";

/** A decision at noon, in a format that is easy to write by hand: golden/<name>.json. Durations are texts such as "1h". */
export interface Scenario {
	title: string;
	/** Lines of the policy's YAML. */
	policy: string[];
	/** One node of the pool home-a. */
	home: { gpus: number; free: number[] };
	/** `savedAgo`: the time since its last checkpoint; omitted: no checkpoints. */
	running?: { name: string; slots: number[]; estimate: string; ran: string; class?: WorkloadClass; savedAgo?: string }[];
	jobs: {
		name: string;
		team?: string;
		class?: WorkloadClass;
		gpus?: number;
		accelerators?: string[];
		estimate?: string;
		max?: string;
		waited?: string;
		deadlineIn?: string;
		priority?: number;
	}[];
	offers?: {
		region: string;
		instanceType: string;
		gpus?: number;
		accelerator?: string;
		capacityType: "on_demand" | "spot";
		usdPerHour: string | null;
		onDemandUsdPerHour?: string;
		backoffFor?: string;
	}[];
	budgets?: { id: string; capUsd: string; postedUsd: string; heldUsd: string }[];
	cloudStart: { p50: string; p90: string };
}

const KEYS = {
	scenario: ["title", "policy", "home", "running", "jobs", "offers", "budgets", "cloudStart"],
	running: ["name", "slots", "estimate", "ran", "class", "savedAgo"],
	jobs: ["name", "team", "class", "gpus", "accelerators", "estimate", "max", "waited", "deadlineIn", "priority"],
	offers: ["region", "instanceType", "gpus", "accelerator", "capacityType", "usdPerHour", "onDemandUsdPerHour", "backoffFor"],
};

/** Guards against a misspelt key, which would silently test something else. The values are the project's own files. */
function readScenario(document: unknown): Scenario {
	const only = (value: object, keys: string[]): void => {
		for (const key of Object.keys(value)) assert(keys.includes(key), `a scenario has no "${key}"; it may have ${keys.join(", ")}`);
	};
	assert(typeof document === "object" && document !== null, "a scenario is an object");
	only(document, KEYS.scenario);
	const scenario = document as Scenario;
	for (const attempt of scenario.running ?? []) only(attempt, KEYS.running);
	for (const job of scenario.jobs) only(job, KEYS.jobs);
	for (const offer of scenario.offers ?? []) only(offer, KEYS.offers);
	return scenario;
}

const ms = (text: string): number => defined(parseDurationMs(text), `length of time in "${text}"`);

export function snapshotOfScenario(document: unknown): { title: string; snapshot: Snapshot } {
	const { title, home, running = [], jobs, offers = [], budgets = [], cloudStart, policy: lines } = readScenario(document);
	const { policy, problems } = parsePolicy(lines.join("\n"));
	if (!policy) throw new Error(`the scenario's policy is not valid: ${problems.map((p) => `line ${p.line}: ${p.message}`).join("; ")}`);
	const snapshot = aSnapshot({
		policy,
		pools: [aPool({ gpusPerNode: home.gpus, freeSlots: home.free })],
		running: running.map((r) => {
			const job = aJob(r.name)
				.class(r.class ?? "burst")
				.gpus(r.slots.length)
				.estimate(ms(r.estimate));
			const attempt = job.running("home-a", r.slots, ms(r.ran));
			return r.savedAgo === undefined ? attempt : { ...attempt, savedMs: ms(r.ran) - ms(r.savedAgo) };
		}),
		pending: jobs.map(
			({ name, team = "risk", class: workload = "burst", gpus = 1, accelerators = [], waited = "0s", priority = 50, ...j }) => {
				const built = aJob(name)
					.team(team)
					.class(workload)
					.gpus(gpus)
					.accelerators(...accelerators)
					.waited(ms(waited))
					.priority(priority);
				const job = built.build();
				const duration = { estimateMs: j.estimate === undefined ? null : ms(j.estimate), maxMs: j.max === undefined ? null : ms(j.max) };
				return { ...job, spec: { ...job.spec, duration, deadlineMs: j.deadlineIn === undefined ? null : NOON_MS + ms(j.deadlineIn) } };
			},
		),
		offers: offers.map(({ usdPerHour, onDemandUsdPerHour, backoffFor, ...o }) =>
			anOffer({
				...o,
				usd: usdPerHour,
				onDemandMicroUsdPerHour: onDemandUsdPerHour === undefined ? null : usdToMicro(onDemandUsdPerHour),
				...(backoffFor === undefined ? {} : { backoffUntilMs: NOON_MS + ms(backoffFor), backoffReason: "insufficient_capacity" as const }),
			}),
		),
		budgets: budgets.map((b) => aBudget(b.id, { cap: b.capUsd, posted: b.postedUsd, held: b.heldUsd })),
		cloudStartMs: { p50Ms: ms(cloudStart.p50), p90Ms: ms(cloudStart.p90) },
	});
	return { title, snapshot };
}
