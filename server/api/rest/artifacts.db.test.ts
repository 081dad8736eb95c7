import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "#cli/testing/run-command.ts";
import { artifactSchema } from "#server/contract/artifact.ts";
import { pageOf } from "#server/contract/parts.ts";
import { account } from "#server/db/schema/account.ts";
import { env } from "#server/env.ts";
import { artifactIdOf, attemptIdOf } from "#server/kernel/ids.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { collectOutputs } from "#server/services/work/artifact/collect.ts";
import { aJob, RestWorld } from "../testing/rest-world.ts";

const WEIGHTS = "0123456789".repeat(1_000);
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

let world: RestWorld;
let folder: string;
let store: string;
let jobId: string;
let id: string;

beforeAll(async () => {
	world = await RestWorld.open();
	folder = await mkdtemp(path.join(os.tmpdir(), "spillway-artifacts-"));
	store = path.join(env().SPILLWAY_HOME, "artifacts");
	jobId = (await world.post("/jobs", aJob({ name: "fraud-v142" }))).json.id;
	id = artifactIdOf(jobId, 1, 0);
	await mkdir(path.join(folder, "left", "deep"), { recursive: true });
	await writeFile(path.join(folder, "left", "deep", "weights 1.bin"), WEIGHTS);
	await writeFile(path.join(folder, "left", "empty"), "");
	await collectOutputs(world.database.db, store, {
		...{ jobId, attemptId: attemptIdOf(jobId, 1), attemptNo: 1, team: "research", atMs: world.nowMs() },
		found: [
			{
				output: { name: "model", path: "out", kind: "model", when: "success", keepMs: null },
				...{ index: 0, root: path.join(folder, "left"), paths: ["deep/weights 1.bin", "empty"], bytes: WEIGHTS.length },
			},
		],
	});
});
afterAll(async () => {
	await rm(path.join(store, id), { recursive: true, force: true });
	await rm(path.join(store, `${id}.manifest.json`), { force: true });
	await rm(folder, { recursive: true, force: true });
	await world.close();
});

const content = (file: string) => `/artifacts/${id}/content?path=${encodeURIComponent(file)}`;

describe("results over REST", () => {
	it("are listed with their files and checksums", async () => {
		const { json } = await world.get(`/jobs/${jobId}/artifacts`, { as: "scientist" });
		const [item] = pageOf(artifactSchema).parse(json).items;
		expect(item).toMatchObject({ id, name: "model", kind: "model", files: 2, bytes: WEIGHTS.length, deletedAt: null });
		expect(item?.fileList[0]).toMatchObject({ path: "deep/weights 1.bin", sha256: sha256(WEIGHTS) });
		expect((await world.get(`/artifacts/${id}`, { as: "scientist" })).json).toEqual(item);
	});

	it("are downloaded whole or by range, and not past their end", async () => {
		const whole = await world.get(content("deep/weights 1.bin"), { as: "scientist" });
		expect(whole).toMatchObject({ status: 200, text: WEIGHTS });
		expect(whole.headers.get("etag")).toBe(`"${sha256(WEIGHTS)}"`);
		const part = await world.get(content("deep/weights 1.bin"), { as: "scientist", headers: { range: "bytes=9995-" } });
		expect(part).toMatchObject({ status: 206, text: "56789" });
		expect(part.headers.get("content-range")).toBe("bytes 9995-9999/10000");
		const tail = await world.get(content("deep/weights 1.bin"), { as: "scientist", headers: { range: "bytes=-3" } });
		expect(tail.text).toBe("789");
		expect((await world.get(content("deep/weights 1.bin"), { as: "scientist", headers: { range: "bytes=10000-" } })).status).toBe(416);
		expect(await world.get(content("empty"), { as: "scientist" })).toMatchObject({ status: 200, text: "" });
		expect((await world.get(content("../../secret"), { as: "scientist" })).status).toBe(404);
		expect((await world.get(`/artifacts/${id}/content`, { as: "scientist" })).status).toBe(400);
	});

	it("are hidden from other teams, and closed to finance", async () => {
		for (const at of [`/artifacts/${id}`, `/jobs/${jobId}/artifacts`, content("empty")])
			expect((await world.get(at, { as: "stranger" })).status, at).toBe(404);
		for (const at of [`/artifacts/${id}`, `/jobs/${jobId}/artifacts`])
			expect((await world.get(at, { as: "finance" })).status, at).toBe(403);
		expect((await world.post(`/artifacts/${id}/links`, { path: "empty" }, { as: "stranger" })).status).toBe(404);
	});

	it("are downloaded by a link until it expires or its creator loses access", async () => {
		const { status, json } = await world.post(`/artifacts/${id}/links`, { path: "deep/weights 1.bin", minutes: 5 }, { as: "scientist" });
		expect(status).toBe(201);
		const link = `${world.url}${json.url}`;
		expect(await (await fetch(link)).text()).toBe(WEIGHTS);
		expect((await fetch(`${link}x`)).status).toBe(401);
		await world.database.db
			.update(account)
			.set({ teams: ["vision"] })
			.where(eq(account.id, "usr_scientist"));
		expect((await fetch(link)).status).toBe(404);
		await world.database.db
			.update(account)
			.set({ teams: ["research"] })
			.where(eq(account.id, "usr_scientist"));
		world.shiftMs += 5 * MINUTE_MS;
		expect((await fetch(link)).status).toBe(401);
		world.shiftMs -= 5 * MINUTE_MS;
	});
});

describe("spillway artifacts", () => {
	const run = (...args: string[]) =>
		runCommand(["artifacts", ...args], { cwd: folder, env: { SPILLWAY_URL: world.url, SPILLWAY_TOKEN: world.tokens.scientist } });

	it("lists and downloads, and resumes an interrupted download", async () => {
		expect((await run("ls", "fraud-v142")).out).toMatch(/model\s+model\s+2\s+9\.8 KiB/);
		await mkdir(path.join(folder, "got/model/deep"), { recursive: true });
		await writeFile(path.join(folder, "got/model/deep/weights 1.bin.part"), WEIGHTS.slice(0, 4_321));
		const { out } = await run("get", "fraud-v142", "--to", "got", "--json");
		expect(JSON.parse(out).items).toHaveLength(2);
		expect(await readFile(path.join(folder, "got/model/deep/weights 1.bin"), "utf8")).toBe(WEIGHTS);
		expect(await readFile(path.join(folder, "got/model/empty"), "utf8")).toBe("");
	});

	it("deletes a named one for everyone", async () => {
		expect(await run("get", "fraud-v142", "report")).toMatchObject({ code: 3 });
		expect((await run("rm", "fraud-v142", "model")).out).toMatch(/Deleted model/);
		expect(await run("get", "fraud-v142")).toMatchObject({ code: 3 });
		expect((await world.get(content("empty"), { as: "scientist" })).status).toBe(404);
	});
});
