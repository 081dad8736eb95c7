import type { Db, Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { team } from "#server/db/schema/account.ts";
import { audit } from "#server/db/schema/audit.ts";
import { event } from "#server/db/schema/event.ts";
import { job } from "#server/db/schema/job.ts";
import { gpusOf, type JobSpec } from "#server/domain/job.ts";
import { reason } from "#server/domain/reasons.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { newId } from "#server/kernel/ids.ts";
import { authorize } from "../authorize.ts";
import { type Actor, actorName, type ServiceContext } from "../context.ts";

/** Jobs taken in one call. */
export const SUBMIT_BATCH_MAX = 1_000;

/**
 * Writes jobs as `queued`, all or none, and wakes the loop.
 * @returns their ids, in order.
 * @throws SpillwayError `forbidden` for a team that is not the actor's; `invalid_input` for a team that does not exist.
 */
export async function submitJobs(ctx: ServiceContext, specs: readonly JobSpec[]): Promise<string[]> {
	await checkSubmission(ctx, specs);
	return ctx.db.transaction((tx) =>
		insertJobs(
			tx,
			specs.map((spec) => ({ spec, actor: ctx.actor, requestId: ctx.requestId })),
			ctx.clock.nowMs(),
		),
	);
}

/** Who may not submit for a team, or a team that is not there, is refused before anything is written. */
export async function checkSubmission(ctx: ServiceContext, specs: readonly JobSpec[]): Promise<void> {
	for (const spec of specs) authorize(ctx, "job:submit", spec.team);
	await assertTeamsExist(ctx.db, new Set(specs.map((s) => s.team)));
}

export interface Submission {
	spec: JobSpec;
	actor: Actor;
	requestId: string | null;
}

/** Writes checked submissions in four statements, however many they are. */
export async function insertJobs(tx: Tx, submissions: readonly Submission[], nowMs: number): Promise<string[]> {
	const at = new Date(nowMs);
	const ids = submissions.map(() => newId("job", nowMs)).sort();
	const rows = submissions.map(({ spec, actor }, i) => ({
		id: ids[i] ?? "",
		name: spec.name,
		team: spec.team,
		project: spec.project ?? "",
		class: spec.class,
		priority: spec.priority,
		gpus: gpusOf(spec),
		spec,
		state: "queued" as const,
		reason: reason("submitted"),
		submittedBy: actorName(actor),
		submittedAt: at,
		pendingSince: at,
		deadlineAt: spec.deadlineMs === null ? null : new Date(spec.deadlineMs),
	}));
	await tx.insert(job).values(rows);
	await tx.insert(event).values(rows.map((r) => ({ at, kind: "job_submitted" as const, jobId: r.id, team: r.team, reason: null })));
	await tx.insert(audit).values(
		rows.map((r, i) => ({
			at,
			actor: r.submittedBy,
			action: "job.submit",
			subject: r.id,
			before: null,
			after: { name: r.name, team: r.team },
			requestId: submissions[i]?.requestId ?? null,
		})),
	);
	// One line for the browsers, however many jobs: they read the list again.
	const [first] = rows;
	await notify(tx, { wake: true, changes: first ? [{ topic: "job", id: rows.length === 1 ? first.id : null, team: null }] : [] });
	return ids;
}

const TEAM_CACHE_MS = 10_000;
const teamCaches = new WeakMap<Db, { names: Set<string>; readAtMs: number }>();

async function assertTeamsExist(db: Db, wanted: ReadonlySet<string>): Promise<void> {
	let cache = teamCaches.get(db);
	const missing = (): string | undefined => [...wanted].find((t) => !cache?.names.has(t));
	if (!cache || performance.now() - cache.readAtMs > TEAM_CACHE_MS || missing() !== undefined) {
		const rows = await db.select({ name: team.name }).from(team);
		cache = { names: new Set(rows.map((r) => r.name)), readAtMs: performance.now() };
		teamCaches.set(db, cache);
	}
	const unknown = missing();
	if (unknown === undefined) return;
	const known = [...cache.names].sort().join(", ");
	throw new SpillwayError("invalid_input", `There is no team "${unknown}".`, {
		fields: [{ path: "metadata.team", message: `there is no team "${unknown}"; teams: ${known}` }],
		fix: `Use one of: ${known}.`,
	});
}
