import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { resultDelivery } from "#server/db/schema/delivery-target.ts";
import { store } from "#server/db/schema/store.ts";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import { ManualClock } from "#server/kernel/clock.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { StoreError, type StorePort } from "#server/providers/store-port.ts";
import { type StoreBox, sealStoreSecret } from "#server/services/capacity/store/box.ts";
import { aSpec, seedJob } from "#server/services/work/agent/testing/seed.ts";
import { recordArtifact } from "#server/services/work/artifact/record.ts";
import type { DataCopier } from "./copies-ahead.ts";
import { ResultDeliveries } from "./result-deliveries.ts";

let database: TestDatabase;
let folder: string;
let home: string;
let copier: Pick<DataCopier, "copy" | "add">;
let made = 0;

beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
	folder = await mkdtemp(path.join(tmpdir(), "spillway-deliveries-"));
	home = path.join(folder, "home");
	await mkdir(home);
	const copy = async (from: string, to: string) => {
		await cp(fileURLToPath(from), fileURLToPath(to), { recursive: true });
		return { bytes: 0 };
	};
	copier = { copy, add: copy };
	await database.db.delete(resultDelivery);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Records a complete result in the embedded store, with a copy to `to`. */
async function record(to: string, files: Record<string, string>, team = "research"): Promise<string> {
	const jobId = await seedJob(database.db, aSpec({ team }));
	made += 1;
	const id = `art_${String(made).padStart(24, "0")}_001_00`;
	await write(path.join(folder, "artifacts", id), files);
	const sums = Object.entries(files).map(([name, content]) => ({
		...{ path: name, bytes: Buffer.byteLength(content), sha256: createHash("sha256").update(content).digest("hex") },
	}));
	const output = { name: "model", path: "out", kind: "model" as const, when: "success" as const, keepMs: null, to };
	await recordArtifact(database.db, { id, jobId, attemptId: `att_${made}`, team, output, files: sums, atMs: Date.now() });
	return id;
}

async function write(root: string, files: Record<string, string>): Promise<void> {
	for (const [name, content] of Object.entries(files)) {
		await mkdir(path.dirname(path.join(root, name)), { recursive: true });
		await writeFile(path.join(root, name), content);
	}
}

function deliveriesAt(clock: Pick<ManualClock, "nowMs">, stores: StoreBox | null): ResultDeliveries {
	const ctx = { db: database.db, clock, log: () => {}, stores, artifactRoot: path.join(folder, "artifacts") };
	return new ResultDeliveries(ctx, { homeRoot: home, copier }, new AbortController().signal);
}

/** States of the due deliveries after a run, oldest first. */
async function deliver(): Promise<string[]> {
	const deliveries = deliveriesAt({ nowMs: () => Date.now() }, null);
	await deliveries.tend();
	await deliveries.done();
	const rows = await database.db.select().from(resultDelivery).orderBy(resultDelivery.artifactId);
	return rows.map(({ state, error }) => error ?? state);
}

const read = (...name: string[]): Promise<string> => readFile(path.join(folder, ...name), "utf8");

describe("deliveries to a folder of this host", () => {
	it("replace the team's earlier deliveries, including files missing from the new result", async () => {
		await record("home:/models/fraud", { "a/weights": "one", notes: "1" });
		expect(await deliver()).toEqual(["delivered"]);
		await record("home:models/fraud/", { "a/weights": "second" });
		expect(await deliver()).toEqual(["delivered", "delivered"]);
		expect([await read("home/models/fraud/a/weights"), existsSync(path.join(home, "models/fraud/notes"))]).toEqual(["second", false]);
	});

	it.each<[string, string, () => Promise<void>, string, string?]>([
		["a person's files", "research", async () => write(home, { "models/fraud/thesis.tex": "years" }), "models/fraud/thesis.tex"],
		["a delivered file that a person changed", "research", async () => write(home, { "models/fraud/w": "mine" }), "models/fraud/w"],
		["another team's result", "risk", async () => {}, "models/fraud/w"],
		["a folder above another result", "research", async () => {}, "models/fraud/w", "home:/models"],
	])("keep %s, and report the reason", async (_, team, change, kept, to = "home:/models/fraud") => {
		await record("home:/models/fraud", { w: "old!" });
		await deliver();
		await change();
		const before = await read("home", kept);
		await record(to, { w: "new!" }, team);
		expect((await deliver())[1]).toMatch(/which Spillway did not deliver or which was changed; move it away/);
		expect(await read("home", kept)).toBe(before);
	});

	it("cannot leave the delivery folder through links or names with special characters", async () => {
		await write(folder, { "outside/secret": "s", "home/a/own": "o" });
		await symlink(path.join(folder, "outside"), path.join(home, "link"));
		await record("home:/link/secret", { w: "1" });
		await record("home:/link", { w: "1" });
		expect(await deliver()).toEqual(Array(2).fill(expect.stringMatching(/link is a symbolic link/)));
		await database.db.delete(resultDelivery);
		await record("home:/a#b", { w: "1" });
		await record("home:/%2e%2e/outside", { w: "1" });
		expect(await deliver()).toEqual(["delivered", "delivered"]);
		expect([await read("outside/secret"), await read("home/a/own"), await read("home/a#b/w"), await read("home/%2e%2e/outside/w")]).toEqual(
			["s", "o", "1", "1"],
		);
	});

	it("continue after a crash in the middle of replacing a folder", async () => {
		await record("home:/m", { w: "one" });
		await deliver();
		const target = path.join(home, "m");
		const next = await record("home:/m", { w: "two" });
		await rename(target, `${target}.${next}.old`);
		expect(await deliver()).toEqual(["delivered", "delivered"]);
		expect([await read("home/m/w"), existsSync(`${target}.${next}.old`)]).toEqual(["two", false]);
		// After the new folder is in place and before the old one is deleted.
		await cp(target, `${target}.${next}.old`, { recursive: true });
		await database.db.update(resultDelivery).set({ state: "pending" });
		await deliver();
		expect([await read("home/m/w"), existsSync(`${target}.${next}.old`)]).toEqual([expect.any(String), false]);
	});

	it("leave one of two concurrent results for one folder complete", async () => {
		await record("home:/m", { w: "one", a: "1" });
		await record("home:/m", { w: "two", b: "2" });
		expect(await deliver()).toEqual(["delivered", "delivered"]);
		const whole = (await read("home/m/w")) === "one" ? "a" : "b";
		expect([existsSync(path.join(home, "m/a")), existsSync(path.join(home, "m/b"))]).toEqual([whole === "a", whole === "b"]);
	});
});

it("pause for a store that rejects a result, without delaying other stores", async () => {
	const tried: string[] = [];
	const port = {
		upload: async ({ id }: { id: string }) => {
			tried.push(id);
			if (id === "broken") throw new StoreError("no route to host");
		},
		list: async () => new Map([["w", 1]]),
	} as unknown as StorePort;
	const secretKey = "k".repeat(32);
	for (const id of ["broken", "working"])
		await database.db.insert(store).values({
			...{ id, team: id, name: id, isDefault: true, createdAt: new Date(0) },
			config: { kind: "webdav", url: "https://dav.example", vendor: "other" },
			sealedSecret: sealStoreSecret(secretKey, id, { user: "u", password: "p" }),
		});
	for (const team of ["broken", "broken", "broken", "working"]) await record("home:/unused", { w: "1" }, team);
	await database.db.delete(resultDelivery);
	const clock = new ManualClock(0);
	const deliveries = deliveriesAt(clock, { port, secretKey });
	for (let tick = 0; tick < 3; tick++) {
		await deliveries.tend();
		await deliveries.done();
	}
	expect(tried.sort()).toEqual(["broken", "broken", "working"]);
	clock.advance(HOUR_MS);
	await deliveries.tend();
	await deliveries.done();
	expect(tried.sort()).toEqual([...Array(4).fill("broken"), "working"]);
	await database.db.update(store).set({ removedAt: new Date() });
});

it("add files to a store and never delete any", async () => {
	const added: string[] = [];
	copier = {
		copy: () => Promise.reject(new Error("would delete other files")),
		add: async (_, to) => {
			added.push(to);
			return { bytes: 1 };
		},
	};
	await record("s3://acme-reports/fraud", { w: "1" });
	expect([await deliver(), added]).toEqual([["delivered"], ["s3://acme-reports/fraud"]]);
});
