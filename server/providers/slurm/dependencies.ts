import { arrayIndices } from "#server/domain/imports/sbatch/times.ts";
import { succeededElsewhere } from "./hold-mark.ts";
import { isOver, type SlurmJob } from "./mapper.ts";

/** More than any array that Slurm accepts by default. */
const TASKS_MAX = 10_000;

/**
 * Returns the dependencies of a job, in Slurm's format (`afterok:12(unfulfilled),afterany:13_4(unfulfilled)`; `?` between two:
 * either is enough), after job `id` has succeeded elsewhere, to be written back. Fulfilled terms are removed; a list in which one
 * is enough is removed completely. null: nothing changes.
 */
export function afterSuccessOf(id: number, dependency: string): string | null {
	const either = dependency.includes("?");
	const terms = dependency.split(/[,?]/).map((term) => term.replace(/\([^)]*\)$/, ""));
	const isFulfilled = (term: string) => new RegExp(`^afterok:${id}(\\+\\d+)?$`).test(term);
	if (!terms.some(isFulfilled)) return null;
	return either ? "" : terms.filter((term) => !isFulfilled(term)).join(",");
}

/** Whether it waits for this job to fail. After the job's success elsewhere, that will never happen. */
export function dependsOnFailureOf(id: number, dependency: string): boolean {
	return new RegExp(`(^|[,?])afternotok:${id}(?!\\d)`).test(dependency);
}

/**
 * Returns the dependencies of a job with every job that succeeded in the cloud counted as fulfilled, to be written back. For jobs
 * that started to wait after such a job was cancelled on the cluster. For a whole array (`afterok:12_*`) its unfinished tasks
 * remain, unless one failed. null: nothing changes.
 */
export function afterSuccessesElsewhere(dependency: string, jobs: Iterable<SlurmJob>): string | null {
	const asked = new Set([...dependency.matchAll(/afterok:(\d+)/g)].map(([, id]) => Number(id)));
	const known = [...jobs].filter((job) => asked.has(job.array?.id ?? job.id));
	if (!known.some(succeededElsewhere)) return null;
	const either = dependency.includes("?");
	const terms = dependency.split(/[,?]/).map((term) => term.replace(/\([^)]*\)$/, ""));
	const now = terms.map((term) => termAfter(term, known));
	if (either && now.includes("")) return "";
	if (now.every((term, i) => term === terms[i])) return null;
	return now.filter((term) => term !== "").join(either ? "?" : ",");
}

/** "": fulfilled. */
function termAfter(term: string, known: readonly SlurmJob[]): string {
	const [, id, task] = /^afterok:(\d+)(?:_(\d+|\*))?$/.exec(term) ?? [];
	if (id === undefined) return term;
	const tasks = known.filter((job) => (task === undefined ? job.id : job.array?.id) === Number(id));
	if (task !== "*") return tasks.some((job) => (task === undefined || job.array?.task === task) && succeededElsewhere(job)) ? "" : term;
	if (!tasks.some(succeededElsewhere) || tasks.some((job) => isOver(job.state) && job.state !== "COMPLETED" && !succeededElsewhere(job)))
		return term;
	const open = tasks.filter((job) => !isOver(job.state)).map((job) => arrayIndices(job.array?.task ?? "", TASKS_MAX));
	if (open.some((indices) => indices === null || indices === "too_many")) return term;
	const left = open.flatMap((indices) => (indices === null || indices === "too_many" ? [] : indices.indices));
	return left.length === 0 ? "" : `afterok:${left.map((index) => `${id}_${index}`).join(":")}`;
}
