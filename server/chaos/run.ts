import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { eq } from "drizzle-orm";
import { userData } from "#server/agent/user-data.ts";
import { createAgentHandler } from "#server/api/agent/handler.ts";
import { connect } from "#server/db/client.ts";
import { instance } from "#server/db/schema/instance.ts";
import type { ClusterDriver } from "#server/providers/driver.ts";
import { LocalDriver } from "#server/providers/local/local-driver.ts";
import { bootstrapHashOf, bootstrapSecretOf } from "#server/services/agent/bootstrap.ts";
import { systemContext } from "#server/services/context.ts";
import { submitJobs } from "#server/services/job/submit.ts";
import { REGIONS } from "./catalog.ts";
import { check, type Outcome, type Violations } from "./checkers.ts";
import { ring, specOf } from "./command.ts";
import { type AgentCall, ControlPlane, type Verdict } from "./control-plane.ts";
import { type CloudPorts, EmulatedCloud, ourInstanceOf } from "./emulated-cloud.ts";
import { FastClock } from "./fast-clock.ts";
import { goOn, strike } from "./guest-processes.ts";
import { KillableScheduler } from "./killable-scheduler.ts";
import { readOutcome } from "./outcome.ts";
import { type ChaosJob, type Kill, mover, type Plan } from "./plan.ts";
import { HOME, seedWorld } from "./seed-world.ts";
import { TIMING } from "./timing.ts";

const SECRET_KEY = "a-key-for-chaos-only";
/** Real: when everything is put right, it must come to rest in it. */
const REST_MS = 300_000;
const LOOK_MS = 80;

export interface RunOptions {
	plan: Plan;
	/** An empty database of its own, migrated. */
	databaseUrl: string;
	ports: CloudPorts;
	/** How much faster than real time its clock goes. */
	rate?: number;
	agent: { file: string; sha256: string };
	log(text: string): void;
}

export interface Struck extends Pick<Kill, "victim" | "step" | "how"> {
	/** By the run's clock: until the loss was known, and until its work went on. Null where there was nothing to lose. */
	detectedMs: number | null;
	recoveredMs: number | null;
}

export interface RunReport {
	seed: number;
	clouds: string[];
	tookMs: number;
	struck: Struck[];
	faults: string[];
	outage: boolean;
	/** Attempts that were stopped to go on at home, or on cheaper capacity. */
	moved: { home: number; cheaper: number };
	violations: Violations;
	/** What did not come to rest; empty when all did. */
	unrest: string[];
	machines: number;
	attempts: number;
	books: Books[];
	/** Time that is charged beyond what the provider bills, by machine that did not vanish; below 0 what is not charged. */
	overMs: number[];
}

/** One provider's bill and our ledger, in milliseconds of machines. */
export interface Books {
	cloud: string;
	machines: number;
	succeeded: number;
	billedMs: number;
	chargedMs: number;
	/** Of what is charged: time that its provider may not bill, since it does not tell when and nobody looked. */
	slackMs: number;
}

/** One run: everything of the plan happens to it, then nothing more, and what is left is held against the promises. */
export async function runOnce(options: RunOptions): Promise<RunReport> {
	const folder = mkdtempSync(path.join(os.tmpdir(), "spillway-chaos-"));
	const run = new Run(options, folder);
	try {
		return await run.go();
	} finally {
		await run.dispose();
		rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
	}
}

class Run {
	readonly #options: RunOptions;
	readonly #plan: Plan;
	readonly #clock: FastClock;
	readonly #clouds: EmulatedCloud[];
	readonly #control: ControlPlane;
	readonly #admin;
	readonly #agents;
	readonly #folder: string;
	readonly #book: string;
	readonly #passes = new Map<string, number>();
	readonly #pending: Kill[];
	readonly #struck: { kill: Kill; atMs: number; instanceId: string | null; backAtMs: number | null }[] = [];
	readonly #repairs = new Set<Promise<void>>();
	#scheduler: KillableScheduler | null = null;
	#generation = 0;
	#startedMs = 0;
	#calm = false;
	#restarted: Promise<void> = Promise.resolve();

	constructor(options: RunOptions, folder: string) {
		this.#options = options;
		this.#plan = options.plan;
		this.#clock = new FastClock(options.rate);
		this.#pending = [...options.plan.kills];
		this.#folder = folder;
		this.#book = path.join(folder, "book");
		mkdirSync(this.#book);
		this.#clouds = this.#plan.clouds.map((cloud) => new EmulatedCloud(cloud, { clock: this.#clock, folder, ports: options.ports }));
		this.#admin = connect(options.databaseUrl, { max: 2, applicationName: "chaos" });
		this.#agents = connect(options.databaseUrl, { max: 4, applicationName: "chaos-agents" });
		const handler = createAgentHandler({
			...{ db: this.#agents.db, clock: this.#clock, secretKey: SECRET_KEY, timing: TIMING },
			...{ checkpointRoot: this.#checkpointRoot, agentFile: options.agent.file },
			log: (message, error) => options.log(`${message}: ${String(error)}`),
		});
		this.#control = new ControlPlane({ handler, onCall: (when, call) => this.#onCall(when, call) });
	}

	get #checkpointRoot(): string {
		return path.join(this.#folder, "checkpoints");
	}

	async go(): Promise<RunReport> {
		const startedMs = performance.now();
		for (const cloud of this.#clouds) await cloud.start();
		await this.#control.start();
		const { clouds, homeSlots, machinesMax, jobs } = this.#plan;
		const spread = jobs.some((job) => job.cloud !== undefined);
		await seedWorld(this.#admin.db, this.#clock, clouds, { homeSlots, machinesMax, spread });
		for (const fault of this.#plan.faults) for (const cloud of this.#clouds) cloud.addFault(fault);
		await this.#submit(this.#homeJobs());
		await this.#startScheduler();
		await this.#untilHomeIsFull();
		await this.#submit(jobs);
		this.#startedMs = performance.now();
		await this.#untilMet();
		await this.#heal();
		const unrest = await this.#untilRest();
		await this.#scheduler?.stop();
		const outcome = await readOutcome(this.#admin, this.#machines(), this.#book);
		// What is not over has not been paid for yet either.
		const seen = check(outcome);
		const violations = unrest.length === 0 ? seen : { ...seen, seconds: [], orphans: [] };
		return {
			...{ seed: this.#plan.seed, clouds: this.#plan.clouds, tookMs: Math.round(performance.now() - startedMs), violations, unrest },
			struck: this.#struck.map((s) => timesOf(s, outcome)),
			faults: this.#plan.faults.map(({ kind }) => kind),
			outage: this.#plan.outage !== null,
			moved: { home: outcome.moved.filter((to) => to === "home").length, cheaper: outcome.moved.filter((to) => to === "cloud").length },
			...{ machines: outcome.machines.length, attempts: outcome.attempts.length },
			books: this.#plan.clouds.map((cloud) => booksOf(cloud, outcome)),
			overMs: outcome.machines.flatMap((m) => {
				const charged = outcome.instances.find((i) => i.id === m.ourInstance)?.charged;
				return charged && m.runningAt !== null && !m.vanished ? [charged.ms - m.billedMs] : [];
			}),
		};
	}

	async dispose(): Promise<void> {
		this.#calm = true;
		await Promise.all(this.#repairs);
		await this.#scheduler?.kill();
		await this.#control.stop();
		await this.#openHome()?.close({ stopJobs: true, graceMs: 0 });
		await Promise.all(this.#clouds.map((cloud) => cloud.dispose()));
		await this.#agents.end();
		await this.#admin.end();
	}

	async #submit(jobs: readonly ChaosJob[]): Promise<void> {
		if (jobs.length === 0) return;
		const specs = jobs.map((job) => specOf(job, this.#book, this.#clock.nowMs()));
		await submitJobs(systemContext(this.#admin.db, this.#clock, "seed"), specs);
	}

	#homeJobs(): ChaosJob[] {
		const busy = { lines: 5_000, everyMs: 300, checkpoints: false, spot: false, until: "home-is-free", long: true };
		return Array.from({ length: this.#plan.homeSlots }, (_, i) => ({ name: `${HOME}-${i + 1}`, ...busy }));
	}

	async #untilHomeIsFull(): Promise<void> {
		const taken = () => this.#admin.sql`select from attempt where started_at is not null`;
		const until = performance.now() + REST_MS;
		while ((await taken()).length < this.#plan.homeSlots && performance.now() < until) await sleep(LOOK_MS);
	}

	/** As a scheduler finds it that is started: all that is known there lies in its folder. */
	#openHome(): ClusterDriver | null {
		const { homeSlots } = this.#plan;
		if (homeSlots === 0) return null;
		const settings = { home: path.join(this.#folder, "home"), slots: homeSlots, accelerator: "L40S-48GB", poolId: HOME };
		return new LocalDriver(HOME, settings, this.#clock);
	}

	#machines() {
		return this.#clouds.flatMap((cloud) => cloud.book().map((m) => ({ ...m, ourInstance: ourInstanceOf(m), provider: cloud.cloud })));
	}

	async #startScheduler(): Promise<void> {
		const drivers = new Map(await Promise.all(this.#clouds.map(async (c) => [c.cloud, await c.driver()] as const)));
		const { agent } = this.#options;
		this.#scheduler = new KillableScheduler({
			...{ databaseUrl: this.#options.databaseUrl, admin: this.#admin.sql, name: `chaos-scheduler-${++this.#generation}`, drivers },
			home: this.#openHome(),
			homeTime: (realMs) => this.#clock.at(realMs),
			context: {
				...{ clock: this.#clock, timing: TIMING, clusters: new Map(), checkpointRoot: this.#checkpointRoot },
				bootstrapHashFor: (instanceId) => bootstrapHashOf(SECRET_KEY, instanceId),
				userDataFor: ({ instanceId, expiresAtMs }) => {
					const bootstrapSecret = bootstrapSecretOf(SECRET_KEY, instanceId);
					const script = userData({ controlUrl: this.#control.url, instanceId, bootstrapSecret, agentSha256: agent.sha256, expiresAtMs });
					return this.#clock.inUserData(script);
				},
			},
			onStep: (step) => this.#onStep(step),
			log: this.#options.log,
		});
	}

	// --- what is met on the way -------------------------------------------------------------------------------------

	#take(step: string, victims: readonly Kill["victim"][]): Kill | null {
		if (this.#calm) return null;
		const at = this.#pending.findIndex((k) => k.step === step && victims.includes(k.victim) && (this.#passes.get(step) ?? 0) >= k.pass);
		return at < 0 ? null : (this.#pending.splice(at, 1)[0] ?? null);
	}

	#pass(step: string): void {
		this.#passes.set(step, (this.#passes.get(step) ?? 0) + 1);
	}

	/** A step of the loop, synchronously: whoever dies here comes to nothing more. */
	#onStep(step: string): void {
		this.#pass(step);
		const kill = this.#take(step, ["scheduler", "emulator", "connection"]);
		if (kill === null) return;
		const met = this.#note(kill, null);
		if (kill.victim === "scheduler") this.#repair(this.#replaceScheduler(kill, met));
		else if (kill.victim === "emulator") this.#repair(this.#restartEmulators(kill, met));
		else this.#repair(this.#cutDatabase());
	}

	async #onCall(when: "before" | "after", call: AgentCall): Promise<Verdict> {
		const step = `${when}:${call.name}`;
		this.#pass(step);
		const kill = this.#take(step, ["agent", "connection"]);
		if (kill === null) return "answer";
		const instanceId = await this.#callerOf(call);
		const met = this.#note(kill, instanceId);
		if (kill.victim === "agent") {
			const machine = this.#machines().find((m) => m.ourInstance === instanceId);
			if (machine?.guestPid) strike(machine.guestPid, kill.how as "killed" | "alone" | "hung");
			return "answer";
		}
		if (kill.how === "away") this.#repair(this.#goAway(kill, met));
		return "lose";
	}

	async #callerOf({ token }: AgentCall): Promise<string | null> {
		if (token === null) return this.#machines().findLast((m) => m.state === "running")?.ourInstance ?? null;
		const hash = createHash("sha256").update(token).digest("hex");
		const [row] = await this.#admin.db.select({ id: instance.id }).from(instance).where(eq(instance.agentTokenHash, hash));
		return row?.id ?? null;
	}

	#note(kill: Kill, instanceId: string | null) {
		const met = { kill, atMs: this.#clock.nowMs(), instanceId, backAtMs: null as number | null };
		this.#struck.push(met);
		this.#options.log(`-- ${kill.victim} ${kill.how} at ${kill.step} ${instanceId ?? ""}`);
		return met;
	}

	#repair(work: Promise<void>): void {
		const noted = work.catch((error: unknown) => this.#options.log(`!! ${String(error)}`)).finally(() => this.#repairs.delete(noted));
		this.#repairs.add(noted);
	}

	async #replaceScheduler({ backAfterMs }: Kill, met: { backAtMs: number | null }): Promise<void> {
		// At once, so that it comes to nothing behind the step.
		await this.#scheduler?.kill();
		await sleep(backAfterMs);
		await this.#startScheduler();
		met.backAtMs = this.#clock.nowMs();
	}

	async #restartEmulators({ backAfterMs }: Kill, met: { backAtMs: number | null }): Promise<void> {
		const restart = this.#restarted.then(async () => {
			await Promise.all(this.#clouds.map((cloud) => cloud.kill()));
			await sleep(backAfterMs);
			for (const cloud of this.#clouds) await cloud.start();
		});
		// Killed again on its way back, it first comes back.
		this.#restarted = restart.catch(() => {});
		await restart;
		met.backAtMs = this.#clock.nowMs();
	}

	async #goAway({ backAfterMs }: Kill, met: { backAtMs: number | null }): Promise<void> {
		await this.#control.stop();
		await sleep(backAfterMs);
		await this.#control.start();
		met.backAtMs = this.#clock.nowMs();
	}

	async #cutDatabase(): Promise<void> {
		await this.#admin.sql`
			select pg_terminate_backend(pid) from pg_stat_activity
			where datname = current_database() and application_name like 'chaos-%' and pid <> pg_backend_pid()`;
	}

	/** Until everything of the plan has happened, or can happen no more. */
	async #untilMet(): Promise<void> {
		const until = performance.now() + this.#plan.patienceMs;
		const taken = [...this.#plan.interruptions];
		let { outage, move } = this.#plan;
		while (performance.now() < until) {
			for (const next of [...taken]) if (this.#interrupt(next)) taken.splice(taken.indexOf(next), 1);
			const sinceMs = performance.now() - this.#startedMs;
			if (outage && sinceMs >= outage.atMs) {
				this.#repair(this.#loseRegion(outage));
				outage = null;
			}
			if (move && (await this.#burstSince(move.afterMs))) {
				await this.#draw(move);
				move = null;
			}
			const moved = this.#plan.move === null ? await this.#isHomeAlone() : await this.#hasMoved();
			if (this.#plan.move && moved) ring(this.#book, "hurry");
			if (this.#pending.length === 0 && taken.length === 0 && !outage && !move && moved && this.#repairs.size === 0) return;
			if (this.#plan.move === null && this.#plan.homeSlots > 0 && moved) return;
			if ((await this.#restless()).length === 0) return;
			await sleep(LOOK_MS);
		}
	}

	/** Whether a job has run in a cloud for so long (real milliseconds). */
	async #burstSince(ms: number): Promise<boolean> {
		const before = new Date(this.#clock.nowMs() - ms * this.#clock.rate);
		const found = await this.#admin.sql`select from attempt where started_at <= ${before} and capacity_type <> 'owned' limit 1`;
		return found.length > 0;
	}

	/** Whether nothing is left to do but what keeps home busy. Where there is no home, nothing is waited for. */
	async #isHomeAlone(): Promise<boolean> {
		if (this.#plan.homeSlots === 0) return true;
		const left = await this.#admin.sql`select from job where finished_at is null and name not like ${`${HOME}-%`} limit 1`;
		return left.length === 0;
	}

	async #hasMoved(): Promise<boolean> {
		const found = await this.#admin.sql`select from attempt where moving_to is not null and finished_at is not null limit 1`;
		return found.length > 0;
	}

	/** Cheaper capacity draws only where work of ours is seen to run on it, so that there is a job that takes it. */
	async #draw({ to }: NonNullable<Plan["move"]>): Promise<void> {
		this.#options.log(`-- jobs are drawn to ${to}`);
		if (to === "home") return ring(this.#book, "home-is-free");
		for (const cloud of this.#clouds) cloud.drop();
		await sleep(2 * TIMING.offersEveryMs);
		await this.#submit([mover("job-cheap")]);
	}

	/** The region answers nothing and its agents are not heard; then they go on as if nothing had been. */
	async #loseRegion({ cloud: name, region: at, forMs }: NonNullable<Plan["outage"]>): Promise<void> {
		const cloud = this.#clouds.find((c) => c.cloud === name);
		const region = REGIONS[name][at];
		if (!cloud || region === undefined) return;
		this.#options.log(`-- ${region} is lost`);
		cloud.loseRegion(region);
		const machines = cloud.book().filter((m) => m.region === region && m.state === "running");
		for (const { guestPid } of machines) if (guestPid) strike(guestPid, "hung");
		await sleep(forMs);
		for (const { guestPid } of machines) if (guestPid) goOn(guestPid);
		cloud.clearFaults();
		this.#options.log(`-- ${region} is back`);
	}

	#interrupt({ machine, afterMs }: Plan["interruptions"][number]): boolean {
		for (const cloud of this.#clouds) {
			const found = cloud.book().filter((m) => m.spot)[machine];
			if (found?.runningAt == null || found.state !== "running") continue;
			if (this.#clock.nowMs() - found.runningAt < afterMs * this.#clock.rate) continue;
			cloud.interrupt(found);
			this.#options.log(`-- ${found.instanceId} is taken by its provider`);
			return true;
		}
		return false;
	}

	async #heal(): Promise<void> {
		this.#calm = true;
		for (const name of ["home-is-free", "hurry"]) ring(this.#book, name);
		for (const cloud of this.#clouds) cloud.clearFaults();
		while (this.#repairs.size > 0) await Promise.all(this.#repairs);
		for (const cloud of this.#clouds) cloud.clearFaults();
		await this.#control.start();
		this.#options.log("-- healed");
	}

	async #untilRest(): Promise<string[]> {
		const until = performance.now() + REST_MS;
		for (;;) {
			const left = await this.#restless();
			if (left.length === 0 || performance.now() > until) return left;
			await sleep(LOOK_MS);
		}
	}

	/** What is not over yet. */
	async #restless(): Promise<string[]> {
		const { sql } = this.#admin;
		const jobs = await sql<{ name: string; state: string; reason: string }[]>`
			select name, state, reason->>'code' as reason from job where finished_at is null`;
		const rows = await sql<{ id: string; state: string }[]>`
			select id, state from instance where state <> 'terminated'
			or (billed_from is not null and metered_until is distinct from billed_until)`;
		const machines = this.#machines().filter((m) => m.state !== "terminated" && !m.vanished);
		return [
			...jobs.map((j) => `${j.name} is ${j.state} (${j.reason})`),
			...rows.map((r) => `${r.id} is ${r.state}`),
			...machines.map((m) => `${m.provider} ${m.instanceId} is ${m.state}`),
		];
	}
}

function timesOf(
	{ kill, atMs, instanceId, backAtMs }: { kill: Kill; atMs: number; instanceId: string | null; backAtMs: number | null },
	outcome: Outcome,
): Struck {
	const { victim, step, how } = kill;
	if (victim !== "agent" || instanceId === null)
		return { victim, step, how, detectedMs: null, recoveredMs: backAtMs === null ? null : backAtMs - atMs };
	const row = outcome.instances.find((i) => i.id === instanceId);
	const attempt = outcome.attempts.find((a) => a.id === row?.attemptId);
	const detectedAtMs = attempt?.stopRequestedAtMs ?? attempt?.finishedAtMs ?? null;
	const next = outcome.attempts.find((a) => a.jobId === attempt?.jobId && a.number === (attempt?.number ?? 0) + 1);
	return {
		...{ victim, step, how },
		detectedMs: detectedAtMs === null || detectedAtMs < atMs ? null : detectedAtMs - atMs,
		recoveredMs: next?.startedAtMs == null ? null : next.startedAtMs - atMs,
	};
}

function booksOf(cloud: string, { machines, instances, attempts }: Outcome): Books {
	const made = machines.filter((m) => m.provider === cloud);
	const ids = new Set(made.map((m) => m.ourInstance));
	const rows = instances.filter((i) => ids.has(i.id));
	const done = new Set(attempts.filter((a) => a.state === "succeeded").map((a) => a.id));
	const sum = (values: number[]) => values.reduce((total, ms) => total + ms, 0);
	return {
		...{ cloud, machines: made.length, succeeded: rows.filter((r) => done.has(r.attemptId)).length },
		billedMs: sum(made.map((m) => m.billedMs)),
		chargedMs: sum(rows.map((r) => r.charged?.ms ?? 0)),
		slackMs: sum(rows.filter((r) => r.charged).map((r) => r.fromSlackMs + r.untilSlackMs)),
	};
}
