import { type Reason, reason } from "#server/domain/reasons.ts";
import type { Machine, SimCloud } from "./cloud.ts";
import type { SimContext } from "./context.ts";
import { finishAttempt, isOver, requestStop } from "./ending.ts";
import { meterInstance } from "./metering.ts";
import type { AttemptRecord, InstanceRecord } from "./records.ts";

/** Syncs one instance's row with its provider, so that the row is what the control loop would have recorded. */
export class InstanceSync {
	readonly #ctx: SimContext;
	readonly #cloud: SimCloud;
	/** Launch calls without a response yet. */
	readonly #calling = new Set<string>();

	constructor(ctx: SimContext, cloud: SimCloud) {
		this.#ctx = ctx;
		this.#cloud = cloud;
	}

	sync(row: InstanceRecord): void {
		if (row.state === "terminated" || this.#calling.has(row.id)) return;
		const attempt = this.#ctx.book.attempt(row.attemptId);
		if (row.providerInstanceId === null) {
			if (isWanted(row, attempt)) this.#launch(row);
			else this.#neverMade(row, attempt.stopReason ?? reason("launch_never_happened"));
			return;
		}
		if (this.#absorb(row, attempt, row.providerInstanceId)) return;
		const fit = this.#checkDeadlines(row, attempt);
		if (!fit || row.state === "terminating" || !isWanted(row, attempt) || this.#byForce(row, attempt))
			this.#end(row, row.providerInstanceId);
	}

	#launch(row: InstanceRecord): void {
		const nowMs = this.#ctx.nowMs();
		const { timing } = this.#ctx.scenario;
		this.#ctx.book.moveInstance(row, "requested");
		Object.assign(row, { requestedAtMs: row.requestedAtMs ?? nowMs, lastCallAtMs: nowMs, calls: row.calls + 1 });
		const machine = this.#cloud.launch(row.id, row.offer, row.expiresAtMs);
		this.#calling.add(row.id);
		this.#ctx.at(nowMs + timing.callMs, () => {
			this.#calling.delete(row.id);
			if (machine) this.#writeFound(row, machine);
			else this.#launchFailed(row);
		});
		this.#ctx.poke(row, nowMs + timing.readyTimeoutMs + 1);
		this.#ctx.poke(row, row.expiresAtMs);
	}

	#writeFound(row: InstanceRecord, machine: Machine): void {
		if (row.state === "requested") {
			this.#ctx.book.moveInstance(row, "provisioning");
			row.providerInstanceId = machine.id;
		}
		row.launchedAtMs ??= machine.launchedAtMs;
		Object.assign(row, { lastSeenAtMs: this.#ctx.nowMs(), lastError: null });
		this.#ctx.shelf.clearBackOff(row.offer.id);
		this.#ctx.poke(row, this.#ctx.nowMs());
	}

	#launchFailed(row: InstanceRecord): void {
		this.#ctx.shelf.backOff(row.offer.id, this.#ctx.nowMs(), this.#ctx.scenario.timing);
		this.#neverMade(row, reason("launch_refused_capacity", { offerId: row.offer.id, message: NO_CAPACITY }));
	}

	/** Nothing was created, so nothing can run. */
	#neverMade(row: InstanceRecord, why: Reason): void {
		if (row.state !== "intended" && row.state !== "requested") return;
		this.#ctx.book.moveInstance(row, "terminated");
		Object.assign(row, { terminatedAtMs: this.#ctx.nowMs(), reason: why, lastError: null });
		const attempt = this.#ctx.book.attempt(row.attemptId);
		if (!isOver(attempt)) {
			requestStop(this.#ctx, attempt, why);
			finishAttempt(this.#ctx, attempt, null, this.#ctx.nowMs());
		}
		this.#settled(row, attempt);
	}

	/** True when it no longer exists. */
	#absorb(row: InstanceRecord, attempt: AttemptRecord, machineId: string): boolean {
		const nowMs = this.#ctx.nowMs();
		const seen = this.#cloud.describe(machineId);
		if (seen === null) {
			const lastKnownMs = this.#lastKnown(row, machineId);
			if (nowMs - lastKnownMs < this.#ctx.scenario.timing.vanishMs) return false;
			this.#writeTerminated(row, attempt, reason("instance_vanished", { lastSeenMs: lastKnownMs }));
			return true;
		}
		if (seen.terminatedAtMs !== null) {
			this.#writeTerminated(row, attempt, endReason(row, attempt, seen.stateReason));
			return true;
		}
		row.lastSeenAtMs = nowMs;
		return false;
	}

	/** The live loop polls every two seconds; polls that would find nothing new are left out here. */
	#lastKnown(row: InstanceRecord, machineId: string): number {
		const written = row.lastSeenAtMs ?? row.launchedAtMs ?? row.intendedAtMs;
		return Math.max(written, this.#cloud.machines.get(machineId)?.vanishedAtMs ?? 0);
	}

	#writeTerminated(row: InstanceRecord, attempt: AttemptRecord, why: Reason): void {
		const nowMs = this.#ctx.nowMs();
		this.#ctx.book.moveInstance(row, "terminated");
		Object.assign(row, { terminatedAtMs: nowMs, lastSeenAtMs: nowMs, reason: why });
		const { siteId } = row.offer;
		this.#ctx.sink.news({ kind: "instance_terminated", atMs: nowMs, instanceId: row.id, jobId: row.jobId, siteId, reason: why });
		finishAttempt(this.#ctx, attempt, null, nowMs, why);
		this.#settled(row, attempt);
	}

	#settled(row: InstanceRecord, attempt: AttemptRecord): void {
		if (attempt.move === null && (attempt.state === "interrupted" || attempt.state === "evicted" || attempt.state === "lost")) {
			const untilMs = this.#ctx.nowMs() + this.#ctx.scenario.timing.offerCooldownMs;
			const job = this.#ctx.book.jobOf(row);
			job.avoidOffers = [...job.avoidOffers.filter((a) => a.untilMs > this.#ctx.nowMs()), { offerId: row.offer.id, untilMs }];
		}
		meterInstance(this.#ctx, row);
		this.#ctx.wake();
	}

	/** False when the machine must be terminated now. */
	#checkDeadlines(row: InstanceRecord, attempt: AttemptRecord): boolean {
		const nowMs = this.#ctx.nowMs();
		const { timing } = this.#ctx.scenario;
		const stop = (why: Reason): false => {
			requestStop(this.#ctx, attempt, why);
			return false;
		};
		if (nowMs >= row.expiresAtMs) return stop(reason("instance_expired", { expiresAtMs: row.expiresAtMs }));
		if (row.readyAtMs === null) {
			const waitedMs = nowMs - (row.requestedAtMs ?? row.intendedAtMs);
			return waitedMs > timing.readyTimeoutMs ? stop(reason("instance_not_ready_in_time", { waitedMs, offerId: row.offer.id })) : true;
		}
		return true;
	}

	#byForce(row: InstanceRecord, attempt: AttemptRecord): boolean {
		if (attempt.stopRequestedAtMs === null) return false;
		const { timing } = this.#ctx.scenario;
		return (
			this.#ctx.nowMs() >= row.expiresAtMs || this.#ctx.nowMs() - attempt.stopRequestedAtMs > 2 * timing.stopGraceMs + timing.callRetryMs
		);
	}

	#end(row: InstanceRecord, machineId: string): void {
		const nowMs = this.#ctx.nowMs();
		const { callRetryMs } = this.#ctx.scenario.timing;
		if (row.lastTerminateCallAtMs !== null && nowMs - row.lastTerminateCallAtMs < callRetryMs) return;
		this.#ctx.book.moveInstance(row, "terminating");
		const calls = { terminatingAtMs: row.terminatingAtMs ?? nowMs, lastTerminateCallAtMs: nowMs, terminateCalls: row.terminateCalls + 1 };
		Object.assign(row, calls);
		this.#ctx.poke(row, nowMs + callRetryMs);
		this.#cloud.terminate(machineId);
	}
}

const NO_CAPACITY = "InsufficientInstanceCapacity: there is no such machine free in this zone now";

/** An instance is needed while its attempt is alive; a stopping attempt still needs it to save its checkpoint. */
function isWanted(row: InstanceRecord, attempt: AttemptRecord): boolean {
	if (row.state === "terminating") return false;
	if (attempt.state === "starting" || attempt.state === "staging" || attempt.state === "running") return true;
	return attempt.state === "stopping" && row.readyAtMs !== null;
}

function endReason(row: InstanceRecord, attempt: AttemptRecord, stateReason: string | null): Reason {
	if (row.interruptionAtMs !== null || /spot/i.test(stateReason ?? "")) return reason("spot_interruption", { stateReason });
	if (row.state === "terminating" || attempt.stopRequestedAtMs !== null) return attempt.stopReason ?? reason("job_finished");
	return reason("instance_vanished", { stateReason });
}
