import { type Cycle, openCycle } from "./cycle.ts";
import { decideJob, settle } from "./decide-job.ts";
import { orderQueue } from "./fair-share.ts";
import { reserveForeign } from "./foreign.ts";
import { findMoving } from "./moving.ts";
import { type QueuedJob, queuedJob } from "./order.ts";
import { remainingOf } from "./run-time.ts";
import { planRunning, planUrgent } from "./running/plan-running.ts";
import { runningInput } from "./running/running-input.ts";
import type { Action, Decide } from "./types.ts";

/**
 * One cycle of the decision core, in nine steps:
 * 1. what must not wait about running attempts: broken bounds, budgets at their cap, sites that fail (running/);
 * 2. jobs of others that wait in a cluster's own queue get their places first, in the order of that queue;
 * 3. jobs that stopped in order to move are placed where they go;
 * 4. the pending jobs are ordered: rank (priority, wait, deadline, share), deadline slack, wait, id;
 * then that queue is replayed over the owned pools, job by job:
 * 5. a job that nothing can ever run fails; one whose slots are free now, without delaying a job before it, starts at home;
 *    any other gets the forecast of its start there, from the slots that the jobs before it leave;
 * 6. one whose deadline cannot wait for that start takes the place of running jobs, where a preempt rule says so;
 * 7. when a burst rule is due and the cloud would start it sooner, it takes the cheapest offer that policy, money and
 *    capacity allow, and its place in the queue at home is free for the next; otherwise it waits or is held;
 * 8. running attempts go home, or to cheaper capacity, where that saves money and the queue leaves room (running/);
 * 9. whoever got an action, or was asked about, is explained.
 */
export const decide: Decide = (snapshot, options = {}) => {
	const cycle = openCycle(snapshot, options);
	const { core, budgets, settled, plan } = cycle;
	note(plan.actions, planUrgent(runningInput(snapshot, core, budgets, settled)), settled);
	reserveForeign(snapshot, core.pools);
	for (const queued of placeMoving(cycle, orderPending(cycle))) decideJob(cycle, queued);
	note(plan.actions, planRunning(runningInput(snapshot, core, budgets, settled)), settled);
	return plan;
};

function note(actions: Action[], more: readonly Action[], settled: Set<string>): void {
	for (const action of more) {
		actions.push(action);
		if ("attemptId" in action) settled.add(action.attemptId);
	}
}

/** Each job once; one that has a live attempt is not pending, whatever the list says. */
function orderPending({ snapshot, core }: Cycle): QueuedJob[] {
	const queue: QueuedJob[] = [];
	for (const job of snapshot.pending) {
		if (core.live.jobs.has(job.jobId)) continue;
		const total = core.runTimeOf(job.spec);
		const rest = remainingOf(total, job.completedMs, job.spec.duration.maxMs);
		queue.push(queuedJob(job, rest, snapshot.nowMs, total.distribution === undefined));
	}
	const ownedGpus = snapshot.policy.shares.length === 0 ? 0 : core.pools.reduce((sum, pool) => sum + pool.slots, 0);
	const ordered = orderQueue(queue, snapshot.policy.shares, core.live.homeGpus, ownedGpus);
	if (ordered.length < 2) return ordered;
	const seen = new Set<string>();
	return ordered.filter(({ job }) => !seen.has(job.jobId) && seen.add(job.jobId));
}

/** Those that are not on their way to a place that is kept for them. */
function placeMoving(cycle: Cycle, queue: readonly QueuedJob[]): readonly QueuedJob[] {
	if (!queue.some(({ job }) => job.movingTo)) return queue;
	return queue.filter((queued) => {
		const finding = findMoving(cycle, queued);
		if (finding) settle(cycle, finding);
		return finding === null;
	});
}
