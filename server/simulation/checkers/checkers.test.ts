import { describe, expect, it } from "vitest";
import type { ChargeDraft } from "#server/accounting/amounts.ts";
import { reason } from "#server/domain/reasons.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { drawScenario } from "../draw-scenario.ts";
import { runChecked } from "../run-checked.ts";
import type { World } from "../world.ts";
import { allCheckers } from "./all.ts";

/** Breaks one promise; true once it found something to break. */
type Sabotage = (world: World, charges: ChargeDraft[]) => boolean;

/** A run that is sound without it (simulation.test.ts), has every kind of row, and is broken once, in the middle. */
const SEED = 8;

const SABOTAGE: [string, string, Sabotage, RegExp][] = [
	[
		"transitions",
		"a job jumps back to queued without a move",
		({ book }) =>
			change(
				[...book.jobs.values()].find((j) => j.state === "running" && [...book.liveAttempts].some((a) => a.jobId === j.id)),
				(job) => {
					job.state = "queued";
					book.pending.add(job);
				},
			),
		/no move led there/,
	],
	[
		"transitions",
		"an instance goes back from terminated",
		({ book }) =>
			change(
				[...book.instances.values()].find((i) => i.state === "terminated"),
				(row) => {
					book.moves.push({ machine: "instance", id: row.id, from: "terminated", to: "ready" });
				},
			),
		/no arrow allows/,
	],
	[
		"live-attempts",
		"a job gets a second live attempt",
		({ book }) =>
			change([...book.liveAttempts][0], (row) => {
				const twin = { ...row, id: `${row.id}_twin` };
				book.addAttempt(twin);
			}),
		/two live attempts/,
	],
	[
		"slots",
		"two attempts hold a slot",
		({ book }) =>
			change([...book.openAllocations.values()][0], (row) => {
				book.openAllocations.set("att_other", { ...row, attemptId: "att_other" });
			}),
		/is held by/,
	],
	[
		"slots",
		"a slot is given that its pool does not have",
		({ book }) =>
			change([...book.openAllocations.values()][0], (row) => {
				row.slots = [99];
			}),
		/holds slot 99/,
	],
	[
		"orphans",
		"a machine outlives its dead man's switch",
		({ cloud, scenario }) =>
			change([...cloud.alive][0], (machine) => {
				machine.expiresAtMs = scenario.startMs - HOUR_MS;
			}),
		/past its end of life/,
	],
	[
		"orphans",
		"a machine lives for which no row accounts",
		(world) =>
			change(world.nowMs() < world.scenario.healAtMs ? undefined : world.scenario.offers[0], (offer) => {
				const answer = world.cloud.launch("ins_of_nobody", offer, world.nowMs() + 10 * HOUR_MS);
				// The sweep would find and end it: hide it from every listing.
				if (answer.kind !== "found") return;
				answer.machine.visibleFromMs = Number.POSITIVE_INFINITY;
				answer.machine.agentDeadAtMs = world.nowMs();
			}),
		/is an orphan/,
	],
	[
		"budgets",
		"a hold is lost from its period",
		({ budgets }) =>
			change(
				[...budgets.periods.values()].find((p) => p.heldMicroUsd > 0n),
				(period) => {
					period.heldMicroUsd -= 1n;
				},
			),
		/its holds say/,
	],
	[
		"budgets",
		"a cap is exceeded",
		({ budgets, scenario }) =>
			change(
				[...budgets.periods.values()].find((p) => p.budgetId === "all"),
				(period) => {
					period.postedMicroUsd += scenario.policy.budgets[0]?.capMicroUsd ?? 0n;
					period.postedMicroUsd += 1n;
				},
			),
		/its cap is/,
	],
	[
		"charges",
		"a charge is doubled",
		(_, charges) =>
			change(
				charges.find((c) => c.instanceId !== null),
				(charge) => {
					charges.push(charge);
				},
			),
		/leave or double|charged again/,
	],
	[
		"charges",
		"a charge is a micro-dollar short",
		(_, charges) =>
			change(charges.at(-1)?.instanceId ? charges.at(-1) : undefined, (charge) => {
				charges[charges.length - 1] = { ...charge, effectiveMicroUsd: charge.effectiveMicroUsd - 1n };
			}),
		/which cost/,
	],
	[
		"charges",
		"an hour of the owned pools is missing",
		(world, charges) =>
			change(world.nowMs() > world.scenario.healAtMs ? charges : undefined, () => {
				const add = (...list: ChargeDraft[]): number => Array.prototype.push.apply(charges, list.at(-1)?.poolId ? list.slice(0, -1) : list);
				Object.assign(charges, { push: add });
			}),
		/owning it cost|GPU-ms/,
	],
	[
		"reasons",
		"an attempt ends without a reason",
		({ book }) =>
			change(
				[...book.liveAttempts].find((a) => a.state === "running"),
				(row) => {
					book.moveAttempt(row, "failed");
					row.finishedAtMs = 1;
				},
			),
		/without a time or a reason/,
	],
	[
		"reasons",
		"a job waits and says that it runs",
		({ book }) =>
			change([...book.pending][0], (row) => {
				row.reason = reason("started");
			}),
		/its reason is started/,
	],
	[
		"rest",
		"a command never ends",
		({ book }) =>
			change(
				[...book.pending].find(
					(j) => j.spec.class === "sensitive" && j.spec.duration.maxMs === null && j.work.cancelAfterMs === null && !j.work.fails,
				),
				(row) => {
					row.work = { ...row.work, totalMs: 1e15 };
				},
			),
		/not at rest/,
	],
];

/** Does it when there is something to do it to. */
function change<T>(target: T | undefined, how: (target: T) => void): boolean {
	if (target === undefined) return false;
	how(target);
	return true;
}

describe("a checker that cannot fail is no checker", () => {
	it.each(SABOTAGE)("%s sees it when %s", (name, _what, sabotage, words) => {
		let done = false;
		const run = runChecked(drawScenario(SEED), allCheckers(), (world, charges) => {
			done ||= sabotage(world, charges);
		});
		expect(done, "the run has nothing to break").toBe(true);
		expect(run.violation?.message).toMatch(words);
		expect(run.violation?.checker).toBe(name);
	});

	it("sees an error in the code as a violation, with its event", () => {
		const run = runChecked(drawScenario(SEED), allCheckers(), (world) => {
			if (world.events === 40) throw new RangeError("planted");
		});
		expect(run.violation).toMatchObject({ checker: "code", eventNumber: 40, message: "RangeError: planted" });
	});
});
