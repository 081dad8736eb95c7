import path from "node:path";
import type { Readable } from "node:stream";
import { and, desc, eq, inArray } from "drizzle-orm";
import { AGENT_LIMITS } from "#server/agent/protocol.ts";
import type { Tx } from "#server/db/client.ts";
import { artifact } from "#server/db/schema/artifact.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { trackingRun } from "#server/db/schema/tracking.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { newId } from "#server/kernel/ids.ts";
import { openStore } from "#server/services/capacity/store/box.ts";
import { defaultStore, type StoreRow } from "#server/services/capacity/store/find.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { deleteFiles } from "../artifact/delete.ts";
import { copyToStore } from "../artifact/move-to-store.ts";
import type { ArtifactFiles } from "../artifact/open-file.ts";
import { artifactFolder, requireQuota, rootOf } from "../artifact/place.ts";
import { recordArtifact } from "../artifact/record.ts";
import { artifactPlace, closePlace, deletePlace, writeWithSum } from "../artifact/store.ts";
import { findRun, type RunRow } from "../metric/tracking.ts";
import { type LiveFile, liveFiles, requirePath, resultName } from "./live-files.ts";

const LIMITS = { files: AGENT_LIMITS.checkpointFiles, bytes: AGENT_LIMITS.checkpointFileBytes };

interface LoggedFile {
	runId: string;
	/** Below the run's artifacts. */
	path: string;
	/** The announced size; null if the client did not send it. */
	bytes: number | null;
	body: Readable;
}

/**
 * Stores one file of a run as a result of its job, in the store of its team. It replaces a file of the same path; the old one is charged up
 * to now.
 * @throws SpillwayError `not_found`; `invalid_input` for the path; `conflict` for a run without a started job, and beyond the quota;
 * `payload_too_large`; `unavailable` if the store cannot be reached
 */
export async function logRunArtifact(ctx: ServiceContext, files: ArtifactFiles, input: LoggedFile): Promise<void> {
	const run = await findRun(ctx, input.runId, "job:submit");
	requirePath(input.path);
	const of = await attemptOf(ctx, run);
	const stored = await liveFiles(ctx.db, run.id);
	const before = stored.find((file) => file.path === input.path);
	requireLimits(stored.length + (before ? 0 : 1), input.bytes ?? 0);
	const id = newId("art", ctx.clock.nowMs());
	await requireQuota(ctx.db, run.team, { id: before?.id ?? id, bytes: input.bytes ?? 0 });
	const to = await defaultStore(ctx.db, run.team);
	const place = artifactPlace(rootOf(files.root, to?.config ?? null), id);
	const remote = to?.config.kind === "folder" ? null : to;
	let replaced: Pick<LiveFile, "id" | "storeId">[] = [];
	try {
		const file = { path: input.path, ...(await writeWithSum(input.body, path.join(place.partial, input.path), LIMITS.bytes)) };
		await closePlace(place);
		if (remote) await upload(files, remote, { id, folder: place.whole, files: [file] });
		const atMs = ctx.clock.nowMs();
		await recordArtifact(ctx.db, {
			...{ id, ...of, team: run.team, runId: run.id, storeId: to?.id ?? null, files: [file], atMs },
			output: { name: resultName(input.path), path: input.path, kind: "file", when: "always", keepMs: null },
			check: async (tx) => {
				replaced = await retire(tx, { runId: run.id, path: input.path, atMs });
			},
		});
	} catch (error) {
		await deletePlace(place);
		if (remote && files.stores) await files.stores.port.remove(openStore(files.stores, remote), artifactFolder(id)).catch(() => {});
		throw error;
	}
	if (remote) await deletePlace(place);
	for (const old of replaced) await deleteFiles(ctx.db, files, old);
}

/** The job and attempt that the file is a result of. */
async function attemptOf({ db }: ServiceContext, run: RunRow): Promise<{ jobId: string; attemptId: string }> {
	const { jobId } = run;
	if (jobId === null)
		throw new SpillwayError("conflict", `Run ${run.id} belongs to no job, so its artifacts have no store.`, {
			fix: "Start it with the tag spillway.job_id; in a job, the id is in SPILLWAY_JOB_ID.",
		});
	const [newest] = await db.select({ id: attempt.id }).from(attempt).where(eq(attempt.jobId, jobId)).orderBy(desc(attempt.number)).limit(1);
	if (newest) return { jobId, attemptId: newest.id };
	throw new SpillwayError("conflict", `Job ${jobId} of run ${run.id} has not started.`, { fix: "Log artifacts once the job runs." });
}

function requireLimits(count: number, bytes: number): void {
	if (count > LIMITS.files)
		throw new SpillwayError("conflict", `A run has at most ${LIMITS.files} artifacts.`, { fix: "Pack small files into one archive." });
	if (bytes > LIMITS.bytes)
		throw new SpillwayError("payload_too_large", `An artifact has at most ${LIMITS.bytes} bytes.`, { fix: "Declare it in spec.outputs." });
}

async function upload(files: ArtifactFiles, to: StoreRow, input: Parameters<typeof copyToStore>[2]): Promise<void> {
	const unavailable = (cause?: unknown) =>
		new SpillwayError("unavailable", `The store ${to.name} cannot be reached.`, {
			fix: `Check it: spillway stores check ${to.name}`,
			cause,
		});
	if (!files.stores) throw unavailable();
	await copyToStore(files.stores, to, input).catch((error: unknown) => {
		throw unavailable(error);
	});
}

/** Ends the file that the new one replaces. Of two concurrent uploads of a path, the later one remains. */
async function retire(tx: Tx, { runId, path: of, atMs }: { runId: string; path: string; atMs: number }) {
	await tx.select({ id: trackingRun.id }).from(trackingRun).where(eq(trackingRun.id, runId)).for("update");
	const ids = (await liveFiles(tx, runId, of)).filter((file) => file.path === of).map(({ id }) => id);
	if (ids.length === 0) return [];
	return tx
		.update(artifact)
		.set({ deletedAt: new Date(atMs) })
		.where(and(inArray(artifact.id, ids)))
		.returning({ id: artifact.id, storeId: artifact.storeId });
}
