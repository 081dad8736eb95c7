import { createHash, randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { S3Error } from "./s3-error.ts";

const objectSchema = z.object({
	key: z.string(),
	bytes: z.number(),
	etag: z.string(),
	atMs: z.number(),
	meta: z.record(z.string(), z.string()),
});
export type StoredObject = z.output<typeof objectSchema>;

/** Objects of buckets as files: each with a file of facts, written last, so that an object is there whole or not at all. */
export class ObjectFiles {
	readonly #root: string;

	constructor(root: string) {
		this.#root = root;
	}

	async makeBucket(bucket: string): Promise<void> {
		await mkdir(this.#bucket(bucket), { recursive: true });
	}

	async get(bucket: string, key: string): Promise<StoredObject | null> {
		const text = await readFile(`${this.#file(bucket, key)}.json`, "utf8").catch(() => null);
		return text === null ? null : objectSchema.parse(JSON.parse(text));
	}

	read(bucket: string, key: string, range?: { start: number; end: number }): Readable {
		return createReadStream(this.#file(bucket, key), range ?? {});
	}

	/** Stores the bytes of `parts`, one after the other. `etag` overrides the MD5 of the content. */
	async put(bucket: string, key: string, parts: readonly Readable[], meta: Record<string, string>, etag?: string): Promise<StoredObject> {
		await this.#demandBucket(bucket);
		const half = path.join(this.#root, `half-${randomUUID()}`);
		const hash = createHash("md5");
		let bytes = 0;
		const measure = async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
			for await (const chunk of source) {
				bytes += chunk.length;
				if (etag === undefined) hash.update(chunk);
				yield chunk;
			}
		};
		try {
			for (const part of parts) await pipeline(part, measure, createWriteStream(half, { flags: "a" }));
			await rename(half, this.#file(bucket, key));
		} finally {
			await rm(half, { force: true });
		}
		const object = { key, bytes, etag: etag ?? hash.digest("hex"), atMs: Date.now(), meta };
		await this.#writeFacts(bucket, object);
		return object;
	}

	async remove(bucket: string, key: string): Promise<void> {
		for (const file of [`${this.#file(bucket, key)}.json`, this.#file(bucket, key)]) await rm(file, { force: true });
	}

	/** In order of their keys. */
	async list(bucket: string, prefix: string): Promise<StoredObject[]> {
		const names = await this.#demandBucket(bucket);
		const facts = await Promise.all(
			names
				.filter((name) => name.endsWith(".json"))
				.map((name) => readFile(path.join(this.#bucket(bucket), name), "utf8").catch(() => null)),
		);
		return facts
			.flatMap((text) => (text === null ? [] : [objectSchema.parse(JSON.parse(text))]))
			.filter(({ key }) => key.startsWith(prefix))
			.sort((a, b) => (a.key < b.key ? -1 : 1));
	}

	/** Where the parts of a multipart upload are kept. */
	async partFile(uploadId: string, number: number): Promise<string> {
		const folder = path.join(this.#root, `upload-${uploadId}`);
		await mkdir(folder, { recursive: true });
		return path.join(folder, String(number));
	}

	async dropParts(uploadId: string): Promise<void> {
		await rm(path.join(this.#root, `upload-${uploadId}`), { recursive: true, force: true });
	}

	async #writeFacts(bucket: string, object: StoredObject): Promise<void> {
		const file = `${this.#file(bucket, object.key)}.json`;
		const half = path.join(this.#root, `half-${randomUUID()}`);
		await writeFile(half, JSON.stringify(object));
		await rename(half, file);
	}

	async #demandBucket(bucket: string): Promise<string[]> {
		const names = await readdir(this.#bucket(bucket)).catch(() => null);
		if (names === null) throw new S3Error(404, "NoSuchBucket", "The specified bucket does not exist");
		return names;
	}

	#bucket(bucket: string): string {
		return path.join(this.#root, `bucket-${createHash("sha256").update(bucket).digest("hex").slice(0, 16)}`);
	}

	#file(bucket: string, key: string): string {
		return path.join(this.#bucket(bucket), createHash("sha256").update(key).digest("hex"));
	}
}

export async function sizeOf(file: string): Promise<number> {
	return (await stat(file)).size;
}
