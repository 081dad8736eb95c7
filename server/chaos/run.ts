import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { check } from "./checkers.ts";
import { CLOCK_RATE } from "./fast-clock.ts";
import { Kills } from "./kills.ts";
import { readOutcome } from "./outcome.ts";
import type { ChaosJob } from "./plan.ts";
import { recover, restless, untilRest } from "./rest.ts";
import { type RunReport, reportOf } from "./run-report.ts";
import { HOME } from "./seed-world.ts";
import { Turns } from "./turns.ts";
import { PromiseWatch } from "./watch-promises.ts";
import { World, type WorldOptions } from "./world.ts";

/** Where a job is to move, ten minutes must pass first: so much faster goes the clock of such a run. */
const MOVE_HASTE = 2;
const HOME_MS = 60_000;
const LOOK_MS = 80;
const DISPOSE_MS = 20_000;
/** Real. Longer than a run may wait for its plan and its rest together. */
export const RUN_LIMIT_MS = 600_000;

export interface RunOptions extends WorldOptions {
	/** Real. */
	limitMs?: number;
	/** Called with what the run waits for from now on, and the folder that identifies its processes. */
	onStage?(stage: string, folder: string): void;
}

/**
 * One run: everything of the plan happens to it, then nothing more, and what is left is held against the promises.
 * @throws Error when it is not over within its limit; the message says what it waited for
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
			const left = await Promise.race([restless(world), sleep(2_000, ["the database answers nothing"])]).catch(String);
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
	await new Turns(world, plan, kills).untilMet();
	begin("everybody to be back");
	await recover(world, kills);
	begin("everything to come to rest");
	const unrest = await untilRest(world);
	begin("the scheduler to stop");
	await world.stopScheduler();
	const outcome = await readOutcome(world.admin, world.machines(), world.book);
	const seen = { ...check(outcome), promises: await watch.end() };
	// What is not over has not been paid for yet either.
	const violations = unrest.length === 0 ? seen : { ...seen, seconds: [], disks: [], orphans: [] };
	const now = processorMs();
	return reportOf(plan, {
		...{ met: kills.met, outcome, violations, unrest, tookMs: Math.round(performance.now() - startedMs) },
		// Those of schedulers are children of this process too.
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

/** @throws Error with what `why` answers, when the work is not done in time; it may go on */
async function within<T>(limitMs: number, work: Promise<T>, why: () => Promise<string>): Promise<T> {
	const done = new AbortController();
	const late = sleep(limitMs, undefined, { signal: done.signal }).then(async () => {
		throw new Error(await why());
	});
	late.catch(() => {});
	work.catch(() => {});
	return Promise.race([work, late]).finally(() => done.abort());
}

/** In hundredths of a second, as the kernel counts those of children that have ended. */
const TICK_MS = 10;

function processorMs(): { own: number; machines: number } {
	const { user, system } = process.cpuUsage();
	const stat = readFileSync("/proc/self/stat", "utf8");
	const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
	return { own: Math.round((user + system) / 1_000), machines: (Number(fields[13]) + Number(fields[14])) * TICK_MS };
}
