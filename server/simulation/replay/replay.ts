import { SpillwayError } from "#server/kernel/errors.ts";
import { nearestName } from "#server/kernel/nearest-name.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { Engine, type EngineOptions, type Strategy, type World } from "./engine.ts";
import { round3 } from "./meter.ts";
import { CloudOnDemand } from "./strategies/cloud-on-demand.ts";
import { Consolidate } from "./strategies/consolidate.ts";
import { EagerSpot } from "./strategies/eager-spot.ts";
import { OverflowLater } from "./strategies/overflow-later.ts";
import { OverflowOnDemand } from "./strategies/overflow-on-demand.ts";
import { OwnedBackfill } from "./strategies/owned-backfill.ts";
import { OwnedFifo } from "./strategies/owned-fifo.ts";
import { Pull } from "./strategies/pull.ts";
import { Spillway } from "./strategies/spillway.ts";
import { UniformProgress } from "./strategies/uniform-progress.ts";
import type { ReplayReport, ReplayScenario, StrategyChoice, TraceJob } from "./types.ts";

const RULES_OF_THUMB: Record<string, (world: World) => Strategy> = {
	owned_fifo: (world) => new OwnedFifo(world),
	owned_backfill: (world) => new OwnedBackfill(world),
	cloud_on_demand: (world) => new CloudOnDemand(world),
	overflow_on_demand: (world) => new OverflowOnDemand(world),
	eager_spot: (world) => new EagerSpot(world),
	uniform_progress: (world) => new UniformProgress(world),
	uniform_progress_owned: (world) => new UniformProgress(world, { owned: true }),
	pull: (world) => new Pull(world),
	consolidate: (world) => new Consolidate(world),
};

/** Rules with one parameter, written `name:number`: hours to wait, jobs in the queue, or hours until a machine may be replaced. */
const NUMBERED_RULES: Record<string, (world: World, value: number) => Strategy> = {
	wait_then_spot: (world, hours) => new OverflowLater(world, { waitMs: hours * HOUR_MS }),
	queue_then_spot: (world, queue) => new OverflowLater(world, { queue }),
	consolidate: (world, hours) => new Consolidate(world, hours),
};

/** Strategies that need no policy. */
export const RULES_OF_THUMB_NAMES: readonly string[] = Object.keys(RULES_OF_THUMB);

/** Spillway's own core, under a policy. */
export const SPILLWAY = "spillway";

export interface ReplayOptions extends EngineOptions {
	/** Jobs done or given up so far, and the total. */
	onProgress?: ((done: number, total: number) => void) | undefined;
}

/**
 * Runs one strategy over one trace. A choice with a policy runs Spillway's core under it, whatever its name. Everything but `replaySeconds`
 * and `decisionsPerSecond` follows from the arguments.
 * @throws SpillwayError `invalid_input` if no strategy has this name.
 */
export function replay(
	jobs: readonly TraceJob[],
	scenario: ReplayScenario,
	choice: StrategyChoice,
	options: ReplayOptions = {},
): ReplayReport {
	const began = performance.now();
	const engine = new Engine(jobs, scenario, options);
	const strategy = strategyOf(choice, engine);
	engine.run(strategy);
	const decisions = strategy.decisions ?? engine.decisions;
	const seconds = (performance.now() - began) / 1000;
	const pipelines = engine.reportPipelines();
	return {
		...engine.report(choice.name),
		...(pipelines && { pipelines }),
		overshootUsd: overshootOf(choice, engine),
		decisions,
		decisionsPerSecond: Math.round(decisions / Math.max(seconds, 1e-9)),
		replaySeconds: round3(seconds),
	};
}

function strategyOf(choice: StrategyChoice, engine: Engine): Strategy {
	if (choice.policy) return new Spillway(engine, choice.policy, { keepsMachines: true });
	const make = RULES_OF_THUMB[choice.name];
	if (make) return make(engine);
	const [, rule = "", value = ""] = /^([a-z_]+):(\d+(?:\.\d+)?)$/.exec(choice.name) ?? [];
	const numbered = NUMBERED_RULES[rule];
	if (numbered) return numbered(engine, Number(value));
	if (choice.name === SPILLWAY)
		throw new SpillwayError("invalid_input", `The strategy ${SPILLWAY} decides by a policy, and none was given.`, {
			fix: "Name a policy file.",
		});
	const near = nearestName(choice.name, RULES_OF_THUMB_NAMES);
	throw new SpillwayError("invalid_input", `There is no strategy ${choice.name}.`, {
		fix: `${near ? `Did you mean ${near}? ` : ""}Known are ${[...RULES_OF_THUMB_NAMES, SPILLWAY].join(", ")}.`,
	});
}

/** Cloud cost above the caps of budgets that apply to everyone, by calendar month. Holds exist to prevent this. */
function overshootOf(choice: StrategyChoice, engine: Engine): number {
	const caps = (choice.policy?.budgets ?? []).filter((budget) => budget.scope.trim() === "true" && budget.period === "month");
	let over = 0n;
	for (const { capMicroUsd } of caps) {
		for (const spent of engine.meter.spentByMonth.values()) if (spent > capMicroUsd) over += spent - capMicroUsd;
	}
	return round3(Number(over) / 1e6);
}
