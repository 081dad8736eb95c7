import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { type CheckpointFile, checkpointFileSchema } from "#server/agent/protocol.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { deleteTree } from "../delete-tree.ts";

/** One artifact in the embedded store: complete in `whole`, being uploaded in `partial`, announced in `manifest`. */
export interface ArtifactPlace {
	whole: string;
	partial: string;
	manifest: string;
	/** Names the team's store that receives an upload in progress. */
	storeNote: string;
}

export function artifactPlace(root: string, artifactId: string): ArtifactPlace {
	const whole = path.join(root, artifactId);
	return { whole, partial: `${whole}.partial`, manifest: `${whole}.manifest.json`, storeNote: `${whole}.store` };
}

/** Prepares an empty folder for an upload of these files; leftovers of an earlier upload are deleted. */
export async function openPlace(place: ArtifactPlace, files: readonly CheckpointFile[]): Promise<void> {
	await deleteTree(place.partial);
	await mkdir(place.partial, { recursive: true, mode: 0o700 });
	await writeManifest(place, files);
}

export async function writeManifest(place: ArtifactPlace, files: readonly CheckpointFile[]): Promise<void> {
	await writeFile(`${place.manifest}.new`, JSON.stringify(files), { mode: 0o600 });
	await rename(`${place.manifest}.new`, place.manifest);
}

/** The announced files; null when no upload was begun. */
export async function readManifest(place: ArtifactPlace): Promise<CheckpointFile[] | null> {
	const text = await readFile(place.manifest, "utf8").catch(() => null);
	return text === null ? null : z.array(checkpointFileSchema).parse(JSON.parse(text));
}

/** Completes an upload: it is served from here on. */
export async function closePlace(place: ArtifactPlace): Promise<void> {
	await rename(place.partial, place.whole);
}

export async function deletePlace(place: ArtifactPlace): Promise<void> {
	for (const target of [place.whole, place.partial, place.manifest, place.storeNote]) await deleteTree(target);
}

/** Bytes of a file on disk; 0 when it does not exist. */
export async function storedBytes(file: string): Promise<number> {
	const found = await stat(file).catch(() => null);
	return found?.isFile() ? found.size : 0;
}

export async function isThere(folder: string): Promise<boolean> {
	return (await stat(folder).catch(() => null)) !== null;
}

/** Writes a new file and hashes the written bytes, in one pass. @throws SpillwayError `payload_too_large` beyond `maxBytes` */
export async function writeWithSum(source: Readable, to: string, maxBytes = Infinity): Promise<{ bytes: number; sha256: string }> {
	await mkdir(path.dirname(to), { recursive: true, mode: 0o700 });
	const hash = createHash("sha256");
	let bytes = 0;
	const sum = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
		for await (const chunk of chunks) {
			bytes += chunk.length;
			if (bytes > maxBytes) throw new SpillwayError("payload_too_large", `The file is larger than ${maxBytes} bytes.`);
			hash.update(chunk);
			yield chunk;
		}
	};
	await pipeline(source, sum, createWriteStream(to, { mode: 0o600 }));
	return { bytes, sha256: hash.digest("hex") };
}

/** SHA-256 of a file, hex. */
export async function sumOf(file: string): Promise<string> {
	const hash = createHash("sha256");
	await pipeline(createReadStream(file), hash);
	return hash.digest("hex");
}

/** SHA-256 over the hashes and paths of all files, in path order. */
export function digestOf(files: readonly CheckpointFile[]): string {
	const hash = createHash("sha256");
	for (const { path: name, sha256 } of [...files].sort((a, b) => (a.path < b.path ? -1 : 1))) hash.update(`${sha256}  ${name}\n`);
	return hash.digest("hex");
}
