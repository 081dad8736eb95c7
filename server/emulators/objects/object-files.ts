import { createHash, randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { S3Error } from "./s3-error.ts";

const objectSchema = z.object({
	key: z.string(),
	bytes: z.number(),
	etag: z.string(),
	atMs: z.number(),
	meta: z.record(z.string(), z.string()),
	/** For an object from a multipart upload: its parts, as files in the folder of that upload, in order. */
	parts: z.object({ folder: z.string(), files: z.array(z.object({ name: z.string(), bytes: z.number() })) }).optional(),
});
export type StoredObject = z.output<typeof objectSchema>;

const READ = { highWaterMark: 1024 ** 2 };

/**
 * Stores objects of buckets as files. Each has a metadata file that is written last, so that an object exists completely or not
 * at all.
 */
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

	/** The bytes of an object; `range` is inclusive. */
	read(bucket: string, object: StoredObject, range = { start: 0, end: object.bytes - 1 }): Readable {
		const { parts } = object;
		if (!parts) return object.bytes === 0 ? Readable.from([]) : createReadStream(this.#file(bucket, object.key), { ...READ, ...range });
		return Readable.from(this.#readParts(path.join(this.#root, parts.folder), parts.files, range), { objectMode: false });
	}

	async *#readParts(folder: string, files: readonly { name: string; bytes: number }[], range: { start: number; end: number }) {
		let from = 0;
		for (const { name, bytes } of files) {
			const [start, end] = [Math.max(0, range.start - from), Math.min(bytes - 1, range.end - from)];
			from += bytes;
			if (start <= end) yield* createReadStream(path.join(folder, name), { ...READ, start, end });
		}
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

	/** Creates an object from the parts of a multipart upload, without copying them. */
	async compose(
		bucket: string,
		key: string,
		upload: { id: string; numbers: readonly number[] },
		meta: Record<string, string>,
		etag: string,
	) {
		await this.#demandBucket(bucket);
		await this.remove(bucket, key);
		const folder = `upload-${upload.id}`;
		const files = await Promise.all(
			upload.numbers.map(async (number) => ({
				name: String(number),
				bytes: (await stat(path.join(this.#root, folder, String(number)))).size,
			})),
		);
		const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
		await this.#writeFacts(bucket, { key, bytes, etag, atMs: Date.now(), meta, parts: { folder, files } });
	}

	async remove(bucket: string, key: string): Promise<void> {
		const parts = (await this.get(bucket, key))?.parts;
		if (parts) await rm(path.join(this.#root, parts.folder), { recursive: true, force: true });
		for (const file of [`${this.#file(bucket, key)}.json`, this.#file(bucket, key)]) await rm(file, { force: true });
	}

	/** Ordered by key. */
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

	/** Folder for the parts of a multipart upload. */
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
