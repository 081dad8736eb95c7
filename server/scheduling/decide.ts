import { type Cycle, openCycle } from "./cycle.ts";
import { decideJob, settle } from "./decide-job.ts";
import { orderQueue } from "./fair-share.ts";
import type { Finding } from "./finding.ts";
import { reserveForeign } from "./foreign.ts";
import { findKeptRoom } from "./kept-room.ts";
import { findMoving } from "./moving.ts";
import type { QueuedJob } from "./order.ts";
import { planRunning, planUrgent } from "./running/plan-running.ts";
import { moveAsRequested } from "./running/requested-move.ts";
import { runningInput } from "./running/running-input.ts";
import type { Action, Decide } from "./types.ts";

/**
 * One cycle of the decision core, in nine steps:
 * 1. Order the pending jobs: rank (priority, wait, deadline, share), deadline slack, wait, id. Room at home that was made for a
 *    job, because others left for it or it stopped in order to move there, is reserved for it.
 * 2. Plan urgent actions on running attempts: exceeded limits, budgets at their cap, failing sites (running/).
 * 3. Place foreign jobs that wait in a cluster's own queue, in the order of that queue.
 * 4. Launch jobs that stopped in order to move to a cloud.
 * Then replay the queue over the owned pools, job by job:
 * 5. A job that can never run fails. One with free slots now that delays no earlier job starts at home. Any other gets the
 *    forecast of its start there, from the slots that earlier jobs leave.
 * 6. A job with a deadline before that start takes the place of running jobs, where a preempt rule allows it.
 * 7. When a burst rule is due and the cloud would start it sooner, it takes the cheapest offer that policy, budgets and
 *    capacity allow, and its place in the queue at home is free for the next job. Otherwise it waits or is held.
 * 8. Running attempts move where people want them, or home or to cheaper capacity where that saves money, in the room that the queue
 *    leaves (running/).
 * 9. Jobs with an action or a quote are explained.
 * Jobs that are only quoted (DecideOptions.asked) are placed in steps 5 to 7 and take nothing; the plan ends after the last of
 * them.
 */
export const decide: Decide = (snapshot, options = {}) => {
	const cycle = openCycle(snapshot, options);
	const { core, budgets, settled, plan } = cycle;
	const { kept, others } = claimKept(cycle, orderPending(cycle));
	const running = runningInput(snapshot, core, budgets, settled);
	const urgent = planUrgent(running);
	note(plan.actions, urgent, settled);
	leave(cycle, urgent);
	for (const finding of kept) {
		finding.start?.pool.refresh();
		settle(cycle, finding);
	}
	reserveForeign(snapshot, core.pools);
	const queue = launchMoving(cycle, others);
	if (cycle.kept && kept.length === 0 && !snapshot.foreign?.length) cycle.kept.open(snapshot, core);
	else core.queue.forget();
	decideQueue(cycle, queue);
	if (cycle.asked.size > 0) return plan;
	note(plan.actions, moveAsRequested(running), settled);
	note(plan.actions, planRunning(running), settled);
	return plan;
};

/** Sequential. Jobs behind the last quoted one do not affect it. */
function decideQueue(cycle: Cycle, queue: readonly QueuedJob[]): void {
	let left = cycle.asked.size;
	for (const queued of queue) {
		decideJob(cycle, queued);
		if (cycle.asked.has(queued.job.jobId) && --left === 0) return;
	}
}

function note(actions: Action[], more: readonly Action[], settled: Set<string>): void {
	for (const action of more) {
		actions.push(action);
		if ("attemptId" in action) settled.add(action.attemptId);
	}
}

/** Lists each job once. A job with a live attempt is not pending, whatever the list contains. */
function orderPending({ snapshot, core, asked }: Cycle): readonly QueuedJob[] {
	const queue: QueuedJob[] = [];
	let place = 0;
	for (const job of snapshot.pending) {
		if (!core.live.jobs.has(job.jobId)) queue.push(core.queuedOf(job, place, snapshot.nowMs));
		place++;
	}
	const { shares } = snapshot.policy;
	if (shares.length === 0) return core.order.find(queue) ?? core.order.keep(queue, withoutRepeats(orderQueue(queue, [], NO_USAGE, 0)));
	const ownedGpus = core.pools.reduce((sum, pool) => sum + pool.slots, 0);
	return withoutRepeats(orderQueue(queue, shares, core.live.homeGpus, ownedGpus, asked));
}

const NO_USAGE: ReadonlyMap<string, number> = new Map();

function withoutRepeats(ordered: readonly QueuedJob[]): readonly QueuedJob[] {
	if (ordered.length < 2) return ordered;
	const seen = new Set<string>();
	return ordered.filter(({ job }) => !seen.has(job.jobId) && seen.add(job.jobId));
}

/** Jobs with room reserved at home claim it first; their findings are settled later. */
function claimKept(cycle: Cycle, queue: readonly QueuedJob[]): { kept: Finding[]; others: readonly QueuedJob[] } {
	const kept: Finding[] = [];
	if (!queue.some(({ job }) => job.movingTo?.kind === "home" || job.room)) return { kept, others: queue };
	const others = queue.filter((queued) => {
		const finding = (queued.job.movingTo?.kind === "home" ? findMoving(cycle, queued) : null) ?? findKeptRoom(cycle, queued);
		if (finding) kept.push(finding);
		return finding === null;
	});
	return { kept, others };
}

/** Launches jobs that are moving to a chosen offer and returns the others. */
function launchMoving(cycle: Cycle, queue: readonly QueuedJob[]): readonly QueuedJob[] {
	if (!queue.some(({ job }) => job.movingTo?.kind === "cloud")) return queue;
	return queue.filter((queued) => {
		const finding = queued.job.movingTo?.kind === "cloud" ? findMoving(cycle, queued) : null;
		if (finding) settle(cycle, finding);
		return finding === null;
	});
}

/** An attempt stopped now frees its slots after the grace period. The queue is replayed with that, as in the next cycle. */
function leave({ core, snapshot }: Cycle, urgent: readonly Action[]): void {
	const ending = new Set(
		urgent.flatMap((a) => (a.kind === "stop" || (a.kind === "move" && a.atMs <= snapshot.nowMs) ? [a.attemptId] : [])),
	);
	if (ending.size === 0) return;
	for (const attempt of snapshot.running) {
		if (!ending.has(attempt.attemptId) || attempt.placement.poolId === null) continue;
		core.pools.find(({ view }) => view.id === attempt.placement.poolId)?.leave(attempt);
	}
}
