import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import type { OutputSpec } from "#server/domain/output.ts";
import { ManualClock } from "#server/kernel/clock.ts";
import type { Actor, ServiceContext } from "#server/services/core/context.ts";
import { beginArtifact, commitArtifact, storeArtifactPart } from "../agent/artifact.ts";
import type { AgentIdentity } from "../agent/authenticate.ts";
import type { AgentContext } from "../agent/context.ts";
import { aSpec, SECRET_KEY, seedInstance, seedJob } from "../agent/testing/seed.ts";
import { deleteArtifact, deleteExpiredArtifacts } from "./delete.ts";
import { getArtifact, listArtifacts } from "./get.ts";
import { openArtifactFile } from "./open-file.ts";

const MODEL: OutputSpec = { name: "model", path: "out/model", kind: "model", when: "success", keepMs: null };
const REPORT: OutputSpec = { name: "report", path: "report.json", kind: "report", when: "always", keepMs: 60_000 };
const FILES = { "weights.bin": "0123456789", "config.json": "{}", empty: "" };

let database: TestDatabase;
let root: string;
let clock: ManualClock;
let ctx: AgentContext;
let agent: AgentIdentity;

beforeAll(async () => {
	database = await createTestDatabase();
	root = await mkdtemp(path.join(os.tmpdir(), "spillway-artifacts-"));
	clock = new ManualClock(Date.parse("2026-11-23T12:00:00Z"));
	ctx = {
		...{ db: database.db, clock, secretKey: SECRET_KEY, checkpointRoot: path.join(root, "checkpoints"), artifactRoot: root },
		timing: { heartbeatMs: 1_000, stopGraceMs: 1_000, controlSilenceMs: 1_000, leaseMs: 0 },
	};
});
afterAll(async () => {
	await database.drop();
	await rm(root, { recursive: true, force: true });
});
beforeEach(async () => {
	const jobId = await seedJob(database.db, aSpec({ outputs: [MODEL, REPORT] }));
	const seeded = await seedInstance(database.db, { jobId, number: 1, expiresAtMs: clock.nowMs() + 3_600_000, providerInstanceId: null });
	agent = {
		...{ ...seeded, jobId, attemptNo: 1, rank: 0, nodes: 1, isFenced: false, stopReason: null },
		...{ instanceState: "ready", instanceReason: null, attemptState: "running" },
		...{ readyAtMs: clock.nowMs(), expiresAtMs: clock.nowMs() + 3_600_000 },
	};
});

const sha256 = (body: string) => createHash("sha256").update(body).digest("hex");
const announced = (files: Record<string, string>) =>
	Object.entries(files).map(([name, body]) => ({ path: name, bytes: Buffer.byteLength(body), sha256: sha256(body) }));
const part = (id: string, name: string, offset: number, body: string) =>
	storeArtifactPart(ctx, agent, { id, path: name, offset, body: Readable.from([Buffer.from(body)]) });

async function upload(name = "model", files: Record<string, string> = FILES): Promise<string> {
	const { id } = await beginArtifact(ctx, agent, { name, files: announced(files) });
	for (const [file, body] of Object.entries(files)) if (body !== "") await part(id, file, 0, body);
	await commitArtifact(ctx, agent, id);
	return id;
}

function as(role: "platform" | "data_scientist" | "finance", teams: string[]): ServiceContext {
	const actor: Actor = { kind: "person", accountId: "usr_x", name: "x", role, teams, via: "token" };
	return { actor, db: database.db, clock, requestId: null };
}
const owner = () => as("data_scientist", [aSpec().team]);

describe("uploading a result", () => {
	it("stores every file under its hash and lists it with the job", async () => {
		const id = await upload();
		const [listed] = await listArtifacts(owner(), agent.jobId);
		expect(listed).toMatchObject({ id, name: "model", kind: "model", files: 3, bytes: 12, attemptId: agent.attemptId, expiresAt: null });
		expect(listed?.fileList.map((f) => [f.path, f.mediaType])).toEqual([
			["config.json", "application/json"],
			["empty", "application/octet-stream"],
			["weights.bin", "application/octet-stream"],
		]);
		const file = await openArtifactFile(owner(), { root, stores: null }, { id, path: "weights.bin" });
		expect(await text(file.read())).toBe("0123456789");
		expect(await text(file.read({ start: 2, end: 4 }))).toBe("234");
	});

	it("resumes after an interruption at the missing byte", async () => {
		const files = announced(FILES);
		const { id } = await beginArtifact(ctx, agent, { name: "model", files });
		expect(await part(id, "weights.bin", 0, "0123")).toEqual({ bytes: 4 });
		const again = await beginArtifact(ctx, agent, { name: "model", files });
		expect(again).toEqual({ id, received: [4, 0, 0], complete: false });
		// A part that was sent twice is not stored twice.
		expect(await part(id, "weights.bin", 0, "0123")).toEqual({ bytes: 4 });
		await expect(commitArtifact(ctx, agent, id)).rejects.toThrow(/not complete: weights.bin, config.json/);
		await part(id, "weights.bin", 4, "456789");
		await part(id, "config.json", 0, "{}");
		await commitArtifact(ctx, agent, id);
		await commitArtifact(ctx, agent, id);
		expect(await readFile(path.join(root, id, "weights.bin"), "utf8")).toBe("0123456789");
		expect(await beginArtifact(ctx, agent, { name: "model", files })).toMatchObject({ complete: true });
	});

	it("starts over when the files have changed since", async () => {
		const { id } = await beginArtifact(ctx, agent, { name: "model", files: announced(FILES) });
		await part(id, "weights.bin", 0, "0123");
		const changed = await beginArtifact(ctx, agent, { name: "model", files: announced({ "weights.bin": "new" }) });
		expect(changed).toEqual({ id, received: [0], complete: false });
	});

	it("rejects bytes that do not match the announced hash or size", async () => {
		const { id } = await beginArtifact(ctx, agent, { name: "model", files: announced(FILES) });
		await expect(part(id, "weights.bin", 0, "012345678X")).rejects.toMatchObject({ code: "precondition_failed" });
		expect(await part(id, "weights.bin", 0, "0123456789")).toEqual({ bytes: 10 });
		await expect(part(id, "config.json", 0, "{}}")).rejects.toMatchObject({ code: "payload_too_large" });
	});

	it("accepts only declared outputs, announced files, the attempt's own ids and rank 0", async () => {
		await expect(beginArtifact(ctx, agent, { name: "other", files: announced(FILES) })).rejects.toMatchObject({ code: "not_found" });
		const { id } = await beginArtifact(ctx, agent, { name: "model", files: announced(FILES) });
		await expect(part(id, "../escape", 0, "x")).rejects.toMatchObject({ code: "not_found" });
		const second = { ...agent, attemptNo: 2 };
		await expect(commitArtifact(ctx, second, id)).rejects.toMatchObject({ code: "not_found" });
		await expect(beginArtifact(ctx, { ...agent, rank: 1 }, { name: "model", files: announced(FILES) })).rejects.toMatchObject({
			code: "conflict",
		});
		await expect(commitArtifact(ctx, { ...agent, attemptState: "lost" }, id)).rejects.toMatchObject({ code: "conflict" });
	});
});

describe("access to a result", () => {
	it("is limited to the team and to platform engineers", async () => {
		const id = await upload();
		await expect(getArtifact(as("data_scientist", ["another"]), id)).rejects.toMatchObject({ code: "not_found" });
		await expect(getArtifact(as("finance", []), id)).rejects.toMatchObject({ code: "forbidden" });
		await expect(openArtifactFile(as("data_scientist", []), { root, stores: null }, { id, path: "config.json" })).rejects.toMatchObject({
			code: "not_found",
		});
		expect(await getArtifact(as("platform", []), id)).toMatchObject({ id });
	});

	it("ends when the files are deleted; the lineage stays", async () => {
		const id = await upload();
		await deleteArtifact(owner(), { root, stores: null }, id);
		await deleteArtifact(owner(), { root, stores: null }, id);
		await expect(openArtifactFile(owner(), { root, stores: null }, { id, path: "config.json" })).rejects.toThrow(
			/were deleted on 2026-11-23/,
		);
		expect(await getArtifact(owner(), id)).toMatchObject({ deletedAt: "2026-11-23T12:00:00.000Z", digest: expect.any(String) });
		await expect(readFile(path.join(root, id, "config.json"))).rejects.toThrow();
	});

	it("ends when it expires", async () => {
		const id = await upload("report", { "report.json": "[]" });
		expect(await deleteExpiredArtifacts(database.db, { root, stores: null }, clock.nowMs() + 59_000)).toBe(0);
		expect(await deleteExpiredArtifacts(database.db, { root, stores: null }, clock.nowMs() + 60_000)).toBe(1);
		expect((await getArtifact(owner(), id)).deletedAt).toBe("2026-11-23T12:01:00.000Z");
	});
});
