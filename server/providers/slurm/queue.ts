import type { ForeignOutcome } from "#server/domain/foreign-job.ts";
import { arrayIndices } from "#server/domain/imports/sbatch/times.ts";
import type { Clock } from "#server/kernel/clock.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { DriverError } from "../driver-errors.ts";
import type { BroughtHome, ForeignQueue, ForeignScript, ForeignSight, OutputLine } from "../foreign-queue.ts";
import type { SlurmCalls } from "./client.ts";
import { afterSuccessesElsewhere, afterSuccessOf, dependsOnFailureOf } from "./dependencies.ts";
import { sightOfForeign } from "./foreign-queue.ts";
import { markOf, succeededElsewhere, withMark, withoutMark } from "./hold-mark.ts";
import { isOver, type SlurmJob } from "./mapper.ts";
import { ownersWords } from "./opt-in.ts";
import { writeOutputFiles } from "./output-files.ts";
import { scontrol } from "./scontrol.ts";
import { calledAs, canReadArguments } from "./script-arguments.ts";
import { hasCheckpoint, unpackCheckpoint } from "./unpack-checkpoint.ts";

/** Priorities of priority/basic count down from 2^32; those of priority/multifactor are far lower, and are recomputed. */
const BASIC_PRIORITY_MIN = 2 ** 31;
/** Slurm: the job has started or ended, so there is nothing to hold. */
const TOO_LATE = ["2021", "2073", "2084"];
/** Replacement for bytes that are not UTF-8. */
const NO_UTF8 = "\uFFFD";
/** More than any array that Slurm accepts by default. */
const TASKS_MAX = 10_000;
/** A held job also may not start for this long, so that it does not start if someone removes the hold. */
const LOCK_MS = 365 * DAY_MS;

interface SlurmQueueOptions {
	calls: Pick<SlurmCalls, "job" | "release" | "update" | "cancel">;
	/** The command and its first arguments. */
	scontrol: readonly string[];
	timeoutMs: number;
	clock: Clock;
	dependantsOf(id: number): SlurmJob[];
	/** All users' jobs as of the last reading; the same array while nothing new was read. */
	all(): readonly SlurmJob[];
}

/**
 * Jobs of others on a Slurm cluster. A hold is an administrator's, so that only an operator can remove it without our knowledge.
 * The job's begin time is also set a year ahead, so that even then it does not start before we release it: only one of the two
 * copies runs. The mark is at the end of the job's comment. A job that ran elsewhere is cancelled with the outcome in its
 * comment, because its script cannot be replaced; before that, its dependants are updated.
 */
export class SlurmQueue implements ForeignQueue {
	readonly #options: SlurmQueueOptions;
	#lateIn: readonly SlurmJob[] | null = null;
	/** What was tried for each of them, once. */
	readonly #lateTold = new Set<string>();

	constructor(options: SlurmQueueOptions) {
		this.#options = options;
	}

	async look(id: string): Promise<ForeignSight> {
		return sightOfForeign(await this.#job(id));
	}

	async readScript(id: string): Promise<ForeignScript> {
		const job = await this.#job(id);
		if (job === null) throw new DriverError("not_found", `Slurm: there is no job ${id}`);
		const text = await this.#scontrol("write", "batch_script", id, "-");
		const { file, line } = calledAs(job, await this.#options.calls.release());
		const obstacles = obstaclesOf(job, job.array ? this.#options.dependantsOf(job.array.id) : []);
		const unclear = whyUnclear(line, job.comment, text);
		if (unclear !== null) obstacles.push(unclear);
		if (text.includes(NO_UTF8)) obstacles.push("Its script is not UTF-8. Convert it to UTF-8.");
		const { checkpoints } = ownersWords(job.comment);
		if (checkpoints !== null && (await hasCheckpoint(job, checkpoints.path)))
			obstacles.push(`Its checkpoint folder ${checkpoints.path} already contains files, which a run elsewhere would not have.`);
		return {
			kind: "sbatch",
			text,
			called: { name: file, args: line ? line.split(" ") : [] },
			obstacles,
			...(checkpoints === null ? {} : { checkpoints }),
		};
	}

	async split(id: string, count: number): Promise<void> {
		const job = await this.#job(id);
		const tasks = job?.array ? arrayIndices(job.array.task, TASKS_MAX) : null;
		if (job === null || tasks === null || tasks === "too_many" || job.state !== "PENDING") return;
		// One task stays: the last one keeps the array's own number, which in Slurm means the whole array.
		for (const task of tasks.indices.slice(1).slice(-count)) {
			// Any update of a task, even without effect, makes Slurm split it into a separate job.
			await this.#scontrol("update", `JobId=${job.array?.id}_${task}`, `Comment=${job.comment}`);
		}
	}

	async hold(id: string, mark: string): Promise<ForeignSight> {
		const job = await this.#job(id);
		const before = sightOfForeign(job);
		if (job === null || before.state !== "waiting") return before;
		try {
			const comment = withMark(job.comment, mark, job.priority ?? 0);
			await this.#options.calls.update(job.id, { hold: true, comment, notBeforeMs: this.#options.clock.nowMs() + LOCK_MS });
		} catch (error) {
			if (!(error instanceof DriverError) || (error.kind !== "not_found" && !TOO_LATE.includes(error.providerCode ?? ""))) throw error;
		}
		const after = await this.#job(id);
		// It started in between. Slurm applies a hold on a running job to its next run, which is not wanted.
		if (after !== null && sightOfForeign(after).state === "running" && markOf(after.comment)?.mark === mark) {
			await this.#options.calls.update(after.id, { hold: false, comment: withoutMark(after.comment) });
		}
		return sightOfForeign(after);
	}

	async release(id: string, mark: string): Promise<ForeignSight> {
		const job = await this.#job(id);
		const held = job && markOf(job.comment);
		if (job === null || isOver(job.state) || held?.mark !== mark) return sightOfForeign(job);
		const isHeld = sightOfForeign(job).state === "held";
		// It may start only from the last of these calls on. Each of them can be repeated.
		const letGo = { comment: held.comment, ...(job.state === "PENDING" ? { notBeforeMs: job.submittedAtMs ?? 1_000 } : {}) };
		if (held.priority >= BASIC_PRIORITY_MIN && job.state === "PENDING") {
			if (isHeld) await this.#options.calls.update(job.id, { hold: false });
			// With priority/basic a hold costs a job its place in the queue, which is restored here.
			if (isHeld || (job.priority ?? 0) < held.priority) {
				await this.#scontrol("update", `JobId=${id}`, `Priority=${held.priority}`).catch(ignoreUnlessUnknown);
			}
			await this.#options.calls.update(job.id, letGo).catch(ignoreTooLate);
		} else await this.#options.calls.update(job.id, { ...letGo, ...(isHeld ? { hold: false } : {}) }).catch(ignoreTooLate);
		return this.look(id);
	}

	async finish(id: string, outcome: ForeignOutcome): Promise<ForeignSight> {
		const job = await this.#job(id);
		if (job === null || isOver(job.state)) return sightOfForeign(job);
		if (outcome.outcome === "succeeded") await this.#tellDependants(job.id);
		const mark = `[${outcome.comment}]`;
		const comment = `${withoutMark(job.comment)} ${mark}`.trim();
		// slurmdbd lists a job only from its earliest begin time. With the hold's, a year ahead, no listing would contain it.
		const listed = job.state === "PENDING" ? { hold: true, notBeforeMs: job.submittedAtMs ?? 1_000 } : {};
		if (!job.comment.endsWith(mark)) await this.#options.calls.update(job.id, { comment, ...listed }).catch(ignoreTooLate);
		if (job.array) await this.#cancelTask(job.array);
		else await this.#options.calls.cancel(job.id);
		return this.look(id);
	}

	/**
	 * Releases jobs that were submitted to wait for the success of a job that had already run in the cloud, which Slurm counts as
	 * cancelled. Call after each reading; does nothing while nothing new was read.
	 */
	async updateLateDependants(): Promise<void> {
		const jobs = this.#options.all();
		if (jobs === this.#lateIn) return;
		if (!jobs.some(succeededElsewhere)) this.#lateTold.clear();
		else await this.#tellLate(jobs);
		this.#lateIn = jobs;
	}

	async #tellLate(jobs: readonly SlurmJob[]): Promise<void> {
		for (const { id, state, dependency: seen } of jobs) {
			if (state !== "PENDING" || seen === "" || this.#lateTold.has(`${id} ${seen}`)) continue;
			if (afterSuccessesElsewhere(seen, jobs) === null) continue;
			const now = await this.#options.calls.job(id);
			const dependency = now?.state === "PENDING" ? afterSuccessesElsewhere(now.dependency, jobs) : null;
			// A rejected update is not repeated, and does not make the site unhealthy.
			if (dependency !== null) await this.#options.calls.update(id, { dependency }).catch(ignoreUnlessUnknown);
			this.#lateTold.add(`${id} ${seen}`);
		}
	}

	bringCheckpoint = async (id: string, from: string): Promise<BroughtHome> => {
		const job = await this.#job(id);
		const { checkpoints } = ownersWords(job?.comment ?? "");
		if (job === null || checkpoints === null) return { files: [], problem: "the cluster no longer reports its checkpoint folder" };
		return unpackCheckpoint(job, { from, into: checkpoints.path });
	};

	writeOutput = async (id: string, lines: AsyncIterable<OutputLine>): Promise<BroughtHome> => {
		const job = await this.#job(id);
		if (job === null) return { files: [], problem: "the cluster no longer lists the job, so its output path is unknown" };
		return writeOutputFiles(job, lines);
	};

	/** Uses the array's number and the task's: Slurm ends a single task only by that name, and only its own program accepts it. */
	async #cancelTask({ id, task }: { id: number; task: string }): Promise<void> {
		const { scontrol: command, timeoutMs } = this.#options;
		const scancel = command.with(-1, (command.at(-1) ?? "").replace(/scontrol$/, "scancel"));
		await scontrol(scancel, [`${id}_${task}`], timeoutMs);
	}

	/**
	 * Slurm would count the cancelled job as failed: jobs that wait for its success are released, and jobs that wait for its failure
	 * are held.
	 */
	async #tellDependants(id: number): Promise<void> {
		for (const { id: dependant } of this.#options.dependantsOf(id)) {
			const now = await this.#options.calls.job(dependant);
			if (now === null || now.state !== "PENDING") continue;
			const dependency = afterSuccessOf(id, now.dependency);
			if (dependency !== null) await this.#options.calls.update(dependant, { dependency }).catch(ignoreTooLate);
			else if (dependsOnFailureOf(id, now.dependency) && now.priority !== 0) {
				const why = `[never runs: job ${id} succeeded, in the cloud]`;
				await this.#options.calls.update(dependant, { hold: true, comment: `${now.comment} ${why}`.trim() }).catch(ignoreTooLate);
			}
		}
	}

	async #job(id: string): Promise<SlurmJob | null> {
		return /^\d{1,9}$/.test(id) ? this.#options.calls.job(Number(id)) : null;
	}

	#scontrol(...args: string[]): Promise<string> {
		return scontrol(this.#options.scontrol, args, this.#options.timeoutMs);
	}
}

function obstaclesOf(job: SlurmJob, arrayDependants: readonly SlurmJob[]): string[] {
	const found = [...ownersWords(job.comment).problems];
	if (job.array && job.array.id === job.id)
		found.push(`It has the id of its array (${job.array.task}), so Slurm applies any change to all tasks.`);
	if (arrayDependants.length > 0)
		found.push(
			`Job ${arrayDependants.map((d) => d.id).join(", ")} depends on the whole array and would never start if a task ran elsewhere.`,
		);
	if (job.hetJobId !== null) found.push("It is part of a heterogeneous job; all parts start at the same time.");
	return found;
}

/** Why its arguments cannot be passed on, for its owner; null: they can. */
function whyUnclear(line: string | null, comment: string, script: string): string | null {
	const { argsAreWords, hasNoArgs } = ownersWords(comment);
	if (line === null)
		return hasNoArgs || !canReadArguments(script)
			? null
			: "Its script may have arguments, which Slurm 23.02 to 25.11 does not report. If it has none, submit it with --comment=spillway:noargs; otherwise write them into the script.";
	if (line === "" || (argsAreWords && !/^ | {2}| $/.test(line))) return null;
	return "Its script has arguments, which the cluster reports only as one line. If none of them is empty or contains a space, submit it with --comment=spillway:args; otherwise write them into the script.";
}

/** It has started or ended meanwhile, which the next reading shows. */
function ignoreTooLate(error: unknown): void {
	if (!(error instanceof DriverError) || (error.kind !== "not_found" && !TOO_LATE.includes(error.providerCode ?? ""))) throw error;
}

/** Best effort: a failure, such as to restore a place in the queue, is no reason to keep a job held. */
function ignoreUnlessUnknown(error: unknown): void {
	if (error instanceof DriverError && error.kind === "transient") throw error;
}
