import type { Exit } from "#server/domain/outcome.ts";
import { type Reason, reason } from "#server/domain/reasons.ts";
import { isFinal, JOB_TRANSITIONS } from "#server/domain/states.ts";
import type { Machine, MachineEvents, SimCloud } from "./cloud.ts";
import { type Command, savedAt, startCommand } from "./command.ts";
import type { SimContext } from "./context.ts";
import { finishAttempt, isOver, markRunning, markStaging, requestStop } from "./ending.ts";
import type { AttemptRecord, InstanceRecord } from "./records.ts";

interface Agent {
	machine: Machine;
	attempt: AttemptRecord;
	command: Command | null;
	/** The command was asked to end and is saving. */
	stopping: boolean;
	done: boolean;
}

/** The agents on the machines: enroll, stage, run, checkpoint, report; stop when asked, reclaimed or out of time. */
export class SimAgents implements MachineEvents {
	readonly #ctx: SimContext;
	readonly #byMachine = new Map<string, Agent>();
	readonly #byAttempt = new Map<string, Agent>();
	#cloud: SimCloud | null = null;

	constructor(ctx: SimContext) {
		this.#ctx = ctx;
	}

	attach(cloud: SimCloud): void {
		this.#cloud = cloud;
	}

	booted(machine: Machine): void {
		const row = this.#ctx.book.instances.get(machine.token);
		const attempt = row && this.#ctx.book.attempt(row.attemptId);
		const wanted =
			row && (row.state === "requested" || row.state === "provisioning") && attempt && !isOver(attempt) && isItsMachine(row, machine);
		if (!wanted) {
			this.#cloud?.endLater(machine, "Client.InstanceInitiatedShutdown");
			return;
		}
		if (row.state === "requested") {
			this.#ctx.book.moveInstance(row, "provisioning");
			row.providerInstanceId = machine.id;
		}
		// The launch response has the time too; after a crash only this message arrives.
		row.launchedAtMs ??= machine.launchedAtMs;
		this.#ctx.book.moveInstance(row, "ready");
		row.readyAtMs = this.#ctx.nowMs();
		markStaging(this.#ctx, attempt);
		const agent: Agent = { machine, attempt, command: null, stopping: false, done: false };
		this.#byMachine.set(machine.id, agent);
		this.#byAttempt.set(attempt.id, agent);
		if (attempt.state === "stopping") {
			this.#finish(agent, { code: null, signal: "SIGTERM", error: null }, null);
			return;
		}
		const job = this.#ctx.book.jobOf(attempt);
		this.#ctx.at(this.#ctx.nowMs() + Math.max(1, job.work.stagingMs), () => this.#start(agent));
	}

	#start(agent: Agent): void {
		const { machine, attempt } = agent;
		if (agent.done || agent.stopping || !lives(machine)) return;
		const command = startCommand(this.#ctx.book.jobOf(attempt), this.#ctx.nowMs());
		agent.command = command;
		markRunning(this.#ctx, attempt, command.startedAtMs);
		this.#ctx.at(command.endsAtMs, () => {
			if (!agent.done && !agent.stopping && lives(machine)) this.#finish(agent, command.exit, null);
		});
	}

	/** A stop order from the control plane. */
	stop(attempt: AttemptRecord): void {
		const agent = this.#byAttempt.get(attempt.id);
		if (agent && lives(agent.machine)) this.#endCommand(agent, null);
	}

	notice(machine: Machine, takenAtMs: number): void {
		const row = this.#ctx.book.instances.get(machine.token);
		const agent = this.#byMachine.get(machine.id);
		if (!row || !agent) return;
		const why = reason("spot_interruption", { interruptionAtMs: takenAtMs });
		if (row.interruptionAtMs === null && row.state !== "terminated") {
			row.interruptionAtMs = takenAtMs;
			if (row.state === "ready") this.#ctx.book.moveInstance(row, "draining");
			requestStop(this.#ctx, agent.attempt, why);
		}
		this.#endCommand(agent, why);
	}

	expired(machine: Machine): void {
		const agent = this.#byMachine.get(machine.id);
		const why = reason("instance_expired", { expiresAtMs: machine.expiresAtMs });
		if (agent) this.#endCommand(agent, why);
		// Long enough for the command to save.
		this.#ctx.at(this.#ctx.nowMs() + 2 * this.#ctx.scenario.timing.stopMs, () =>
			this.#cloud?.endLater(machine, "Client.InstanceInitiatedShutdown"),
		);
	}

	ended(machine: Machine): void {
		const agent = this.#byMachine.get(machine.id);
		if (agent) this.#keepCheckpoint(agent, false);
		this.#byMachine.delete(machine.id);
		if (agent) this.#byAttempt.delete(agent.attempt.id);
		const row = this.#ctx.book.instances.get(machine.token);
		if (!row) return;
		const { syncMs, vanishMs } = this.#ctx.scenario.timing;
		const nowMs = this.#ctx.nowMs();
		this.#ctx.poke(row, nowMs + syncMs);
		if (machine.vanishedAtMs !== null) this.#ctx.poke(row, nowMs + syncMs + vanishMs + 1);
	}

	#endCommand(agent: Agent, ownReason: Reason | null): void {
		if (agent.done || agent.stopping) return;
		agent.stopping = true;
		const { machine } = agent;
		this.#ctx.at(this.#ctx.nowMs() + this.#ctx.scenario.timing.stopMs, () => {
			if (lives(machine)) this.#finish(agent, { code: null, signal: "SIGTERM", error: null }, ownReason);
		});
	}

	#finish(agent: Agent, exit: Exit, ownReason: Reason | null): void {
		const { machine, attempt } = agent;
		if (exit.code !== 0) this.#keepCheckpoint(agent, true);
		agent.done = true;
		const endedAtMs = this.#ctx.nowMs();
		if (!lives(machine) || isOver(attempt)) return;
		if (ownReason) requestStop(this.#ctx, attempt, ownReason);
		finishAttempt(this.#ctx, attempt, exit, endedAtMs);
		const row = this.#ctx.book.instances.get(machine.token);
		if (row) this.#ctx.poke(row, this.#ctx.nowMs());
	}

	#keepCheckpoint(agent: Agent, told: boolean): void {
		if (agent.done || !agent.command) return;
		const job = this.#ctx.book.jobOf(agent.attempt);
		if (isFinal(JOB_TRANSITIONS, job.state)) return;
		job.completedMs = Math.max(job.completedMs, savedAt(agent.command, this.#ctx.nowMs(), told));
	}
}

function lives(machine: Machine): boolean {
	return machine.terminatedAtMs === null;
}

function isItsMachine(row: InstanceRecord, machine: Machine): boolean {
	return row.providerInstanceId === null || row.providerInstanceId === machine.id;
}
