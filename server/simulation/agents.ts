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

/** What runs on the machines: enrol, stage, run, checkpoint, report; stop when asked, reclaimed or out of time. */
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

	/** Commands that truly run in the cloud, with the attempt that each belongs to. */
	*running(): Generator<{ attemptId: string; jobId: string }> {
		for (const agent of this.#byMachine.values()) {
			if (agent.command && !agent.done && lives(agent.machine)) yield { attemptId: agent.attempt.id, jobId: agent.attempt.jobId };
		}
	}

	booted(machine: Machine): void {
		if (machine.agentDeadAtMs !== null) return;
		this.#ctx.report(
			"agent enrols",
			() => lives(machine),
			() => this.#enrol(machine),
		);
	}

	#enrol(machine: Machine): void {
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
		// The launch's own answer brings the time too; after a crash this is the only one that comes.
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
		this.#ctx.at(this.#ctx.nowMs() + Math.max(1, job.work.stagingMs), "command starts", () => this.#start(agent));
	}

	#start(agent: Agent): void {
		const { machine, attempt } = agent;
		if (agent.done || agent.stopping || !lives(machine)) return;
		const command = startCommand(this.#ctx.book.jobOf(attempt), this.#ctx.nowMs());
		agent.command = command;
		this.#ctx.report(
			"command runs",
			() => lives(machine),
			() => markRunning(this.#ctx, attempt, command.startedAtMs),
		);
		this.#ctx.at(command.endsAtMs, "command ends", () => {
			if (!agent.done && !agent.stopping && lives(machine)) this.#finish(agent, command.exit, null);
		});
	}

	/** An order to stop, from the control plane. */
	stop(attempt: AttemptRecord): void {
		const agent = this.#byAttempt.get(attempt.id);
		if (agent && lives(agent.machine)) this.#endCommand(agent, null);
	}

	notice(machine: Machine, takenAtMs: number): void {
		const row = this.#ctx.book.instances.get(machine.token);
		const agent = this.#byMachine.get(machine.id);
		if (!row || !agent || machine.agentDeadAtMs !== null) return;
		const why = reason("spot_interruption", { interruptionAtMs: takenAtMs });
		this.#ctx.report(
			"notice",
			() => lives(machine),
			() => {
				if (row.interruptionAtMs !== null || row.state === "terminated") return;
				row.interruptionAtMs = takenAtMs;
				if (row.state === "ready") this.#ctx.book.moveInstance(row, "draining");
				requestStop(this.#ctx, agent.attempt, why);
			},
		);
		this.#endCommand(agent, why);
	}

	expired(machine: Machine): void {
		const agent = this.#byMachine.get(machine.id);
		const why = reason("instance_expired", { expiresAtMs: machine.expiresAtMs });
		if (agent && machine.agentDeadAtMs === null) this.#endCommand(agent, why);
		// Long enough for the command to save; then the machine powers itself off, anyone who is silent.
		this.#ctx.at(this.#ctx.nowMs() + 2 * this.#ctx.scenario.timing.stopMs, "machine powers off", () =>
			this.#cloud?.endLater(machine, "Client.InstanceInitiatedShutdown"),
		);
	}

	agentDied(machine: Machine): void {
		const agent = this.#byMachine.get(machine.id);
		if (agent) this.#keepCheckpoint(agent, false);
		const row = this.#ctx.book.instances.get(machine.token);
		if (row) this.#ctx.poke(row, this.#ctx.nowMs() + this.#ctx.scenario.timing.agentSilentMs + 1);
	}

	ended(machine: Machine): void {
		const agent = this.#byMachine.get(machine.id);
		if (agent && machine.agentDeadAtMs === null) this.#keepCheckpoint(agent, false);
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
		this.#ctx.at(this.#ctx.nowMs() + this.#ctx.scenario.timing.stopMs, "command stopped", () => {
			if (lives(machine)) this.#finish(agent, { code: null, signal: "SIGTERM", error: null }, ownReason);
		});
	}

	#finish(agent: Agent, exit: Exit, ownReason: Reason | null): void {
		const { machine, attempt } = agent;
		if (exit.code !== 0) this.#keepCheckpoint(agent, true);
		agent.done = true;
		const endedAtMs = this.#ctx.nowMs();
		this.#ctx.report(
			"command ended",
			() => lives(machine),
			() => {
				if (isOver(attempt)) return;
				if (ownReason) requestStop(this.#ctx, attempt, ownReason);
				finishAttempt(this.#ctx, attempt, exit, endedAtMs);
				const row = this.#ctx.book.instances.get(machine.token);
				if (row) this.#ctx.poke(row, this.#ctx.nowMs());
			},
		);
	}

	#keepCheckpoint(agent: Agent, told: boolean): void {
		if (agent.done || !agent.command) return;
		const job = this.#ctx.book.jobOf(agent.attempt);
		if (isFinal(JOB_TRANSITIONS, job.state)) return;
		job.completedMs = Math.max(job.completedMs, savedAt(agent.command, this.#ctx.nowMs(), told));
	}
}

function lives(machine: Machine): boolean {
	return machine.terminatedAtMs === null && machine.agentDeadAtMs === null;
}

function isItsMachine(row: InstanceRecord, machine: Machine): boolean {
	return row.providerInstanceId === null || row.providerInstanceId === machine.id;
}
