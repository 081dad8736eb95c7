import { Readable } from "node:stream";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { planStudy } from "#server/db/schema/plan-study.ts";
import { upload, uploadPart } from "#server/db/schema/upload.ts";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import { openConnections } from "#server/db/testing/open-connections.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import type { Actor, ServiceContext } from "./context.ts";
import { addUploadPart, deleteExpiredUploads, readUpload, requireUpload, storeUpload } from "./upload.ts";

const CONTENT = Buffer.alloc(9 * 1024 ** 2, "training");
let database: TestDatabase;
let nowMs = 0;
beforeAll(async () => {
	database = await createTestDatabase();
});
beforeEach(async () => {
	nowMs = Date.UTC(2026, 10, 1);
	await database.db.delete(upload);
});
afterAll(() => database.drop());

function as(accountId: string, role: "platform" | "data_scientist" = "platform"): ServiceContext {
	const actor: Actor = { kind: "person", accountId, name: "A", role, teams: [], via: "session" };
	return { db: database.db, clock: { nowMs: () => nowMs }, actor, requestId: null };
}

async function contentOf(id: string): Promise<Buffer> {
	return Buffer.concat(await Array.fromAsync(readUpload(database.db, id)));
}

const base64 = (from: number, to: number) => CONTENT.subarray(from, to).toString("base64");

async function* chunks(): AsyncGenerator<Buffer> {
	for (let at = 0; at < CONTENT.length; at += 65_000) yield CONTENT.subarray(at, at + 65_000);
}

it("stores a file of any size in parts", async () => {
	const stored = await storeUpload(as("usr_a"), "plan:run", { name: "big.csv", bytes: chunks() });
	expect(stored).toMatchObject({ name: "big.csv", bytes: CONTENT.length });
	expect(await database.db.$count(uploadPart)).toBeGreaterThan(1);
	expect((await contentOf(stored.id)).equals(CONTENT)).toBe(true);
});

it("leaves nothing of a file that breaks off or is empty", async () => {
	const breaks = async function* () {
		yield CONTENT;
		throw new Error("the connection broke");
	};
	await expect(storeUpload(as("usr_a"), "plan:run", { name: "a", bytes: breaks() })).rejects.toThrow("the connection broke");
	await expect(storeUpload(as("usr_a"), "plan:run", { name: "a", bytes: Readable.from([]) })).rejects.toMatchObject({
		code: "invalid_input",
	});
	expect(await database.db.$count(upload)).toBe(0);
});

it("takes a page's parts in order, and the same part again", async () => {
	const ctx = as("usr_a");
	const { id } = await addUploadPart(ctx, "bill:import", { name: "bill.csv", at: 0, contentBase64: base64(0, 1_000) });
	const next = { upload: id, name: "bill.csv", at: 1_000, contentBase64: base64(1_000, 1_500) };
	expect(await addUploadPart(ctx, "bill:import", next)).toMatchObject({ id, bytes: 1_500 });
	expect(await addUploadPart(ctx, "bill:import", next)).toMatchObject({ id, bytes: 1_500 });
	for (const at of [1_000, 1_400, 1_600])
		await expect(addUploadPart(ctx, "bill:import", { ...next, at, contentBase64: base64(0, 400) })).rejects.toMatchObject({
			code: "conflict",
			message: expect.stringContaining("at byte 1500"),
		});
	await expect(addUploadPart(ctx, "bill:import", { ...next, upload: undefined })).rejects.toMatchObject({ code: "invalid_input" });
	expect((await contentOf(id)).equals(CONTENT.subarray(0, 1_500))).toBe(true);
	expect(await requireUpload(ctx, "bill:import", id)).toEqual({ id, name: "bill.csv", bytes: 1_500 });
});

it("is only for the person and the purpose of the upload", async () => {
	const { id } = await addUploadPart(as("usr_a"), "bill:import", { name: "bill.csv", at: 0, contentBase64: base64(0, 10) });
	await expect(requireUpload(as("usr_b"), "bill:import", id)).rejects.toMatchObject({ code: "not_found" });
	await expect(requireUpload(as("usr_a"), "plan:run", id)).rejects.toMatchObject({ code: "not_found" });
	const part = { upload: id, name: "bill.csv", at: 10, contentBase64: base64(0, 10) };
	await expect(addUploadPart(as("usr_b"), "bill:import", part)).rejects.toMatchObject({ code: "not_found" });
	await expect(addUploadPart(as("usr_c", "data_scientist"), "bill:import", {} as never)).rejects.toMatchObject({ code: "forbidden" });
});

it("limits the files of a person, and deletes unused ones after a day but none of a queued study", async () => {
	const ctx = as("usr_a");
	const add = () => addUploadPart(ctx, "plan:run", { name: "t.csv", at: 0, contentBase64: base64(0, 10) });
	const { id: uploadId } = await add();
	await database.db.insert(planStudy).values({
		...{ id: "plan_1", source: "upload", name: "t.csv", settings: {}, uploadId, createdAt: new Date(nowMs), createdBy: "a" },
	});
	for (let i = 1; i < 9; i++) await add();
	await openConnections(database.db, 8);
	const added = await Promise.allSettled(Array.from({ length: 8 }, add));
	expect(added.flatMap((one) => (one.status === "rejected" ? [one.reason.code] : []))).toEqual(Array(7).fill("conflict"));
	nowMs += DAY_MS + 1;
	await deleteExpiredUploads(database.db, nowMs);
	expect(await database.db.select({ id: upload.id }).from(upload)).toEqual([{ id: uploadId }]);
	expect(await database.db.$count(uploadPart)).toBe(1);
	// A worker that was killed after its study's end left the file.
	await database.db.update(planStudy).set({ state: "done" });
	await deleteExpiredUploads(database.db, nowMs);
	expect(await database.db.$count(upload)).toBe(0);
	await database.db.delete(planStudy);
});
