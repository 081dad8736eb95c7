import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { eq } from "drizzle-orm";
import { instance } from "#server/db/schema/instance.ts";
import type { AgentCall, Verdict } from "./control-plane.ts";
import { disruptAgent } from "./guest-processes.ts";
import { ANY_INSTANT, type Kill } from "./plan.ts";
import type { World, WorldEvents } from "./world.ts";

/** A kill that happened. */
export interface Met {
	kill: Kill;
	/** By the run's clock. */
	atMs: number;
	/** The agent's instance. */
	instanceId: string | null;
	/** When the victim was running again. */
	backAtMs: number | null;
}

const MOVE_DECIDED = "move:intent_written";

/** Performs the kills of a plan, each at its step. Restarts victims after a delay. */
export class Kills implements WorldEvents {
	readonly met: Met[] = [];
	readonly #world: () => World;
	readonly #pending: Kill[];
	readonly #passes = new Map<string, number>();
	readonly #passesInMove = new Map<string, number>();
	readonly #repairs = new Set<Promise<void>>();
	#moving = false;
	#calm = false;
	#restarted: Promise<void> = Promise.resolve();
	#replaced: Promise<void> = Promise.resolve();

	constructor(kills: readonly Kill[], world: () => World) {
		this.#pending = [...kills];
		this.#world = world;
	}

	/** Whether any kill or restart is pending. */
	get isUnderWay(): boolean {
		return this.#pending.length > 0 || this.#repairs.size > 0;
	}

	/** The only steps that must be reported. */
	get watched(): string[] {
		return [MOVE_DECIDED, ...this.#pending.map(({ step }) => step)];
	}

	/** Kills the scheduler at any step. */
	killScheduler(backAfterMs: number): void {
		if (this.#calm) return;
		const kill: Kill = { victim: "scheduler", step: ANY_INSTANT, pass: 1, inMove: false, how: "killed", backAfterMs };
		this.repair(this.#replaceScheduler(this.#note(kill, null)));
	}

	/** Stops further kills. */
	calm(): void {
		this.#calm = true;
	}

	/** Waits until every victim is running again. */
	async allBack(): Promise<void> {
		while (this.#repairs.size > 0) await Promise.all(this.#repairs);
	}

	/** Tracks repair work. A run does not end before its repairs do. */
	repair(work: Promise<void>): void {
		const noted = work.catch((error: unknown) => this.#world().log(`!! ${String(error)}`)).finally(() => this.#repairs.delete(noted));
		this.#repairs.add(noted);
	}

	onStep(step: string): void {
		this.#pass(step);
		const kill = this.#take(step, ["scheduler", "emulator", "connection"]);
		if (kill === null) return;
		const met = this.#note(kill, null);
		if (kill.victim === "scheduler") this.repair(this.#replaceScheduler(met));
		else if (kill.victim === "emulator") this.repair(this.#restartEmulators(met));
		else this.repair(this.#world().cutDatabase());
	}

	async onCall(when: "before" | "after", call: AgentCall): Promise<Verdict> {
		const step = `${when}:${call.name}`;
		this.#pass(step);
		const kill = this.#take(step, ["agent", "connection"]);
		if (kill === null) return "answer";
		const instanceId = await this.#callerOf(call);
		const met = this.#note(kill, instanceId);
		if (kill.victim === "agent") {
			const machine = this.#world()
				.machines()
				.find((m) => m.ourInstance === instanceId);
			if (machine?.guestPid) disruptAgent(machine.guestPid, kill.how as "killed" | "alone" | "hung");
			return "answer";
		}
		if (kill.how === "away") this.repair(this.#goAway(met));
		return "lose";
	}

	#pass(step: string): void {
		if (step === MOVE_DECIDED) this.#moving = true;
		this.#passes.set(step, (this.#passes.get(step) ?? 0) + 1);
		if (this.#moving) this.#passesInMove.set(step, (this.#passesInMove.get(step) ?? 0) + 1);
	}

	#take(step: string, victims: readonly Kill["victim"][]): Kill | null {
		if (this.#calm) return null;
		const passed = (kill: Kill) => (kill.inMove ? this.#passesInMove : this.#passes).get(step) ?? 0;
		const at = this.#pending.findIndex((k) => k.step === step && victims.includes(k.victim) && passed(k) >= k.pass);
		return at < 0 ? null : (this.#pending.splice(at, 1)[0] ?? null);
	}

	async #callerOf({ token }: AgentCall): Promise<string | null> {
		const world = this.#world();
		if (token === null) return world.machines().findLast((m) => m.state === "running")?.ourInstance ?? null;
		const hash = createHash("sha256").update(token).digest("hex");
		const [row] = await world.admin.db.select({ id: instance.id }).from(instance).where(eq(instance.agentTokenHash, hash));
		return row?.id ?? null;
	}

	#note(kill: Kill, instanceId: string | null): Met {
		const met = { kill, atMs: this.#world().clock.nowMs(), instanceId, backAtMs: null };
		this.met.push(met);
		this.#world().log(`-- ${kill.victim} ${kill.how} at ${kill.step} ${instanceId ?? ""}`);
		return met;
	}

	async #replaceScheduler(met: Met): Promise<void> {
		// Kill immediately, so that the scheduler does nothing past this step.
		await this.#world().killScheduler();
		const replaced = this.#replaced.then(async () => {
			await sleep(met.kill.backAfterMs);
			await this.#world().startScheduler();
		});
		// When killed again during its restart, it first completes that restart.
		this.#replaced = replaced.catch(() => {});
		await replaced;
		this.#isBack(met);
	}

	async #restartEmulators(met: Met): Promise<void> {
		const { clouds } = this.#world();
		const restart = this.#restarted.then(async () => {
			await Promise.all(clouds.map((cloud) => cloud.kill()));
			await sleep(met.kill.backAfterMs);
			for (const cloud of clouds) await cloud.start();
		});
		// When killed again during its restart, it first completes that restart.
		this.#restarted = restart.catch(() => {});
		await restart;
		this.#isBack(met);
	}

	async #goAway(met: Met): Promise<void> {
		const { control } = this.#world();
		await control.stop();
		await sleep(met.kill.backAfterMs);
		await control.start();
		this.#isBack(met);
	}

	#isBack(met: Met): void {
		met.backAtMs = this.#world().clock.nowMs();
	}
}
