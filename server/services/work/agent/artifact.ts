import { createWriteStream } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { eq } from "drizzle-orm";
import type { BeginArtifactAnswer, BeginArtifactRequest, CheckpointFile } from "#server/agent/protocol.ts";
import type { Tx } from "#server/db/client.ts";
import { instance } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import type { OutputSpec } from "#server/domain/output.ts";
import { issuesCredentials } from "#server/domain/store.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { artifactIdOf } from "#server/kernel/ids.ts";
import { openStore } from "#server/services/capacity/store/box.ts";
import { defaultStore, type StoreRow, storeById } from "#server/services/capacity/store/find.ts";
import { artifactFolder, OverQuota, requireQuota, rootOf } from "../artifact/place.ts";
import { isRecorded, recordArtifact } from "../artifact/record.ts";
import {
	type ArtifactPlace,
	artifactPlace,
	closePlace,
	deletePlace,
	digestOf,
	isThere,
	openPlace,
	readManifest,
	storedBytes,
	sumOf,
	writeManifest,
} from "../artifact/store.ts";
import { type AgentIdentity, requireLiveAttempt } from "./authenticate.ts";
import type { AgentContext } from "./context.ts";
import { lifetimeOf, sessionOf } from "./store-checkpoint.ts";

/**
 * Begins or resumes the upload of one output. Returns how much of each file is already stored. An upload with changed files starts over.
 * @throws SpillwayError `not_found` for an output that the job does not declare, `conflict` from a rank other than 0
 */
export async function beginArtifact(ctx: AgentContext, agent: AgentIdentity, input: BeginArtifactRequest): Promise<BeginArtifactAnswer> {
	requireLiveAttempt(agent);
	if (agent.rank !== 0)
		throw new SpillwayError("conflict", `Rank 0 uploads the outputs of a gang; this machine has rank ${agent.rank}.`, {
			fix: "Gather the outputs on rank 0.",
		});
	const { index, team } = await findOutput(ctx, agent, input.name);
	const id = artifactIdOf(agent.jobId, agent.attemptNo, index);
	if (await isRecorded(ctx.db, id)) return { id, received: input.files.map((f) => f.bytes), complete: true };
	await requireQuota(ctx.db, team, { id, bytes: input.files.reduce((sum, file) => sum + file.bytes, 0) });
	const row = await defaultStore(ctx.db, team);
	const note = artifactPlace(ctx.artifactRoot, id);
	await rm(note.storeNote, { force: true });
	if (row) await recordStore(note, row.id);
	if (row && ctx.stores && issuesCredentials(row.config)) {
		await writeManifest(note, input.files);
		const { options, path: folder } = await ctx.stores.port.grant(openStore(ctx.stores, row), {
			...{ folder: artifactFolder(id), mode: "write", session: sessionOf(agent), lifetimeMs: lifetimeOf(ctx, agent) },
		});
		return { id, received: input.files.map(() => 0), complete: false, store: { options, path: folder } };
	}
	const place = artifactPlace(rootOf(ctx.artifactRoot, row?.config ?? null), id);
	const announced = await readManifest(place);
	if (announced === null || digestOf(announced) !== digestOf(input.files)) await openPlace(place, input.files);
	const folder = (await isThere(place.whole)) ? place.whole : place.partial;
	const received = await Promise.all(input.files.map((file) => storedBytes(path.join(folder, file.path))));
	return { id, received, complete: false };
}

/**
 * Appends a part to a file of an unfinished artifact. A part that does not begin at the stored end is not read; the answer contains the
 * offset to continue at. A complete file with another checksum than announced is deleted and starts again.
 * @throws SpillwayError `not_found` for an artifact or file that was not announced, `payload_too_large`, `precondition_failed`
 */
export async function storeArtifactPart(
	ctx: AgentContext,
	agent: AgentIdentity,
	input: { id: string; path: string; offset: number; body: Readable },
): Promise<{ bytes: number }> {
	requireLiveAttempt(agent);
	const { place } = await ownPlace(ctx, agent, input.id);
	const file = (await readManifest(place))?.find((f) => f.path === input.path);
	if (!file) throw notAnnounced(input.id, input.path);
	const target = path.join((await isThere(place.whole)) ? place.whole : place.partial, file.path);
	const stored = await storedBytes(target);
	if (input.offset !== stored || stored === file.bytes) return { bytes: stored };
	await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
	await append(target, input.body, { from: stored, max: file.bytes }).catch((error: NodeJS.ErrnoException) => {
		// Another call restarted or completed the upload.
		throw error.code === "ENOENT" ? notAnnounced(input.id, input.path) : error;
	});
	const bytes = await storedBytes(target);
	if (bytes === file.bytes && (await sumOf(target)) !== file.sha256) {
		await rm(target, { force: true });
		throw new SpillwayError("precondition_failed", `${file.path} arrived with another SHA-256 than announced.`, {
			fix: "Begin the upload again.",
		});
	}
	return { bytes };
}

/**
 * Ends an upload: the artifact is recorded and served. Committing again changes nothing. @throws SpillwayError `precondition_failed` naming
 * what is missing; OverQuota, after deleting the files
 */
export async function commitArtifact(ctx: AgentContext, agent: AgentIdentity, id: string): Promise<void> {
	if (await isRecorded(ctx.db, id)) return;
	requireLiveAttempt(agent);
	const { place, store } = await ownPlace(ctx, agent, id);
	const files = await readManifest(place);
	if (files === null) throw notAnnounced(id);
	const isDirect = store !== null && issuesCredentials(store.config);
	if (store && isDirect) await assertStored(ctx, store, id, files);
	else if (!(await isThere(place.whole))) {
		await requireComplete(place, files);
		await closePlace(place);
	}
	const { output, team } = await findOutput(ctx, agent, Number(id.slice(-2)));
	await recordArtifact(ctx.db, {
		...{ id, jobId: agent.jobId, attemptId: agent.attemptId, team, output, files, atMs: ctx.clock.nowMs() },
		// The machine cannot write to other kinds of stores, so the scheduler moves the result there.
		storeId: isDirect || store?.config.kind === "folder" ? store.id : null,
		check: (tx) => requireUnfenced(tx, agent),
	}).catch(async (error: unknown) => {
		if (error instanceof OverQuota) await discard(ctx, { id, place, store: isDirect ? store : null });
		throw error;
	});
	if (isDirect) await deletePlace(artifactPlace(ctx.artifactRoot, id));
}

/** Deletes the files of an upload that was not recorded. */
async function discard(ctx: AgentContext, { id, place, store }: { id: string; place: ArtifactPlace; store: StoreRow | null }) {
	if (await isRecorded(ctx.db, id)) return;
	if (store && ctx.stores) await ctx.stores.port.remove(openStore(ctx.stores, store), artifactFolder(id));
	for (const one of [place, artifactPlace(ctx.artifactRoot, id)]) await deletePlace(one);
}

/** Compares names and sizes with what the store lists. */
async function assertStored(ctx: AgentContext, row: StoreRow, id: string, files: readonly CheckpointFile[]): Promise<void> {
	if (!ctx.stores) throw notAnnounced(id);
	const stored = await ctx.stores.port.list(openStore(ctx.stores, row), artifactFolder(id));
	const missing = files.filter((file) => stored.get(file.path) !== file.bytes).map((file) => file.path);
	if (missing.length > 0) throw notComplete(missing);
}

async function recordStore(place: ArtifactPlace, storeId: string): Promise<void> {
	await mkdir(path.dirname(place.storeNote), { recursive: true, mode: 0o700 });
	await writeFile(place.storeNote, storeId, { mode: 0o600 });
}

async function findOutput(
	ctx: AgentContext,
	agent: AgentIdentity,
	which: string | number,
): Promise<{ output: OutputSpec; index: number; team: string }> {
	const [row] = await ctx.db.select({ spec: job.spec, team: job.team }).from(job).where(eq(job.id, agent.jobId));
	const outputs = row?.spec.outputs ?? [];
	const index = typeof which === "number" ? which : outputs.findIndex((o) => o.name === which);
	const output = outputs[index];
	if (!row || !output)
		throw new SpillwayError("not_found", `The job declares no output ${JSON.stringify(which)}.`, {
			fix: "Upload only the outputs of the job file.",
		});
	return { output, index, team: row.team };
}

/** An attempt may write only its own artifacts: their ids are derived from it. */
async function ownPlace(ctx: AgentContext, agent: AgentIdentity, id: string): Promise<{ place: ArtifactPlace; store: StoreRow | null }> {
	if (id.slice(0, -2) !== artifactIdOf(agent.jobId, agent.attemptNo, 0).slice(0, -2)) throw notAnnounced(id);
	const noted = await readFile(artifactPlace(ctx.artifactRoot, id).storeNote, "utf8").catch(() => null);
	const store = noted === null ? null : await storeById(ctx.db, noted);
	return { place: artifactPlace(rootOf(ctx.artifactRoot, store?.config ?? null), id), store };
}

function notAnnounced(id: string, file?: string): SpillwayError {
	return new SpillwayError(
		"not_found",
		`Artifact ${id}${file === undefined ? "" : ` has no file ${JSON.stringify(file)}, or`} is not being uploaded.`,
		{
			fix: "Begin with POST /agent/v1/artifacts.",
		},
	);
}

async function append(target: string, body: Readable, { from, max }: { from: number; max: number }): Promise<void> {
	let bytes = from;
	const bounded = async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
		for await (const chunk of source) {
			bytes += chunk.length;
			if (bytes > max)
				throw new SpillwayError("payload_too_large", `The part goes beyond the ${max} announced bytes of the file.`, {
					fix: "Begin the upload again with the file's size.",
				});
			yield chunk;
		}
	};
	await pipeline(body, bounded, createWriteStream(target, { flags: "a", mode: 0o600 }));
}

async function requireComplete(place: ArtifactPlace, files: readonly CheckpointFile[]): Promise<void> {
	const missing: string[] = [];
	for (const file of files) {
		const target = path.join(place.partial, file.path);
		if (file.bytes === 0) await touch(target);
		if ((await storedBytes(target)) !== file.bytes) missing.push(file.path);
	}
	if (missing.length > 0) throw notComplete(missing);
}

function notComplete(missing: readonly string[]): SpillwayError {
	return new SpillwayError("precondition_failed", `The upload is not complete: ${missing.slice(0, 3).join(", ")}.`, {
		fix: "Send what is missing, then commit.",
	});
}

/** No part is ever sent for an empty file. */
async function touch(target: string): Promise<void> {
	await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
	await pipeline([], createWriteStream(target, { flags: "a", mode: 0o600 }));
}

/** A fenced machine stores nothing: its job may already run elsewhere. */
async function requireUnfenced(tx: Tx, agent: AgentIdentity): Promise<void> {
	const [row] = await tx.select({ fencedAt: instance.fencedAt }).from(instance).where(eq(instance.id, agent.instanceId)).for("share");
	requireLiveAttempt({ ...agent, isFenced: row?.fencedAt != null });
}
