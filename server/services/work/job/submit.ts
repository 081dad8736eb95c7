import type { Db } from "#server/db/client.ts";
import { team } from "#server/db/schema/account.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import type { ImportInput } from "../import/import-job.ts";
import { recordImport } from "../import/record-import.ts";
import { requireSecrets } from "../secret/require.ts";
import { insertJobs } from "./insert.ts";
import { withTokenLimit } from "./token-limit.ts";

/**
 * Writes jobs as `queued`, all or none, and wakes the control loop.
 * @param script the source of the jobs; the parts that were carried over are stored with them.
 * @returns their ids, in order.
 * @throws SpillwayError `forbidden` for another team than the actor's; `invalid_input` for a team that does not exist.
 */
export async function submitJobs(ctx: ServiceContext, specs: readonly JobSpec[], script?: ImportInput): Promise<string[]> {
	await checkSubmission(ctx, specs);
	const imported = script ? await recordImport(ctx, script, specs) : null;
	const common = { actor: ctx.actor, requestId: ctx.requestId, source: ctx.source ?? null, trace: ctx.trace ?? null, imported };
	return insertJobs(
		ctx.db,
		specs.map((spec) => ({ spec: withTokenLimit(ctx.actor, spec), ...common })),
		ctx.clock.nowMs(),
	);
}

/** Rejects callers without permission to submit for the team, unknown teams and missing secrets before anything is written. */
export async function checkSubmission(ctx: ServiceContext, specs: readonly Pick<JobSpec, "team" | "secrets">[]): Promise<void> {
	for (const spec of specs) authorize(ctx, "job:submit", spec.team);
	await assertTeamsExist(ctx.db, new Set(specs.map((s) => s.team)));
	await requireSecrets(ctx.db, specs);
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
