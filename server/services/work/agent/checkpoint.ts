import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { access, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { eq } from "drizzle-orm";
import { z } from "zod";
import {
	AGENT_LIMITS,
	type CheckpointFile,
	checkpointFileSchema,
	type NewCheckpointAnswer,
	type NewCheckpointRequest,
	pathProblem,
} from "#server/agent/protocol.ts";
import type { Tx } from "#server/db/client.ts";
import { checkpoint } from "#server/db/schema/checkpoint.ts";
import { instance } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import { issuesCredentials } from "#server/domain/store.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { newId } from "#server/kernel/ids.ts";
import { defaultStore } from "#server/services/capacity/store/find.ts";
import { listFiles } from "../checkpoint/copy-folder.ts";
import { checkpointFolder, commitCheckpoint } from "../checkpoint/store.ts";
import { deleteTree } from "../delete-tree.ts";
import { type AgentIdentity, requireLiveAttempt } from "./authenticate.ts";
import { writeManifest } from "./checkpoint-manifest.ts";
import type { AgentContext } from "./context.ts";
import { newStoreCheckpoint } from "./store-checkpoint.ts";

/**
 * Creates an empty checkpoint for the agent's job. Removes leftovers of an earlier unfinished one: a job has one live attempt, and in a
 * gang only rank 0 saves, so no other process is writing.
 */
export async function newAgentCheckpoint(
	ctx: AgentContext,
	agent: AgentIdentity,
	{ step }: NewCheckpointRequest = {},
): Promise<NewCheckpointAnswer> {
	requireLiveAttempt(agent);
	const [{ team, spec } = { team: "", spec: null }] = await ctx.db
		.select({ team: job.team, spec: job.spec })
		.from(job)
		.where(eq(job.id, agent.jobId));
	const allSave = spec?.checkpoint?.ranks === "all";
	const row = ctx.stores && (await defaultStore(ctx.db, team));
	if (ctx.stores && row && issuesCredentials(row.config) && (agent.rank === 0 || allSave))
		return newStoreCheckpoint({ ...ctx, stores: ctx.stores }, agent, row, step ?? null);
	if (agent.rank !== 0) {
		throw new SpillwayError("conflict", `Only rank 0 of a gang uploads checkpoints; this machine has rank ${agent.rank}.`, {
			fix: "Gather the checkpoint on rank 0.",
		});
	}
	const id = newId("ckp", ctx.clock.nowMs());
	const place = placeOf(ctx, agent, id);
	await mkdir(path.dirname(place.partial), { recursive: true, mode: 0o700 });
	await dropUnfinishedCheckpoints(ctx, agent);
	await mkdir(place.partial, { mode: 0o700 });
	await writeFile(place.received, "", { mode: 0o600 });
	return { id };
}

/** Removes the leftovers of an upload that was never committed. */
export async function dropUnfinishedCheckpoints(ctx: AgentContext, agent: AgentIdentity): Promise<void> {
	const folder = path.join(ctx.checkpointRoot, agent.jobId);
	const names = await readdir(folder).catch(() => []);
	for (const name of names) {
		if (/^ckp_[0-9a-z]+\.(partial|received)$/.test(name)) await deleteTree(path.join(folder, name));
	}
}

/**
 * Stores one file of an unfinished checkpoint. Sending it again replaces the earlier one.
 * @throws SpillwayError `invalid_input` for a path that leaves the folder, `not_found` for a checkpoint that is not being written,
 * `payload_too_large`, and `precondition_failed` when the hash of the bytes differs from the announced one.
 */
export async function storeCheckpointFile(
	ctx: AgentContext,
	agent: AgentIdentity,
	input: { id: string; path: string; sha256: string; body: Readable; bytesMax?: number },
): Promise<void> {
	requireLiveAttempt(agent);
	const place = placeOf(ctx, agent, input.id);
	await requireUploadInProgress(place, input.id);
	const target = insideOf(place.partial, input.path);
	await makeRoom(target, input.path);
	const hash = createHash("sha256");
	const bytesMax = input.bytesMax ?? AGENT_LIMITS.checkpointFileBytes;
	let bytes = 0;
	const measure = async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
		for await (const chunk of source) {
			bytes += chunk.length;
			if (bytes > bytesMax)
				throw new SpillwayError("payload_too_large", `A checkpoint file can have at most ${bytesMax} bytes.`, {
					fix: "Split it into smaller files.",
				});
			hash.update(chunk);
			yield chunk;
		}
	};
	const file = createWriteStream(target, { mode: 0o600 });
	const closed = new Promise<void>((resolve) => file.once("close", resolve));
	try {
		await pipeline(input.body, measure, file);
		const sha256 = hash.digest("hex");
		if (sha256 !== input.sha256) {
			throw new SpillwayError("precondition_failed", `${input.path} has SHA-256 ${sha256}, expected ${input.sha256}.`, {
				fix: "Compute the hash and upload it again.",
			});
		}
		await noteReceived(place, { path: input.path, bytes, sha256 });
	} catch (error) {
		// An immediate abort comes before the file exists; otherwise the file would be created after its removal.
		await closed;
		await rm(target, { force: true });
		throw isMissing(error) ? notUnfinished(input.id) : error;
	}
}

/**
 * Makes an unfinished checkpoint the job's newest if it contains exactly these files. Committing again changes nothing.
 * @throws SpillwayError `precondition_failed` naming missing or different files.
 */
export async function commitAgentCheckpoint(
	ctx: AgentContext,
	agent: AgentIdentity,
	input: { id: string; files: readonly CheckpointFile[] },
): Promise<void> {
	const place = placeOf(ctx, agent, input.id);
	const [done] = await ctx.db.select({ jobId: checkpoint.jobId }).from(checkpoint).where(eq(checkpoint.id, input.id));
	if (done?.jobId === agent.jobId) return;
	requireLiveAttempt(agent);
	// A crash after the rename leaves a complete folder without its row, so only the row is missing.
	if (!(await exists(place.whole))) {
		await requireUploadInProgress(place, input.id);
		await requireSameFiles(place, input.files);
		await writeManifest(ctx.checkpointRoot, agent.jobId, input.id, input.files);
		await rename(place.partial, place.whole);
		await rm(place.received, { force: true });
	}
	const bytes = input.files.reduce((sum, f) => sum + f.bytes, 0);
	await commitCheckpoint(ctx.db, ctx.checkpointRoot, {
		id: input.id,
		jobId: agent.jobId,
		attemptId: agent.attemptId,
		files: input.files.length,
		bytes,
		atMs: ctx.clock.nowMs(),
		check: (tx) => requireUnfenced(tx, agent),
	});
}

/** A fence either waits for this transaction or is visible to it: the next attempt may have started from an earlier checkpoint. */
async function requireUnfenced(tx: Tx, agent: AgentIdentity): Promise<void> {
	const [row] = await tx.select({ fencedAt: instance.fencedAt }).from(instance).where(eq(instance.id, agent.instanceId)).for("share");
	requireLiveAttempt({ ...agent, isFenced: row?.fencedAt != null });
}

/**
 * The path of a file in a complete checkpoint of the agent's job.
 * @throws SpillwayError `not_found`, `invalid_input` for a path that leaves the folder.
 */
export async function agentCheckpointFile(ctx: AgentContext, agent: AgentIdentity, input: { id: string; path: string }): Promise<string> {
	const file = insideOf(placeOf(ctx, agent, input.id).whole, input.path);
	if (!(await exists(file))) throw new SpillwayError("not_found", `Checkpoint ${input.id} has no file ${JSON.stringify(input.path)}.`);
	return file;
}

/** Creates the folder of a file. @throws SpillwayError `conflict` when an earlier file has the name of a folder, or vice versa */
async function makeRoom(target: string, relative: string): Promise<void> {
	const isTaken = await mkdir(path.dirname(target), { recursive: true, mode: 0o700 }).then(
		async () => (await stat(target).catch(() => null))?.isDirectory() ?? false,
		(error: NodeJS.ErrnoException) => {
			if (error.code === "EEXIST" || error.code === "ENOTDIR") return true;
			throw error;
		},
	);
	if (isTaken)
		throw new SpillwayError(
			"conflict",
			`The checkpoint would have a file and a folder with the same name at ${JSON.stringify(relative)}.`,
			{
				fix: "Start a new checkpoint with other file names.",
			},
		);
}

interface Place {
	whole: string;
	partial: string;
	/** Received files, one line of JSON each; the latest line of a path applies. */
	received: string;
}

function placeOf(ctx: AgentContext, agent: AgentIdentity, id: string): Place {
	const whole = checkpointFolder(ctx.checkpointRoot, agent.jobId, id);
	return { whole, partial: `${whole}.partial`, received: `${whole}.received` };
}

function insideOf(folder: string, relative: string): string {
	const problem = pathProblem(relative);
	const target = path.join(folder, relative);
	if (problem === null && target.startsWith(`${folder}${path.sep}`)) return target;
	throw new SpillwayError("invalid_input", `The path ${JSON.stringify(relative)} ${problem ?? "leaves the folder"}.`, {
		fields: [{ path: "path", message: problem ?? "leaves the folder" }],
	});
}

async function requireUploadInProgress(place: Place, id: string): Promise<void> {
	if (!(await exists(place.partial))) throw notUnfinished(id);
}

/** It was never begun, or was deleted since: a newer one was begun, or the job ended. */
function notUnfinished(id: string): SpillwayError {
	return new SpillwayError("not_found", `Checkpoint ${id} has no upload in progress.`, {
		fix: "Start one with POST /agent/v1/checkpoints.",
	});
}

function isMissing(error: unknown): boolean {
	return error instanceof Error && "code" in error && error.code === "ENOENT";
}

async function requireSameFiles(place: Place, files: readonly CheckpointFile[]): Promise<void> {
	const received = await readReceived(place);
	const onDisk = new Map((await listFiles(place.partial)).map((f) => [f.relative.split(path.sep).join("/"), f.bytes]));
	const wanted = new Map(files.map((f) => [f.path, f]));
	const problems = [
		...[...onDisk.keys()].filter((p) => !wanted.has(p)).map((p) => `${p} was sent but is not named`),
		...files.flatMap((f) => {
			const got = received.get(f.path);
			if (!got || onDisk.get(f.path) !== f.bytes) return [`${f.path} has not arrived whole`];
			return got.sha256 === f.sha256 ? [] : [`${f.path} has another sum`];
		}),
	];
	if (problems.length === 0) return;
	throw new SpillwayError("precondition_failed", `The checkpoint is not complete: ${problems.slice(0, 3).join("; ")}.`, {
		fix: "Upload the missing files, then commit.",
	});
}

async function readReceived(place: Place): Promise<Map<string, CheckpointFile>> {
	const text = await readFile(place.received, "utf8").catch(() => "");
	const files = z.array(checkpointFileSchema).parse(
		text
			.split("\n")
			.filter(Boolean)
			.map((line): unknown => JSON.parse(line)),
	);
	return new Map(files.map((f) => [f.path, f]));
}

async function noteReceived(place: Place, file: CheckpointFile): Promise<void> {
	const handle = await open(place.received, "a", 0o600);
	try {
		await handle.appendFile(`${JSON.stringify(file)}\n`);
	} finally {
		await handle.close();
	}
}

function exists(file: string): Promise<boolean> {
	return access(file).then(
		() => true,
		() => false,
	);
}
