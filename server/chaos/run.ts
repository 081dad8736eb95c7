import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { check } from "./checkers.ts";
import { CLOCK_RATE } from "./fast-clock.ts";
import { Kills } from "./kills.ts";
import { readOutcome } from "./outcome.ts";
import type { ChaosJob } from "./plan.ts";
import { endFaults, listUnfinished, waitUntilIdle } from "./rest.ts";
import { type RunReport, reportOf } from "./run-report.ts";
import { HOME } from "./seed-world.ts";
import { PlanEvents } from "./turns.ts";
import { PromiseWatch } from "./watch-promises.ts";
import { World, type WorldOptions } from "./world.ts";

/** Clock speed-up for runs with a move, which only happens after ten minutes. */
const MOVE_HASTE = 2;
const HOME_MS = 300_000;
const LOOK_MS = 80;
const DISPOSE_MS = 60_000;
/** Real time. Longer than a run may wait for its plan and for idle together. */
export const RUN_LIMIT_MS = 600_000;

export interface RunOptions extends WorldOptions {
	/** Real. */
	limitMs?: number;
	/** Called with what the run waits for next, and the folder that identifies its processes. */
	onStage?(stage: string, folder: string): void;
}

/**
 * One run: applies the plan, then stops all faults, and checks the final state against the guarantees.
 * @throws Error when it is not over within its limit; the message contains what it waited for
 */
export async function runOnce(options: RunOptions): Promise<RunReport> {
	const folder = mkdtempSync(path.join(os.tmpdir(), "spillway-chaos-"));
	const rate = (options.rate ?? CLOCK_RATE) * (options.plan.move ? MOVE_HASTE : 1);
	const kills = new Kills(options.plan.kills, () => world);
	const world: World = new World({ ...options, rate }, folder, kills);
	let stage = "its world to open";
	const begin = (next: string): void => {
		stage = next;
		options.onStage?.(next, folder);
	};
	const { limitMs = RUN_LIMIT_MS } = options;
	try {
		return await within(limitMs, go(options, { world, kills, begin }), async () => {
			const left = await Promise.race([listUnfinished(world), sleep(2_000, ["the database answers nothing"])]).catch(String);
			return `seed ${options.plan.seed} was not over after ${limitMs / 1_000} s: it waited for ${stage}; ${[left].flat().join(", ")}`;
		});
	} finally {
		begin("its world to close");
		kills.calm();
		await within(
			DISPOSE_MS,
			kills.allBack().then(() => world.dispose()),
			async () => "the run's world did not close",
		).catch((error) => options.log(String(error)));
		rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
	}
}

async function go({ plan }: RunOptions, run: { world: World; kills: Kills; begin(stage: string): void }): Promise<RunReport> {
	const { world, kills, begin } = run;
	const [startedMs, used] = [performance.now(), processorMs()];
	begin("its world to open");
	await world.open();
	const watch = new PromiseWatch(world);
	await watch.begin();
	await world.submit(homeJobs(plan.homeSlots));
	await world.startScheduler();
	begin("home to be full");
	await untilHomeIsFull(world, plan.homeSlots);
	await world.submit(plan.jobs);
	begin("its plan to happen");
	await new PlanEvents(world, plan, kills).untilMet();
	begin("everybody to be back");
	await endFaults(world, kills);
	begin("everything to come to rest");
	const unrest = await waitUntilIdle(world);
	begin("the scheduler to stop");
	await world.stopScheduler();
	const outcome = await readOutcome(world.admin, world.machines(), world.book);
	const seen = { ...check(outcome), promises: await watch.end() };
	// Work that is not over is not fully charged yet either.
	const violations = unrest.length === 0 ? seen : { ...seen, seconds: [], disks: [], orphans: [] };
	const now = processorMs();
	return reportOf(plan, {
		...{ met: kills.met, outcome, violations, unrest, tookMs: Math.round(performance.now() - startedMs) },
		// Scheduler processes are children of this process too.
		processorMs: { own: now.own - used.own + world.schedulersMs, machines: now.machines - used.machines - world.schedulersMs },
	});
}

function homeJobs(slots: number): ChaosJob[] {
	const busy = { lines: 5_000, everyMs: 300, checkpoints: false, spot: false, until: "home-is-free", long: true };
	return Array.from({ length: slots }, (_, i) => ({ name: `${HOME}-${i + 1}`, ...busy }));
}

async function untilHomeIsFull(world: World, slots: number): Promise<void> {
	const taken = () => world.admin.sql`select from attempt where started_at is not null`;
	const until = performance.now() + HOME_MS;
	while ((await taken()).length < slots && performance.now() < until) await sleep(LOOK_MS);
}

/** @throws Error with the result of `why` when the work is not done in time; the work may continue */
async function within<T>(limitMs: number, work: Promise<T>, why: () => Promise<string>): Promise<T> {
	const done = new AbortController();
	const late = sleep(limitMs, undefined, { signal: done.signal }).then(async () => {
		throw new Error(await why());
	});
	late.catch(() => {});
	work.catch(() => {});
	return Promise.race([work, late]).finally(() => done.abort());
}

/** The kernel counts the CPU time of ended children in hundredths of a second. */
const TICK_MS = 10;

function processorMs(): { own: number; machines: number } {
	const { user, system } = process.cpuUsage();
	const stat = readFileSync("/proc/self/stat", "utf8");
	const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
	return { own: Math.round((user + system) / 1_000), machines: (Number(fields[13]) + Number(fields[14])) * TICK_MS };
}
