import { type SQL, sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { evaluateExpression } from "#server/policy/expression.ts";
import { JobFacts } from "#server/policy/job-facts.ts";

/** Dimensions by which sums are stored, out of all those that a scope may use. */
interface Group {
	team: string;
	project: string;
	class: string;
}

/** Which jobs a budget counts: whole groups where team, project and class decide, otherwise single jobs. */
export interface JobsInScope {
	/** Teams with all groups in scope; null when this covers every team. */
	teams: readonly string[] | null;
	/** Groups in scope from teams that are only partly in scope. */
	groups: readonly Group[];
	/** Jobs in scope from groups where the scope depends on the single job. */
	jobIds: readonly string[];
}

/** Number of jobs evaluated per batch. */
const JOBS = 2_000;

/**
 * Jobs in scope that have cloud charges since the month of `fromMs`, or a live machine. Cost: the scope is evaluated once per group; only
 * where it depends on more than team, project and class is it evaluated for each job of those groups.
 */
export async function findJobsInScope(tx: Tx, scope: string, monthMs: number): Promise<JobsInScope> {
	if (scope.trim() === "true") return { teams: null, groups: [], jobIds: [] };
	const teams: string[] = [];
	const groups: Group[] = [];
	const open: Group[] = [];
	for (const [team, own] of Map.groupBy(await readGroups(tx, monthMs), (g) => g.team)) {
		const judged = own.map((group) => ({ group, holds: holdsFor(scope, group) }));
		if (judged.every(({ holds }) => holds === true)) {
			teams.push(team);
			continue;
		}
		groups.push(...judged.flatMap(({ group, holds }) => (holds === true ? [group] : [])));
		open.push(...judged.flatMap(({ group, holds }) => (holds === null ? [group] : [])));
	}
	return { teams, groups, jobIds: open.length === 0 ? [] : await judgeJobs(tx, scope, open, monthMs) };
}

/** Groups with charges for cloud machines since then, or with a live one. */
async function readGroups(tx: Tx, monthMs: number): Promise<Group[]> {
	return tx.execute<Group & Record<string, unknown>>(sql`
		select team, project, class from rollup
		where granularity = 'month' and bucket_start >= ${new Date(monthMs).toISOString()}::timestamptz and capacity_type <> 'owned' and team <> ''
		union
		select job.team, job.project, job.class::text from hold join instance on instance.id = hold.instance_id and not hold.warm join job on job.id = instance.job_id
		where hold.state = 'pending'`);
}

/** Whether every job of the group or none is in scope; null when that depends on the job. */
function holdsFor(scope: string, group: Group): boolean | null {
	const facts = new JobFacts({ ...NO_JOB, team: group.team, project: group.project, class: group.class as JobSpec["class"] });
	for (const field of Object.keys(facts)) {
		if (field === "team" || field === "project" || field === "class") continue;
		// An expression that does not use it has the same result for every job of the group.
		Object.defineProperty(facts, field, {
			enumerable: true,
			get: () => {
				throw new Error(`job.${field} is not the same in a whole group`);
			},
		});
	}
	return evaluateExpression(scope, { job: facts }).holds;
}

const NO_JOB: JobSpec = {
	...{ name: "", team: "", project: "", labels: {}, class: "burst", image: null, command: [], env: {}, nodes: 1 },
	resources: { gpus: 0, accelerators: [], cpus: null, memoryGiB: null },
	duration: { estimateMs: null, maxMs: null },
	...{ deadlineMs: null, priority: 0, critical: false, checkpoint: null, data: [] },
};

/** Reads page by page in the order of the months' index, so that only jobs of these months are read. */
async function judgeJobs(tx: Tx, scope: string, open: readonly Group[], monthMs: number): Promise<string[]> {
	const judged = new Map<string, boolean>();
	const judge = (rows: readonly { id: string; spec: JobSpec }[]) => {
		for (const { id, spec } of rows) {
			// A job counts in a scope that cannot be evaluated for it, as at placement (judge-job.ts).
			if (!judged.has(id)) judged.set(id, evaluateExpression(scope, { job: new JobFacts(spec) }).holds !== false);
		}
	};
	for (let after = { month: new Date(monthMs).toISOString(), id: "" }; ; ) {
		const rows = await tx.execute<{ month: string; id: string; spec: JobSpec }>(sql`
			select job_month.month_start::text as month, job.id, job.spec from job_month join job on job.id = job_month.job_id
			where (job_month.month_start, job_month.job_id) > (${after.month}::timestamptz, ${after.id}) and ${USED_MACHINES} and ${inGroups(open)}
			order by job_month.month_start, job_month.job_id limit ${JOBS}`);
		judge(rows);
		const last = rows.at(-1);
		if (!last || rows.length < JOBS) break;
		after = last;
	}
	judge(
		await tx.execute<{ id: string; spec: JobSpec }>(sql`
			select job.id, job.spec from hold join instance on instance.id = hold.instance_id and not hold.warm join job on job.id = instance.job_id
			where hold.state = 'pending' and ${inGroups(open)}`),
	);
	return [...judged].flatMap(([id, holds]) => (holds ? [id] : []));
}

/** Condition on a row of `job_month`: the job was charged for cloud machines, even if the amount is zero, as for prepaid machines. */
export const USED_MACHINES = sql.raw(
	"(job_month.cloud_micro_usd <> 0 or exists (select 1 from instance where instance.job_id = job_month.job_id and instance.metered_until is not null))",
);

/** Condition on a row of `job`: it is in scope. */
export function jobIsIn({ teams, groups, jobIds }: JobsInScope): SQL {
	if (teams === null) return sql`true`;
	const of: SQL[] = [sql`job.team in (${textsOf(teams)})`];
	if (groups.length > 0) of.push(inGroups(groups));
	if (jobIds.length > 0) of.push(sql`job.id in (${textsOf(jobIds)})`);
	return sql`(${sql.join(of, sql` or `)})`;
}

function inGroups(groups: readonly Group[]): SQL {
	return sql`(job.team, job.project, job.class::text) in (select team, project, class from ${rowsOf(groups)})`;
}

export function rowsOf(groups: readonly Group[]): SQL {
	return sql`jsonb_to_recordset(${JSON.stringify(groups)}::jsonb) as g(team text, project text, class text)`;
}

export function textsOf(values: readonly string[]): SQL {
	return sql`select jsonb_array_elements_text(${JSON.stringify(values)}::jsonb)`;
}
