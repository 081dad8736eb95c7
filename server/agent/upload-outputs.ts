import { createReadStream } from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import type { OutputSpec } from "#server/domain/output.ts";
import { plural } from "#server/domain/sentence-facts.ts";
import { encodePath } from "./checkpoint-sync.ts";
import { type ControlClient, messageOf } from "./client.ts";
import { listOutput } from "./output-files.ts";
import { AGENT_LIMITS, artifactPartAnswer, beginArtifactAnswer, type CheckpointFile, doneAnswer, OFFSET_HEADER } from "./protocol.ts";
import { uploadFiles } from "./rclone/store-files.ts";
import { sumAll } from "./store-transfer.ts";

const PART_TIMEOUT_MS = 60 * 60_000;

interface Upload {
	client: ControlClient;
	workFolder: string;
	/**
	 * Returns the path of rclone.
	 * @throws StagingError if it is not available
	 */
	rclone(): Promise<string>;
	signal: AbortSignal;
	log(text: string): void;
}

/**
 * Uploads the outputs that are due after the command ended. A failure does not stop the others. Returns a message for the job's
 * owner about what is missing or could not be uploaded, or null if all are stored.
 */
export async function uploadOutputs(upload: Upload, outputs: readonly OutputSpec[]): Promise<string | null> {
	const problems: string[] = [];
	for (const output of outputs) {
		try {
			const problem = await uploadOutput(upload, output);
			if (problem !== null) problems.push(problem);
		} catch (error) {
			problems.push(`output ${output.name} could not be uploaded: ${messageOf(error)}`);
		}
	}
	for (const problem of problems) upload.log(problem);
	return problems.length === 0 ? null : problems.join("; ");
}

async function uploadOutput(upload: Upload, output: OutputSpec): Promise<string | null> {
	const { client, signal, log } = upload;
	const found = await listOutput(upload.workFolder, output.path);
	if (found.files.length === 0) return `output ${output.name}: no files at ${output.path}`;
	if (found.files.length > AGENT_LIMITS.checkpointFiles)
		return `output ${output.name} has ${found.files.length} files; the limit is ${AGENT_LIMITS.checkpointFiles}. Pack them into an archive`;
	const paths = found.files.map((file) => file.path);
	const files = await sumAll(found.root, paths, signal);
	const begun = await client.call({
		...{ method: "POST" as const, path: "/artifacts", json: { name: output.name, files } },
		...{ answer: beginArtifactAnswer, signal },
	});
	if (begun.complete) return null;
	if (begun.store) await uploadFiles(found.root, paths, { program: await upload.rclone(), remote: begun.store, signal });
	else for (const [index, file] of files.entries()) await sendFile(upload, begun.id, found.root, file, begun.received[index] ?? 0);
	await client.call({ method: "POST", path: `/artifacts/${begun.id}/commit`, json: {}, answer: doneAnswer, signal });
	log(`output ${output.name} uploaded: ${plural(files.length, "file")}, ${files.reduce((sum, f) => sum + f.bytes, 0)} bytes`);
	return null;
}

/** Sends a file in parts, from the first byte that is not stored yet. The response contains where the next part begins. */
async function sendFile({ client, signal }: Upload, id: string, root: string, file: CheckpointFile, received: number): Promise<void> {
	let offset = received;
	while (offset < file.bytes) {
		const start = offset;
		const end = Math.min(file.bytes, start + AGENT_LIMITS.artifactPartBytes) - 1;
		const answer = await client.call({
			method: "PUT",
			path: `/artifacts/${id}/${encodePath(file.path)}`,
			body: () => Readable.toWeb(createReadStream(path.join(root, file.path), { start, end })) as ReadableStream<Uint8Array>,
			headers: { [OFFSET_HEADER]: String(start) },
			answer: artifactPartAnswer,
			signal,
			timeoutMs: PART_TIMEOUT_MS,
		});
		offset = answer.bytes;
	}
}
