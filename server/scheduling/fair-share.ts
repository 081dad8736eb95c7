import { gpusOf } from "#server/domain/job.ts";
import type { Policy } from "#server/domain/policy.ts";
import { LIMITS } from "./limits.ts";
import { compareEqualRank, compareQueued, type QueuedJob } from "./order.ts";

/**
 * The queue in the order of service. Without shares: by rank. With shares, each team's rank moves by up to LIMITS.sharePoints
 * according to its usage: usage = GPUs of its live attempts at home + those of its earlier jobs in the order; share = owned
 * GPUs × weight ÷ sum of the weights of all teams with running or pending jobs.
 *
 *   points = sharePoints × (1 − usage ÷ share), from +sharePoints (uses nothing) to −sharePoints (twice its share or more)
 *
 * Points change the order and forbid nothing: idle GPUs are borrowed freely. Aging is unbounded and the points are bounded, so
 * no job starves.
 */
export function orderQueue(
	queue: readonly QueuedJob[],
	shares: Policy["shares"],
	homeGpus: ReadonlyMap<string, number>,
	ownedGpus: number,
	asked: ReadonlySet<string> = NONE,
): QueuedJob[] {
	const ordered = [...queue].sort(compareQueued);
	if (shares.length === 0 || ordered.length < 2) return ordered;
	const lines = linesOf(ordered, shares, homeGpus, ownedGpus);
	const served: QueuedJob[] = [];
	while (served.length < ordered.length) {
		let best: Line | null = null;
		for (const line of lines) {
			if (line.next < line.jobs.length && (best === null || isBefore(line, best))) best = line;
		}
		const queued = best?.jobs[best.next];
		if (!best || !queued) break;
		const points = pointsOf(best);
		served.push({ ...queued, rank: queued.rank + points });
		best.next++;
		// A quoted job uses nothing.
		if (!asked.has(queued.job.jobId)) best.usedGpus += gpusOf(queued.job.spec);
	}
	return served;
}

const NONE: ReadonlySet<string> = new Set();

/** One team's jobs in their own order, which its share does not change. */
interface Line {
	jobs: QueuedJob[];
	next: number;
	usedGpus: number;
	shareGpus: number;
}

function linesOf(
	ordered: readonly QueuedJob[],
	shares: Policy["shares"],
	homeGpus: ReadonlyMap<string, number>,
	ownedGpus: number,
): Line[] {
	const weights = new Map(shares.map(({ team, weight }) => [team, weight]));
	const weightOf = (team: string): number => weights.get(team) ?? 1;
	const teams = new Set([...weights.keys(), ...homeGpus.keys(), ...ordered.map(({ job }) => job.spec.team)]);
	const sum = [...teams].sort().reduce((total, team) => total + weightOf(team), 0);
	const lines = new Map<string, Line>();
	for (const queued of ordered) {
		const { team } = queued.job.spec;
		const line = lines.get(team);
		if (line) line.jobs.push(queued);
		else {
			const shareGpus = sum > 0 ? (ownedGpus * weightOf(team)) / sum : 0;
			lines.set(team, { jobs: [queued], next: 0, usedGpus: homeGpus.get(team) ?? 0, shareGpus });
		}
	}
	return [...lines.values()];
}

function pointsOf({ usedGpus, shareGpus }: Line): number {
	if (shareGpus <= 0) return -LIMITS.sharePoints;
	return LIMITS.sharePoints * Math.max(-1, Math.min(1, 1 - usedGpus / shareGpus));
}

/** Jobs are never equal in order, because their ids differ. */
function isBefore(a: Line, b: Line): boolean {
	const [x, y] = [a.jobs[a.next], b.jobs[b.next]];
	if (!x || !y) return y === undefined;
	const [p, q] = [x.rank + pointsOf(a), y.rank + pointsOf(b)];
	return p !== q ? p > q : compareEqualRank(x, y) < 0;
}
