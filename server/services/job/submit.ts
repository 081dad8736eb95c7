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
import { actorName, type ServiceContext } from "../context.ts";

/** Jobs taken in one call. */
export const SUBMIT_BATCH_MAX = 1_000;

/**
 * Writes jobs as `queued`, all or none, and wakes the loop.
 * @returns their ids, in order.
 * @throws SpillwayError `forbidden` for a team that is not the actor's; `invalid_input` for a team that does not exist.
 */
export async function submitJobs(ctx: ServiceContext, specs: readonly JobSpec[]): Promise<string[]> {
	for (const spec of specs) authorize(ctx, "job:submit", spec.team);
	await assertTeamsExist(ctx.db, new Set(specs.map((s) => s.team)));
	return ctx.db.transaction((tx) => insertJobs(tx, ctx, specs));
}

async function insertJobs(tx: Tx, ctx: ServiceContext, specs: readonly JobSpec[]): Promise<string[]> {
	const nowMs = ctx.clock.nowMs();
	const at = new Date(nowMs);
	const by = actorName(ctx.actor);
	const ids = specs.map(() => newId("job", nowMs)).sort();
	const rows = specs.map((spec, i) => ({
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
		submittedBy: by,
		submittedAt: at,
		pendingSince: at,
		deadlineAt: spec.deadlineMs === null ? null : new Date(spec.deadlineMs),
	}));
	await tx.insert(job).values(rows);
	await tx.insert(event).values(rows.map((r) => ({ at, kind: "job_submitted" as const, jobId: r.id, team: r.team, reason: null })));
	await tx.insert(audit).values(
		rows.map((r) => ({
			at,
			actor: by,
			action: "job.submit",
			subject: r.id,
			before: null,
			after: { name: r.name, team: r.team },
			requestId: ctx.requestId,
		})),
	);
	// One line for the browsers, however many jobs: they read the list again.
	const first = rows[0];
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
