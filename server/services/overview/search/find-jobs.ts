import { and, desc, eq, inArray, or, type SQL, sql } from "drizzle-orm";
import { job } from "#server/db/schema/job.ts";
import { pipeline } from "#server/db/schema/pipeline.ts";
import { trigger } from "#server/db/schema/trigger.ts";
import type { FoundEntity } from "#server/domain/search.ts";
import { plural } from "#server/domain/sentence-facts.ts";
import { isFinal, JOB_TRANSITIONS, LIVE_JOB_STATES } from "#server/domain/states.ts";
import { allows, teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { listApprovals } from "#server/services/work/approval/list.ts";
import { beginsWith, containsWords, pickMatches, type SearchFor } from "./match.ts";

/** Jobs by name or id: those that begin with the query and the newest others. */
export async function findJobs(ctx: ServiceContext, search: SearchFor): Promise<FoundEntity[]> {
	const { words, live, limit } = search;
	const byId = words[0]?.startsWith("job_");
	const text = byId ? job.id : job.name;
	const mine = inScope(ctx, job.team);
	const state = live ? inArray(job.state, [...LIVE_JOB_STATES]) : undefined;
	const columns = { id: job.id, name: job.name, team: job.team, state: job.state, cancelRequestedAt: job.cancelRequestedAt };
	const newest = (condition: SQL | undefined) =>
		ctx.db
			.select(columns)
			.from(job)
			.where(and(mine, state, condition))
			.orderBy(desc(job.submittedAt), desc(job.id))
			.limit(limit);
	const [first, others] = await Promise.all([
		words.length > 0 ? newest(beginsWith(text, words)) : [],
		byId ? [] : newest(containsWords(text, words)),
	]);
	const rows = new Map([...first, ...others].map((row) => [row.id, row]));
	return [...rows.values()].slice(0, limit).map(({ id, name, team, state: now, cancelRequestedAt }) => {
		const ended = isFinal(JOB_TRANSITIONS, now);
		return {
			...{ kind: "job", id, name, detail: `${now}, ${team}`, href: `/jobs/${id}`, live: !ended },
			actions: !ended && cancelRequestedAt === null && allows(ctx, "job:cancel", team) ? ["cancel"] : [],
		};
	});
}

/** At most so many open approvals are read to match their jobs' names. */
const OPEN_APPROVALS_READ = 200;

/** Open approvals by the job's name, team or rule. */
export async function findApprovals(ctx: ServiceContext, search: SearchFor): Promise<FoundEntity[]> {
	const { items } = await listApprovals(ctx, { state: "open", limit: OPEN_APPROVALS_READ });
	return pickMatches(items, (a) => `${a.job.name} ${a.job.team} ${a.ruleId} ${a.id}`, search).map((a) => ({
		...{ kind: "approval", id: a.id, name: a.job.name, href: `/approvals?approval=${a.id}`, live: true },
		detail: `${a.job.team}, ${plural(a.job.gpus, "GPU")}, asks ${a.role}`,
		actions: a.mayAnswer ? ["approve"] : [],
	}));
}

/** Pipelines and sweeps, newest first. */
export async function findPipelines(ctx: ServiceContext, { words, live, limit }: SearchFor): Promise<FoundEntity[]> {
	const rows = await ctx.db
		.select({ id: pipeline.id, name: pipeline.name, kind: pipeline.kind, team: pipeline.team, state: pipeline.state })
		.from(pipeline)
		.where(
			and(
				inScope(ctx, pipeline.team),
				live ? eq(pipeline.state, "running") : undefined,
				or(containsWords(pipeline.name, words), words.length === 1 ? eq(pipeline.id, words[0] ?? "") : undefined),
			),
		)
		.orderBy(desc(pipeline.submittedAt), desc(pipeline.id))
		.limit(limit);
	return rows.map(({ id, name, kind, team, state }) => ({
		...{ kind: "pipeline", id, name, detail: `${kind.toLowerCase()}, ${state}, ${team}`, live: state === "running", actions: [] },
		href: `/${kind === "Sweep" ? "sweeps" : "pipelines"}/${id}`,
	}));
}

export async function findTriggers(ctx: ServiceContext, { words, limit }: SearchFor): Promise<FoundEntity[]> {
	const rows = await ctx.db
		.select({ id: trigger.id, name: trigger.name, team: trigger.team })
		.from(trigger)
		.where(and(inScope(ctx, trigger.team), containsWords(trigger.name, words)))
		.orderBy(trigger.name)
		.limit(limit);
	return rows.map(({ id, name, team }) => ({ kind: "trigger", id, name, detail: team, href: "/triggers", live: true, actions: [] }));
}

function inScope(ctx: ServiceContext, team: typeof job.team | typeof pipeline.team | typeof trigger.team): SQL | undefined {
	const scope = teamScope(ctx, "job:read");
	return scope === null ? undefined : scope.length === 0 ? sql`false` : inArray(team, [...scope]);
}
