import { and, eq, inArray, lt, notExists, sql } from "drizzle-orm";
import type { z } from "zod";
import { uploadPartInput } from "#server/contract/inputs/upload.ts";
import type { Db, Tx } from "#server/db/client.ts";
import { planStudy } from "#server/db/schema/plan-study.ts";
import { upload, uploadPart } from "#server/db/schema/upload.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { newId } from "#server/kernel/ids.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { authorize } from "./authorize.ts";
import { actorName, type ServiceContext } from "./context.ts";
import { lockLimit } from "./lock-limit.ts";

/** Twice the longest text that a study reads. */
const BYTES_MAX = 1024 ** 3;
const PART_BYTES = 4 * 1024 ** 2;
/** Files of one person, including those that queued studies will read. */
const FILES_MAX = 10;

type Purpose = (typeof upload.$inferSelect)["purpose"];

/** A file, or as much of it as has arrived. */
export interface UploadView {
	id: string;
	name: string;
	bytes: number;
}

/**
 * Stores a file of any size, in memory for one part only.
 * @throws SpillwayError `forbidden`; `payload_too_large`; `invalid_input` for an empty file; `conflict` for too many files
 */
export async function storeUpload(
	ctx: ServiceContext,
	purpose: Purpose,
	{ name, bytes }: { name: string; bytes: AsyncIterable<Uint8Array> },
): Promise<UploadView> {
	authorize(ctx, purpose, null);
	const id = await begin(ctx, purpose, name);
	let at = 0;
	try {
		for await (const part of partsOf(bytes)) at = await append(ctx.db, id, at, part);
		if (at === 0) throw new SpillwayError("invalid_input", `${name} is empty.`, { fix: "Send the file as the body of the request." });
	} catch (error) {
		await deleteUpload(ctx.db, id);
		throw error;
	}
	return { id, name, bytes: at };
}

/**
 * Stores the next part of a file that a page sends.
 * @throws SpillwayError `forbidden`; `not_found`; `conflict` for a part out of order or too many files; `payload_too_large`; ZodError
 */
export async function addUploadPart(ctx: ServiceContext, purpose: Purpose, raw: z.input<typeof uploadPartInput>): Promise<UploadView> {
	authorize(ctx, purpose, null);
	const { upload: known, name, at, contentBase64 } = uploadPartInput.parse(raw);
	const part = Buffer.from(contentBase64, "base64");
	if (known === undefined && at > 0)
		throw new SpillwayError("invalid_input", "The first part of a file starts at byte 0.", { fix: "Send the file's parts in order." });
	const id = known === undefined ? await begin(ctx, purpose, name) : (await requireUpload(ctx, purpose, known)).id;
	return { id, name, bytes: await append(ctx.db, id, at, part) };
}

/** @throws SpillwayError `not_found` for an unknown file, one of another person, or one for another purpose */
export async function requireUpload(ctx: ServiceContext, purpose: Purpose, id: string): Promise<UploadView> {
	const [row] = await ctx.db
		.select({ id: upload.id, name: upload.name, bytes: bytesOf(upload.id) })
		.from(upload)
		.where(and(eq(upload.id, id), eq(upload.purpose, purpose), eq(upload.createdBy, actorName(ctx.actor))));
	if (!row)
		throw new SpillwayError("not_found", `There is no uploaded file ${id}.`, {
			fix: "Upload it again. Files are deleted after their use, or after a day.",
		});
	return row;
}

/** A file's content, one part in memory at a time. */
export async function* readUpload(db: Db | Tx, id: string): AsyncGenerator<Buffer> {
	for (let at = 0; ; ) {
		const [part] = await db
			.select({ body: uploadPart.body })
			.from(uploadPart)
			.where(and(eq(uploadPart.uploadId, id), eq(uploadPart.at, at)));
		if (!part) return;
		yield part.body;
		at += part.body.length;
	}
}

export async function deleteUpload(db: Db | Tx, id: string): Promise<void> {
	await db.delete(upload).where(eq(upload.id, id));
}

/** Deletes files older than a day, except those that a queued or running study reads. */
export async function deleteExpiredUploads(db: Db | Tx, nowMs: number): Promise<void> {
	const pending = db
		.select()
		.from(planStudy)
		.where(and(eq(planStudy.uploadId, upload.id), inArray(planStudy.state, ["queued", "running"])));
	await db.delete(upload).where(and(lt(upload.createdAt, new Date(nowMs - DAY_MS)), notExists(pending)));
}

async function begin(ctx: ServiceContext, purpose: Purpose, name: string): Promise<string> {
	const nowMs = ctx.clock.nowMs();
	const createdBy = actorName(ctx.actor);
	const id = newId("upl", nowMs);
	await deleteExpiredUploads(ctx.db, nowMs);
	return ctx.db.transaction(async (tx) => {
		await lockLimit(tx, `uploads ${createdBy}`);
		if ((await tx.$count(upload, eq(upload.createdBy, createdBy))) >= FILES_MAX)
			throw new SpillwayError("conflict", `${FILES_MAX} of your files are uploaded and not used.`, {
				fix: "Use one of them, or try again tomorrow: unused files are deleted after a day.",
			});
		await tx.insert(upload).values({ id, name, purpose, createdBy, createdAt: new Date(nowMs) });
		return id;
	});
}

/** @returns the bytes stored so far */
async function append(db: Db, id: string, at: number, body: Buffer): Promise<number> {
	return db.transaction(async (tx) => {
		// Parts of one file are stored one at a time.
		await tx.select({ id: upload.id }).from(upload).where(eq(upload.id, id)).for("update");
		const [stored] = await tx.select({ bytes: bytesOf(sql`${id}`) }).from(sql`(select 1) as one`);
		const bytes = stored?.bytes ?? 0;
		const end = at + body.length;
		if (end > BYTES_MAX)
			throw new SpillwayError("payload_too_large", `The file is larger than ${BYTES_MAX / 1024 ** 2} MiB.`, {
				fix: "Compress it with gzip, or split it by time.",
			});
		if (at === bytes) await tx.insert(uploadPart).values({ uploadId: id, at, body });
		else if (end !== bytes)
			throw new SpillwayError("conflict", `The next part of this file starts at byte ${bytes}, not at ${at}.`, {
				fix: "Send the parts in order.",
			});
		return end;
	});
}

/** The size of a file so far. */
function bytesOf(id: unknown) {
	return sql<number>`coalesce((select max(${uploadPart.at} + octet_length(${uploadPart.body})) from ${uploadPart}
		where ${uploadPart.uploadId} = ${id}), 0)::float8`;
}

/** Chunks of any size, put together to parts. */
async function* partsOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
	let waiting: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of bytes) {
		waiting.push(chunk);
		size += chunk.length;
		if (size < PART_BYTES) continue;
		yield Buffer.concat(waiting);
		[waiting, size] = [[], 0];
	}
	if (size > 0) yield Buffer.concat(waiting);
}
