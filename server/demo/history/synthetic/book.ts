import {
	ATTEMPT_TRANSITIONS,
	type AttemptState,
	canMove,
	INSTANCE_TRANSITIONS,
	type InstanceState,
	isFinal,
	JOB_TRANSITIONS,
	type JobState,
} from "#server/domain/states.ts";
import { assert, defined } from "#server/kernel/assert.ts";
import type { AllocationRecord, AttemptRecord, HoldRecord, InstanceRecord, JobRecord } from "./records.ts";

/**
 * The simulated control plane's database, which survives a crash of its process. States only change along the tables
 * of server/domain/states.ts, as the real database's triggers require.
 */
export class Book {
	readonly jobs = new Map<string, JobRecord>();
	readonly attempts = new Map<string, AttemptRecord>();
	readonly instances = new Map<string, InstanceRecord>();
	readonly allocations: AllocationRecord[] = [];
	readonly holds = new Map<string, HoldRecord>();
	/** Working sets, so that the cost of a cycle depends on what is alive, not on the history. */
	readonly pending = new Set<JobRecord>();
	readonly liveAttempts = new Set<AttemptRecord>();
	readonly liveInstances = new Set<InstanceRecord>();
	readonly openAllocations = new Map<string, AllocationRecord>();

	addJob(row: JobRecord): void {
		this.jobs.set(row.id, row);
		this.pending.add(row);
	}

	addAttempt(row: AttemptRecord): void {
		assert(!this.attempts.has(row.id), `attempt ${row.id} is written twice`);
		this.attempts.set(row.id, row);
		this.liveAttempts.add(row);
	}

	addInstance(row: InstanceRecord): void {
		assert(!this.instances.has(row.id), `instance ${row.id} is written twice`);
		this.instances.set(row.id, row);
		this.liveInstances.add(row);
	}

	addAllocation(row: AllocationRecord): void {
		this.allocations.push(row);
		this.openAllocations.set(row.attemptId, row);
	}

	closeAllocation(attemptId: string, atMs: number): void {
		const row = this.openAllocations.get(attemptId);
		if (row) row.endedAtMs = atMs;
		this.openAllocations.delete(attemptId);
	}

	moveJob(row: JobRecord, to: JobState): void {
		if (row.state === to) return;
		assert(canMove(JOB_TRANSITIONS, row.state, to), `job ${row.id} cannot move from ${row.state} to ${to}`);
		row.state = to;
		if (to === "queued" || to === "held") this.pending.add(row);
		else this.pending.delete(row);
	}

	moveAttempt(row: AttemptRecord, to: AttemptState): void {
		assert(canMove(ATTEMPT_TRANSITIONS, row.state, to), `attempt ${row.id} cannot move from ${row.state} to ${to}`);
		row.state = to;
		if (isFinal(ATTEMPT_TRANSITIONS, to)) this.liveAttempts.delete(row);
	}

	moveInstance(row: InstanceRecord, to: InstanceState): void {
		if (row.state === to) return;
		assert(canMove(INSTANCE_TRANSITIONS, row.state, to), `instance ${row.id} cannot move from ${row.state} to ${to}`);
		row.state = to;
		if (isFinal(INSTANCE_TRANSITIONS, to)) this.liveInstances.delete(row);
	}

	job(id: string): JobRecord {
		return defined(this.jobs.get(id), `job ${id}`);
	}

	attempt(id: string): AttemptRecord {
		return defined(this.attempts.get(id), `attempt ${id}`);
	}

	jobOf(row: { jobId: string }): JobRecord {
		return this.job(row.jobId);
	}
}
