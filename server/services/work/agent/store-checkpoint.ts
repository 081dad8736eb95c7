import { and, asc, desc, eq, isNull, sql } from "drizzle-orm";
import type { NewCheckpointAnswer, Restorable, ShardFile } from "#server/agent/protocol.ts";
import { notify } from "#server/db/notify.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { checkpoint } from "#server/db/schema/checkpoint.ts";
import { checkpointPart } from "#server/db/schema/checkpoint-part.ts";
import { instance } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { newId } from "#server/kernel/ids.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { openStore, type StoreBox } from "#server/services/capacity/store/box.ts";
import { type StoreRow, storeById } from "#server/services/capacity/store/find.ts";
import { checkpointsFolder } from "../checkpoint/place.ts";
import { recordCheckpoint } from "../checkpoint/store.ts";
import { type AgentIdentity, requireLiveAttempt } from "./authenticate.ts";
import type { AgentContext } from "./context.ts";

type StoresContext = AgentContext & { stores: StoreBox };

/**
 * Creates a checkpoint in a team's store, and issues credentials for this attempt's folder. All ranks that save one step get the same name.
 * @throws SpillwayError `conflict` when the attempt is over
 */
export async function newStoreCheckpoint(
	ctx: StoresContext,
	agent: AgentIdentity,
	row: StoreRow,
	step: number | null,
): Promise<NewCheckpointAnswer> {
	const id = await ctx.db.transaction(async (tx) => {
		// Ranks call concurrently: the first one names the checkpoint.
		await tx.select({ id: attempt.id }).from(attempt).where(eq(attempt.id, agent.attemptId)).for("update");
		const [begun] =
			step === null
				? []
				: await tx
						.select({ id: checkpointPart.checkpointId })
						.from(checkpointPart)
						.where(and(eq(checkpointPart.attemptId, agent.attemptId), eq(checkpointPart.step, step)))
						.limit(1);
		const named = begun?.id ?? newId("ckp", ctx.clock.nowMs());
		await tx
			.insert(checkpointPart)
			.values({
				...{ checkpointId: named, rank: agent.rank, jobId: agent.jobId, attemptId: agent.attemptId, storeId: row.id, step },
				createdAt: new Date(ctx.clock.nowMs()),
			})
			.onConflictDoNothing();
		return named;
	});
	const { options, path } = await ctx.stores.port.grant(openStore(ctx.stores, row), {
		...{ folder: `${checkpointsFolder(agent.jobId)}/${agent.attemptId}`, mode: "write", session: sessionOf(agent) },
		lifetimeMs: lifetimeOf(ctx, agent),
	});
	const folder = `${agent.attemptId}/${id}/${agent.rank}`;
	return { id, store: { access: { options, path: `${path}/${id}/${agent.rank}` }, folder } };
}

/**
 * Records what one rank uploaded, after comparing it with what the store lists. The last rank's commit completes the checkpoint. Committing
 * again changes nothing. @throws SpillwayError `precondition_failed` naming the files missing in the store
 */
export async function commitShards(
	ctx: StoresContext,
	agent: AgentIdentity,
	input: { id: string; shards: readonly ShardFile[] },
): Promise<{ complete: boolean }> {
	requireLiveAttempt(agent);
	const mine = and(
		eq(checkpointPart.checkpointId, input.id),
		eq(checkpointPart.rank, agent.rank),
		eq(checkpointPart.attemptId, agent.attemptId),
	);
	const [part] = await ctx.db.select().from(checkpointPart).where(mine);
	if (!part)
		throw new SpillwayError("not_found", `Checkpoint ${input.id} has no upload in progress.`, {
			fix: "Start one with POST /agent/v1/checkpoints.",
		});
	if (part.committedAt === null) await assertStored(ctx, agent, part.storeId, input);
	const nowMs = ctx.clock.nowMs();
	const bytes = input.shards.reduce((sum, file) => sum + file.bytes, 0);
	await ctx.db
		.update(checkpointPart)
		.set({ committedAt: new Date(nowMs), bytes: BigInt(bytes), files: [...input.shards] })
		.where(and(mine, isNull(checkpointPart.committedAt)));
	const parts = await ctx.db.select().from(checkpointPart).where(eq(checkpointPart.checkpointId, input.id));
	const ranks = await savingRanks(ctx, agent);
	const committed = parts.filter((p) => p.committedAt !== null);
	if (committed.length < ranks) return { complete: false };
	await recordCheckpoint(ctx.db, {
		...{ id: input.id, jobId: agent.jobId, attemptId: agent.attemptId, atMs: nowMs, ranks, step: part.step, storeId: part.storeId },
		files: committed.reduce((sum, p) => sum + (p.files?.length ?? 0), 0),
		bytes: committed.reduce((sum, p) => sum + Number(p.bytes ?? 0), 0),
		check: async (tx) => {
			const [row] = await tx.select({ fencedAt: instance.fencedAt }).from(instance).where(eq(instance.id, agent.instanceId)).for("share");
			requireLiveAttempt({ ...agent, isFenced: row?.fencedAt != null });
		},
	});
	return { complete: true };
}

async function savingRanks(ctx: AgentContext, agent: AgentIdentity): Promise<number> {
	const [row] = await ctx.db.select({ spec: job.spec }).from(job).where(eq(job.id, agent.jobId));
	return row?.spec.checkpoint?.ranks === "all" ? agent.nodes : 1;
}

/** Names and sizes of files uploaded now; earlier files were compared at their upload. */
async function assertStored(
	ctx: StoresContext,
	agent: AgentIdentity,
	storeId: string,
	input: { id: string; shards: readonly ShardFile[] },
): Promise<void> {
	const folder = `${agent.attemptId}/${input.id}/${agent.rank}`;
	const fresh = input.shards.filter((file) => file.from === folder);
	const opened = openStore(ctx.stores, await storeById(ctx.db, storeId));
	const stored = await ctx.stores.port.list(opened, `${checkpointsFolder(agent.jobId)}/${folder}`);
	const missing = fresh.filter((file) => stored.get(file.path) !== file.bytes).map(({ path }) => path);
	const known = new Set(await earlierFolders(ctx, agent.jobId));
	const unknown = input.shards.filter((file) => file.from !== folder && !known.has(file.from)).map(({ path }) => path);
	if (missing.length + unknown.length === 0) return;
	throw new SpillwayError(
		"precondition_failed",
		`The store does not have ${[...missing, ...unknown].slice(0, 3).join(", ")} of the checkpoint.`,
		{
			fix: "Upload the missing files, then commit.",
		},
	);
}

/** Folders of committed parts: an unchanged file may refer to them. */
async function earlierFolders(ctx: AgentContext, jobId: string): Promise<string[]> {
	const parts = await ctx.db
		.select({ id: checkpointPart.checkpointId, rank: checkpointPart.rank, attemptId: checkpointPart.attemptId })
		.from(checkpointPart)
		.where(and(eq(checkpointPart.jobId, jobId), sql`${checkpointPart.committedAt} is not null`));
	return parts.map(({ id, rank, attemptId }) => `${attemptId}/${id}/${rank}`);
}

/** A checkpoint in a store for a machine to restore, with credentials to read the job's folder. */
export async function restorableFromStore(
	ctx: StoresContext,
	agent: Pick<AgentIdentity, "jobId" | "attemptId" | "attemptNo" | "rank" | "expiresAtMs">,
	row: { id: string; storeId: string; step: number | null },
): Promise<Restorable> {
	const parts = await ctx.db
		.select({ rank: checkpointPart.rank, files: checkpointPart.files })
		.from(checkpointPart)
		.where(eq(checkpointPart.checkpointId, row.id))
		.orderBy(asc(checkpointPart.rank));
	const opened = openStore(ctx.stores, await storeById(ctx.db, row.storeId));
	const { options, path } = await ctx.stores.port.grant(opened, {
		...{ folder: checkpointsFolder(agent.jobId), mode: "read", session: sessionOf(agent), lifetimeMs: lifetimeOf(ctx, agent) },
	});
	return {
		id: row.id,
		files: [],
		step: row.step,
		store: { access: { options, path }, parts: parts.map(({ rank, files }) => ({ rank, files: files ?? [] })) },
	};
}

/**
 * Marks a checkpoint that could not be fully restored: no machine resumes from it any more, and a gang's ranks restore the previous one.
 * @throws SpillwayError `not_found` for a checkpoint of another job
 */
export async function markBroken(ctx: AgentContext, agent: AgentIdentity, input: { id: string; problem: string }): Promise<void> {
	requireLiveAttempt(agent);
	await ctx.db.transaction(async (tx) => {
		// Lock the instance before the job, as everywhere.
		await tx.update(instance).set({ stagedAt: null }).where(eq(instance.attemptId, agent.attemptId));
		const rows = await tx
			.update(checkpoint)
			.set({ problem: input.problem })
			.where(and(eq(checkpoint.id, input.id), eq(checkpoint.jobId, agent.jobId)))
			.returning({ id: checkpoint.id });
		if (rows.length === 0)
			throw new SpillwayError("not_found", `The job has no checkpoint ${input.id}.`, { fix: "Restore one that the job has." });
		const [newest] = await tx
			.select({ completedMs: checkpoint.completedMs })
			.from(checkpoint)
			.where(and(eq(checkpoint.jobId, agent.jobId), isNull(checkpoint.problem), isNull(checkpoint.prunedAt)))
			.orderBy(desc(checkpoint.createdAt), desc(checkpoint.id))
			.limit(1);
		await tx
			.update(job)
			.set({ completedMs: newest?.completedMs ?? 0n })
			.where(eq(job.id, agent.jobId));
		await notify(tx, { changes: [{ topic: "job", id: agent.jobId, team: null }] });
	});
}

/** Letters, digits and `_`, at most 32: the shortest limit of the token services. */
export function sessionOf({ attemptId, rank }: Pick<AgentIdentity, "attemptId" | "rank">): string {
	return `${attemptId.slice(4, 34)}_${rank}`.slice(0, 32).replaceAll(/[^A-Za-z0-9_]/g, "_");
}

/** At most until the machine ends, but at least an hour, so that a final upload is never cut off. */
export function lifetimeOf(ctx: Pick<AgentContext, "clock">, agent: Pick<AgentIdentity, "expiresAtMs">): number {
	return Math.max(HOUR_MS, agent.expiresAtMs - ctx.clock.nowMs());
}
