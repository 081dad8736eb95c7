import type { Exit } from "#server/domain/outcome.ts";
import { reason } from "#server/domain/reasons.ts";
import { type Command, savedAt, startCommand } from "./command.ts";
import type { SimContext } from "./context.ts";
import { finishAttempt, isOver, markRunning, markStaging } from "./ending.ts";
import type { AttemptRecord } from "./records.ts";

interface Process {
	command: Command | null;
	exit: Exit | null;
	exitedAtMs: number;
	stopSent: boolean;
}

/** The owned site and the control plane's view of it: processes keep running while the control plane is unavailable. */
export class HomeSite {
	readonly #ctx: SimContext;
	readonly #processes = new Map<string, Process>();

	constructor(ctx: SimContext) {
		this.#ctx = ctx;
	}

	/** Syncs one attempt at home with its row, as control-loop/cluster-sync does. */
	sync(attempt: AttemptRecord): void {
		if (attempt.instanceId !== null || isOver(attempt)) return;
		const process = this.#processes.get(attempt.id);
		if (!process) {
			if (attempt.handedOverAtMs !== null) {
				finishAttempt(this.#ctx, attempt, null, this.#ctx.nowMs(), reason("site_lost"));
				return;
			}
			this.#handOver(attempt);
			return;
		}
		if (process.exit) {
			this.#end(attempt, process, process.exit);
			return;
		}
		if (attempt.state === "stopping" && !process.stopSent) {
			this.#stop(attempt, process);
			return;
		}
		if (process.command) markRunning(this.#ctx, attempt, process.command.startedAtMs);
		else markStaging(this.#ctx, attempt);
	}

	#handOver(attempt: AttemptRecord): void {
		const { timing } = this.#ctx.scenario;
		if (attempt.state === "stopping") {
			finishAttempt(this.#ctx, attempt, null, this.#ctx.nowMs(), reason("site_lost"));
			return;
		}
		const process: Process = { command: null, exit: null, exitedAtMs: 0, stopSent: false };
		this.#processes.set(attempt.id, process);
		const { work } = this.#ctx.book.jobOf(attempt);
		this.#ctx.at(this.#ctx.nowMs() + timing.homeStartMs + work.stagingMs, () => this.#start(attempt, process));
		attempt.handedOverAtMs = this.#ctx.nowMs();
		if (work.stagingMs > 0) markStaging(this.#ctx, attempt);
	}

	#start(attempt: AttemptRecord, process: Process): void {
		if (process.exit) return;
		const command = startCommand(this.#ctx.book.jobOf(attempt), this.#ctx.nowMs());
		process.command = command;
		this.#look(attempt);
		this.#ctx.at(command.endsAtMs, () => this.#exit(attempt, process, command.exit, command.exit.code !== 0));
	}

	#stop(attempt: AttemptRecord, process: Process): void {
		process.stopSent = true;
		this.#ctx.at(this.#ctx.nowMs() + this.#ctx.scenario.timing.stopMs, () =>
			this.#exit(attempt, process, { code: null, signal: "SIGTERM", error: null }, true),
		);
	}

	#exit(attempt: AttemptRecord, process: Process, exit: Exit, keep: boolean): void {
		if (process.exit) return;
		const nowMs = this.#ctx.nowMs();
		if (keep && process.command) {
			const job = this.#ctx.book.jobOf(attempt);
			job.completedMs = Math.max(job.completedMs, savedAt(process.command, nowMs, true));
		}
		Object.assign(process, { exit, exitedAtMs: nowMs });
		this.#look(attempt);
	}

	#end(attempt: AttemptRecord, process: Process, exit: Exit): void {
		if (process.command) markRunning(this.#ctx, attempt, process.command.startedAtMs);
		finishAttempt(this.#ctx, attempt, exit, process.exitedAtMs);
		this.#processes.delete(attempt.id);
	}

	/** The site pushes changes; missed ones are seen when the control plane is back. */
	#look(attempt: AttemptRecord): void {
		this.#ctx.at(this.#ctx.nowMs(), () => this.sync(attempt));
	}
}
