import { setTimeout as sleep } from "node:timers/promises";
import { REGIONS } from "./catalog.ts";
import { createMarker } from "./command.ts";
import { mover } from "./draw-plan.ts";
import { disruptAgent, resumeAgent } from "./guest-processes.ts";
import type { Kills } from "./kills.ts";
import type { Plan } from "./plan.ts";
import { listUnfinished } from "./rest.ts";
import { HOME } from "./seed-world.ts";
import { TIMING } from "./timing.ts";
import type { World } from "./world.ts";

/** Real. */
const LOOK_MS = 150;
/** By the run's clock. Longer than the ten minutes that a job must run before it can move. */
const MOVE_WITHIN_MS = 30 * 60_000;

/** Events of a run that no step triggers: notices, an outage, and whatever attracts its jobs elsewhere. */
export class PlanEvents {
	readonly #world: World;
	readonly #plan: Plan;
	readonly #kills: Kills;
	readonly #startedMs = performance.now();
	readonly #taken: Plan["interruptions"];
	#outage: Plan["outage"];
	#cut: Plan["cut"];
	readonly #instants: { atMs: number; backAfterMs: number }[];
	#move: Plan["move"];
	/** By the run's clock: a move that has not started by then will not happen. */
	#moveByMs: number | null = null;
	#hurries = false;

	constructor(world: World, plan: Plan, kills: Kills) {
		this.#world = world;
		this.#plan = plan;
		this.#kills = kills;
		this.#taken = [...plan.interruptions];
		this.#outage = plan.outage;
		this.#cut = plan.cut;
		this.#instants = [...(plan.schedulerProcess?.instants ?? [])];
		this.#move = plan.move;
	}

	/** Waits until everything in the plan has happened or can no longer happen. */
	async untilMet(): Promise<void> {
		const until = this.#startedMs + this.#plan.patienceMs;
		while (performance.now() < until) {
			for (const next of [...this.#taken]) if (this.#interrupt(next)) this.#taken.splice(this.#taken.indexOf(next), 1);
			this.#killByTheClock();
			if (this.#outage && performance.now() - this.#startedMs >= this.#outage.atMs) {
				this.#kills.repair(this.#loseRegion(this.#outage));
				this.#outage = null;
			}
			if (this.#move && (await this.#hasBurstFor(this.#move.afterMs))) {
				await this.#draw(this.#move);
				this.#move = null;
			}
			if (this.#cut && (await this.#hasBurstFor(this.#cut.afterMs))) {
				this.#kills.repair(this.#cutOff(this.#cut));
				this.#cut = null;
			}
			const settled = this.#plan.move === null ? await this.#isHomeAlone() : await this.#hasSettled();
			const isNothingDue = this.#taken.length === 0 && !this.#outage && !this.#cut && !this.#move;
			if (settled && isNothingDue && !this.#kills.isUnderWay) return;
			if (settled && this.#plan.homeSlots > 0) return;
			if ((await listUnfinished(this.#world)).length === 0) return;
			await sleep(LOOK_MS);
		}
	}

	#killByTheClock(): void {
		const [next] = this.#instants;
		if (next === undefined || performance.now() - this.#startedMs < next.atMs) return;
		this.#instants.shift();
		this.#kills.killScheduler(next.backAfterMs);
	}

	/** Whether the job to be moved started in a cloud at least this long ago (real milliseconds). */
	async #hasBurstFor(ms: number): Promise<boolean> {
		const before = new Date(this.#world.clock.nowMs() - ms * this.#world.clock.rate);
		const found = await this.#world.admin.sql`
			select from attempt a join job j on j.id = a.job_id
			where j.name = 'job-1' and a.started_at <= ${before} and a.capacity_type <> 'owned' limit 1`;
		return found.length > 0;
	}

	/** Whether only the jobs that keep home busy are left. Without a home there is nothing to wait for. */
	async #isHomeAlone(): Promise<boolean> {
		if (this.#plan.homeSlots === 0) return true;
		const left = await this.#world.admin.sql`select from job where finished_at is null and name not like ${`${HOME}-%`} limit 1`;
		return left.length === 0;
	}

	/** Whether the job moved and runs at its target, arrived there otherwise, is over, or missed its time. Then it may hurry. */
	async #hasSettled(): Promise<boolean> {
		if (this.#move !== null) return false;
		if (this.#hurries) return true;
		const late = this.#moveByMs !== null && this.#world.clock.nowMs() > this.#moveByMs;
		const [now] = await this.#world.admin.sql`
			select exists (select from attempt b where b.job_id = j.id and b.moving_to is not null and b.finished_at is not null) as moved,
				j.finished_at is not null as over,
				exists (select from attempt b where b.job_id = j.id and b.moving_to is null and b.finished_at is null
					and b.started_at is not null) as runs,
				exists (select from attempt b where b.job_id = j.id and b.finished_at is null and b.capacity_type = 'owned') as "atHome"
			from job j where j.name = 'job-1'`;
		const why = {
			"is over": now?.["over"],
			"was moved": now?.["moved"] && now["runs"],
			"came home otherwise": now?.["atHome"] && now["runs"],
			"was not moved in time": late,
		};
		const [first] = Object.entries(why).find(([, holds]) => holds) ?? [];
		if (first === undefined) return false;
		this.#world.log(`-- job-1 ${first}`);
		createMarker(this.#world.book, "hurry");
		this.#hurries = true;
		return true;
	}

	/** Cheaper capacity attracts jobs only once a job is observed to run there, so submit a job that takes it. */
	async #draw({ to }: NonNullable<Plan["move"]>): Promise<void> {
		const { clouds, book, log } = this.#world;
		this.#moveByMs = this.#world.clock.nowMs() + MOVE_WITHIN_MS;
		if (to === "home") {
			log("-- jobs are drawn home");
			return createMarker(book, "home-is-free");
		}
		const here = await this.#placeOfFirst();
		const cloud = clouds.find((c) => c.cloud === here?.["cloud"]) ?? clouds[0];
		const region = cloud && REGIONS[cloud.cloud].find((r) => r !== here?.["region"]);
		if (!cloud || region === undefined) return;
		log(`-- jobs are drawn to ${region}`);
		this.#world.drop(cloud, region);
		await sleep(2 * TIMING.offersEveryMs);
		await this.#world.submit([mover("job-cheap")]);
	}

	async #placeOfFirst() {
		const [here] = await this.#world.admin.sql`
			select i.region, i.site_id as cloud from instance i join attempt a on a.id = i.attempt_id join job j on j.id = a.job_id
			where j.name = 'job-1' and a.finished_at is null`;
		return here;
	}

	/** Cuts off the first job's region, then restores it. */
	async #cutOff({ forMs, hung }: NonNullable<Plan["cut"]>): Promise<void> {
		const here = await this.#placeOfFirst();
		const cloud = this.#world.clouds.find((c) => c.cloud === here?.["cloud"]);
		if (!cloud || !here) return;
		const region: string = here["region"];
		this.#world.log(`-- ${region} is cut off`);
		cloud.loseRegion(region);
		this.#world.cutOff([region]);
		const machines = hung ? cloud.book().filter((m) => m.region === region && m.state === "running") : [];
		for (const { guestPid } of machines) if (guestPid) disruptAgent(guestPid, "hung");
		await sleep(forMs / this.#world.clock.rate);
		for (const { guestPid } of machines) if (guestPid) resumeAgent(guestPid);
		cloud.clearFaults();
		this.#world.cutOff([]);
		this.#world.log(`-- ${region} is heard again`);
	}

	/** The region stops responding and its agents go silent; then they resume. */
	async #loseRegion({ cloud: name, region: at, forMs }: NonNullable<Plan["outage"]>): Promise<void> {
		const cloud = this.#world.clouds.find((c) => c.cloud === name);
		const region = REGIONS[name][at];
		if (!cloud || region === undefined) return;
		this.#world.log(`-- ${region} is lost`);
		cloud.loseRegion(region);
		const machines = cloud.book().filter((m) => m.region === region && m.state === "running");
		for (const { guestPid } of machines) if (guestPid) disruptAgent(guestPid, "hung");
		await sleep(forMs);
		for (const { guestPid } of machines) if (guestPid) resumeAgent(guestPid);
		cloud.clearFaults();
		this.#world.log(`-- ${region} is back`);
	}

	#interrupt({ machine, afterMs }: Plan["interruptions"][number]): boolean {
		const { clock } = this.#world;
		for (const cloud of this.#world.clouds) {
			const found = cloud.book().filter((m) => m.spot)[machine];
			if (found?.runningAt == null || found.state !== "running") continue;
			if (clock.nowMs() - found.runningAt < afterMs * clock.rate) continue;
			cloud.interrupt(found);
			this.#world.log(`-- ${found.instanceId} is taken by its provider`);
			return true;
		}
		return false;
	}
}
