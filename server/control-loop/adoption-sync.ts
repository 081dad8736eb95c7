import type { ForeignJob, ForeignOutcome } from "#server/domain/foreign-job.ts";
import type { AdoptionWhy } from "#server/domain/imports/adoption.ts";
import { convertForeignJob } from "#server/domain/imports/adoption.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { adoptionRules, canAdopt } from "#server/policy/judge-adoption.ts";
import type { ClusterDriver } from "#server/providers/driver.ts";
import { DriverError } from "#server/providers/driver-errors.ts";
import type { BroughtHome, ForeignQueue, ForeignSight } from "#server/providers/foreign-queue.ts";
import { acceleratorsNamed } from "#server/rates/accelerators.ts";
import { activePolicy } from "#server/services/policy/active.ts";
import { advanceAdoption, setAdoptionOutput, setAdoptionProblem } from "#server/services/work/adoption/advance.ts";
import { offerAdoption, rejectAdoption, settledForeign, teamNames } from "#server/services/work/adoption/offer.ts";
import { outputLines } from "#server/services/work/adoption/output-lines.ts";
import { type LiveAdoption, liveAdoptions, unkeptOf } from "#server/services/work/adoption/read.ts";
import { fetchCheckpoint } from "#server/services/work/checkpoint/fetch.ts";
import type { LoopContext } from "./context.ts";
import { messageOf } from "./messages.ts";

/** Scripts read per sync; each is a call. */
const OFFERS_AT_ONCE = 16;
/**
 * Maximum number of tasks of one array that are split off and queued. The others stay one entry, which is cheapest for the
 * site.
 */
const TASKS_AT_ONCE = 8;
/** A job held at home goes back if it has not run for this long. */
const IDLE_MAX_MS = MINUTE_MS;
/** Pending reasons of Slurm and Kubernetes that more capacity would not resolve. */
const NOT_YET = /^(Dependency|BeginTime|JobHeld|JobArrayTaskLimit|DependencyNeverSatisfied|JobLaunchFailure|SchedulingGated)/;

/**
 * Adopts jobs of a site's own queue and advances each adoption by one step: applies the database's state at the site and
 * records what it finds there. Every call can be repeated, so a crash loses nothing.
 */
export async function syncAdoptions(ctx: LoopContext, driver: ClusterDriver, jobs: readonly ForeignJob[]): Promise<void> {
	const { queue, siteId } = driver;
	if (!queue) return;
	await offerNew(ctx, siteId, queue, jobs);
	const seen = new Map(jobs.map((job) => [job.id, job]));
	for (const row of await liveAdoptions(ctx.db, siteId)) {
		try {
			await step({ ctx, queue, row, listed: seen.get(row.foreignId) ?? null });
			await setAdoptionProblem(ctx.db, row, null);
		} catch (error) {
			if (!(error instanceof DriverError)) throw error;
			ctx.log("warn", "Could not reach an adopted job at its cluster", { adoptionId: row.id, error: error.message });
			await setAdoptionProblem(ctx.db, row, error.message);
		}
	}
}

async function offerNew(ctx: LoopContext, siteId: string, queue: ForeignQueue, jobs: readonly ForeignJob[]): Promise<void> {
	const waiting = jobs.filter((job) => job.state === "waiting" && job.poolId !== null && !NOT_YET.test(job.waitingReason ?? ""));
	if (waiting.length === 0) return;
	const { policy, version: policyVersion } = await activePolicy(ctx.db);
	if (!policy.rules.some(({ effect }) => effect.kind === "adopt")) return;
	const nowMs = ctx.clock.nowMs();
	const settled = await settledForeign(ctx.db, { siteId, policyVersion, nowMs });
	const teams = await teamNames(ctx.db);
	let asked = 0;
	for (const facts of waiting) {
		if (settled.has(facts.id)) continue;
		const rules = adoptionRules(policy, { siteId, partition: facts.partition, user: facts.user, optedIn: facts.optIn !== null });
		if (rules.length === 0) continue;
		if (asked++ === OFFERS_AT_ONCE) return;
		const refuse = (why: string[]) => rejectAdoption(ctx.db, siteId, facts.id, { atMs: nowMs, policyVersion, why });
		if (queue.split && isManyTasks(facts)) {
			if (facts.optIn === null) await refuse(["It is an array without a comment. The comment distinguishes an array's tasks."]);
			else await splitOff(ctx, queue.split.bind(queue), facts, jobs);
			continue;
		}
		try {
			const script = await queue.readScript(facts.id);
			const why: string[] = [];
			let taken = false;
			for (const { rule, effect } of rules) {
				if (!teams.includes(effect.team)) {
					why.push(`Rule ${rule.id} names the team ${effect.team}, which does not exist.`);
					continue;
				}
				const context = { team: effect.team, teams: [], acceleratorsNamed, zoneOffsetMinutes: 0, email: null, nowMs };
				const made = convertForeignJob(script, facts, context);
				if ("why" in made) why.push(...made.why);
				else if (!canAdopt(rule, made.spec)) why.push(`The condition of rule ${rule.id} does not hold for it.`);
				else {
					await offerAdoption(ctx.db, { siteId, facts, ...made, script: script.text, ruleId: rule.id, policyVersion, nowMs });
					ctx.probe("adopt:offered");
					taken = true;
					break;
				}
			}
			if (!taken) await refuse([...new Set(why)]);
		} catch (error) {
			if (!(error instanceof DriverError)) throw error;
			// The job may have ended, or the site may respond next time. A missing permission is shown with the job.
			if (error.kind === "unauthorized" || error.kind === "invalid_request") await refuse([messageOf(error)]);
		}
	}
}

/** Whether several tasks of an array share one queue entry. */
function isManyTasks({ array }: ForeignJob): boolean {
	return array !== null && !/^\d+$/.test(array.task);
}

/** Splits tasks off an array. Each is adopted once it has its own entry. */
async function splitOff(
	ctx: LoopContext,
	split: (id: string, count: number) => Promise<void>,
	{ id, array }: ForeignJob,
	jobs: readonly ForeignJob[],
): Promise<void> {
	const apart = jobs.filter((job) => job.array?.id === array?.id && job.state !== "running" && !isManyTasks(job)).length;
	if (apart >= TASKS_AT_ONCE) return;
	try {
		await split(id, TASKS_AT_ONCE - apart);
	} catch (error) {
		// It may have started meanwhile; the next sync shows the current state.
		if (!(error instanceof DriverError)) throw error;
		ctx.log("warn", "Could not split an array at its cluster", { foreignId: id, error: error.message });
	}
}

interface Step {
	ctx: LoopContext;
	queue: ForeignQueue;
	row: LiveAdoption;
	/** The job in the latest listing, which may be out of date. */
	listed: ForeignJob | null;
}

function step(s: Step): Promise<void> {
	switch (s.row.state) {
		case "offered":
			return stepOffered(s);
		case "holding":
			return stepHolding(s);
		case "held":
			return stepHeld(s);
		case "returning":
			return stepReturning(s);
		case "finishing":
			return stepFinishing(s);
		case "released":
		case "finished":
		case "abandoned":
			return Promise.resolve();
	}
}

async function advance(
	{ ctx, row }: Step,
	to: LiveAdoption["state"],
	more: { why?: AdoptionWhy; outcome?: ForeignOutcome; endsJob?: boolean } = {},
): Promise<void> {
	await ctx.db.transaction((tx) =>
		advanceAdoption(tx, { id: row.id, jobId: row.jobId, from: [row.state], to, nowMs: ctx.clock.nowMs(), ...more }),
	);
}

async function stepOffered(s: Step): Promise<void> {
	const { row, listed, queue } = s;
	if (row.jobIsOver) return advance(s, "released", { why: "job_ended" });
	if (listed?.state === "waiting") return;
	const { state } = await queue.look(row.foreignId);
	if (state === "running") return advance(s, "released", { why: "home_started", endsJob: true });
	if (state === "held") return advance(s, "released", { why: "home_holds", endsJob: true });
	if (state === "over" || state === "gone") return advance(s, "abandoned", { why: "home_over", endsJob: true });
}

async function stepHolding(s: Step): Promise<void> {
	const { row, queue, ctx } = s;
	if (row.jobIsOver) return advance(s, "returning", { why: "job_ended" });
	const sight = await queue.hold(row.foreignId, row.id);
	ctx.probe("adopt:hold_answered");
	if (isOurs(sight, row)) {
		await advance(s, "held");
		return ctx.probe("adopt:held");
	}
	if (sight.state === "over" || sight.state === "gone") return advance(s, "abandoned", { why: "home_over", endsJob: true });
	// The hold failed: the job started, or another user holds it.
	if (sight.state === "waiting") return;
	return advance(s, "returning", { why: sight.state === "running" ? "home_started" : "home_holds", endsJob: true });
}

function isOurs(sight: ForeignSight, { id }: LiveAdoption): boolean {
	return sight.state === "held" && sight.holdMark === id;
}

async function stepHeld(s: Step): Promise<void> {
	const { row, listed, queue, ctx } = s;
	if (row.jobIsOver) {
		const outcome = outcomeOf(row);
		await (outcome ? advance(s, "finishing", { outcome }) : advance(s, "returning", { why: "job_ended" }));
		return ctx.probe(outcome ? "adopt:finish_intended" : "adopt:return_intended");
	}
	if (!(listed?.state === "held" && listed.holdMark === row.id)) {
		const sight = await queue.look(row.foreignId);
		if (sight.state === "over" || sight.state === "gone") return advance(s, "abandoned", { why: "home_over", endsJob: true });
		if (!isOurs(sight, row)) return advance(s, "returning", { why: "home_took_back", endsJob: true });
	}
	// The cloud attempt stops as in a move: it saves a checkpoint, and home continues from it.
	if (row.returnAt !== null && row.returnAt.getTime() <= ctx.clock.nowMs()) {
		await advance(s, "returning", { why: "home_frees", endsJob: true });
		return ctx.probe("adopt:return_intended");
	}
	const idleSinceMs = Math.max(row.heldAt?.getTime() ?? 0, row.last?.finishedAt?.getTime() ?? 0);
	if (!row.live && ctx.clock.nowMs() - idleSinceMs > IDLE_MAX_MS) {
		await advance(s, "returning", { why: "not_launched", endsJob: true });
		ctx.probe("adopt:return_intended");
	}
}

async function stepReturning(s: Step): Promise<void> {
	const { row, queue, ctx } = s;
	if (row.live) return;
	const outcome = row.jobIsOver ? outcomeOf(row) : null;
	// It finished before it could be stopped, so home gets its outcome.
	if (outcome && outcome.outcome !== "cancelled") return advance(s, "finishing", { outcome });
	if (row.output === null && queue.bringCheckpoint) {
		const saved = await bringNewestCheckpoint(s);
		if (saved) await setAdoptionOutput(ctx.db, row.id, saved);
		ctx.probe("adopt:checkpoint_home");
	}
	const sight = await queue.release(row.foreignId, row.id);
	ctx.probe("adopt:release_answered");
	// Without the hold it may have run to its end by now, which is what it was released for.
	const endedUnderHold = sight.state === "over" && sight.holdMark === row.id;
	if (endedUnderHold || sight.state === "gone") return advance(s, "abandoned", { why: "home_over", endsJob: true });
	await advance(s, "released", { endsJob: true });
	ctx.probe("adopt:released");
}

/** Null if there is no checkpoint or the site has no place for files. */
async function bringNewestCheckpoint({ ctx, queue, row }: Step): Promise<BroughtHome | null> {
	const newest = queue.bringCheckpoint && (await fetchCheckpoint(ctx.db, ctx.checkpointRoot, ctx.stores ?? null, row.jobId));
	return newest && queue.bringCheckpoint ? queue.bringCheckpoint(row.foreignId, newest.folder) : null;
}

async function stepFinishing(s: Step): Promise<void> {
	const { row, queue, ctx } = s;
	if (row.outcome === null) return;
	if (row.output === null && queue.writeOutput && row.last) {
		const printed = await queue.writeOutput(row.foreignId, outputLines({ db: ctx.db, logs: ctx.logs ?? null }, row.last.id));
		const saved = await bringNewestCheckpoint(s);
		const unkept = await unkeptOf(ctx.db, row.last.id);
		const problems = [printed.problem, saved?.problem, unkept && `the files of its last minutes could not be kept: ${unkept}`];
		await setAdoptionOutput(ctx.db, row.id, {
			files: [...printed.files, ...(saved?.files ?? [])],
			problem: problems.filter(Boolean).join("; ") || null,
		});
		ctx.probe("adopt:output_written");
	}
	const sight = await queue.finish(row.foreignId, row.outcome);
	ctx.probe("adopt:finish_answered");
	if (sight.state === "over" || sight.state === "gone") await advance(s, "finished");
}

/** The outcome reported to home. Null if the command did not finish on its own, so home runs the job. */
function outcomeOf({ jobState, jobReason, last, jobId }: LiveAdoption): ForeignOutcome | null {
	const comment = (what: string) => `ran in the cloud as ${jobId}: ${what}`;
	if (jobState === "succeeded") return { outcome: "succeeded", exitCode: 0, comment: comment("exit code 0") };
	// Spillway cancelled it to return it to home; no person did.
	if (jobState === "cancelled" && jobReason.code === "adoption_ended") return null;
	if (jobState === "cancelled") return { outcome: "cancelled", exitCode: null, comment: comment("cancelled") };
	if (jobState !== "failed" || last === null || last.state !== "failed") return null;
	if (last.exitCode !== null) return { outcome: "failed", exitCode: last.exitCode, comment: comment(`exit code ${last.exitCode}`) };
	if (last.exitSignal !== null) return { outcome: "failed", exitCode: null, comment: comment(`ended by ${last.exitSignal}`) };
	return last.reason?.code === "max_duration_exceeded" ? { outcome: "failed", exitCode: null, comment: comment("time limit") } : null;
}
