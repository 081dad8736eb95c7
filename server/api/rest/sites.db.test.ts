import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { eq, inArray, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Ran, runCommand } from "#cli/testing/run-command.ts";
import { audit } from "#server/db/schema/audit.ts";
import { clusterNode } from "#server/db/schema/cluster-node.ts";
import { foreignJob } from "#server/db/schema/foreign-job.ts";
import { site } from "#server/db/schema/site.ts";
import type { ClusterNode } from "#server/domain/cluster-node.ts";
import { type Ec2Emulator, startEc2Emulator } from "#server/emulators/aws/emulator.ts";
import { DEFAULT_ACCESS_KEY_ID } from "#server/emulators/aws/options.ts";
import { awsSiteKind } from "#server/providers/aws/site-kind.ts";
import { localSiteKind } from "#server/providers/local/site-kind.ts";
import { slurmSiteKind } from "#server/providers/slurm/site-kind.ts";
import { newNodeMemory, writeNodes } from "#server/services/capacity/cluster-node/write.ts";
import { CredentialKeys } from "#server/services/capacity/site/credential-keys.ts";
import { RestWorld } from "../testing/rest-world.ts";

const SECRET = "the-secret-of-the-account";
const CREDENTIALS = { kind: "stored", values: { accessKeyId: DEFAULT_ACCESS_KEY_ID, secretAccessKey: SECRET } };
const SETTINGS = { regions: ["us-east-1"], imageId: "ami-0123456789abcdef0" };
const RATE = {
	...{ instanceType: "g5.xlarge", region: "us-east-1", zone: null, accelerator: "A10G-24GB", gpus: 1, vcpus: 4, memoryGiB: 16 },
	onDemand: { microUsdPerHour: 1_006_000n, asOf: "2026-07-20", source: "invented" },
	spot: { microUsdPerHour: 400_000n, asOf: "2026-07-20", source: "invented" },
};
const CATALOG = [
	{
		...{ instanceType: "g5.xlarge", vcpus: 4, memoryGiB: 16, gpus: 1, gpuModel: "A10G-24GB" },
		regions: [{ region: "us-east-1", onDemandMicroUsdPerHour: 1_006_000n, zones: [{ zone: "us-east-1a", spotMicroUsdPerHour: 400_000n }] }],
	},
];

describe("sites over REST", () => {
	const folder = mkdtempSync(path.join(tmpdir(), "spillway-sites-"));
	let emulator: Ec2Emulator;
	let world: RestWorld;
	beforeAll(async () => {
		emulator = await startEc2Emulator({
			port: 0,
			stateDir: path.join(folder, "ec2"),
			catalog: CATALOG,
			bootDelayMs: 0,
			terminateDelayMs: 0,
			spotNoticeMs: 0,
			vcpuQuotas: { "L-DB2E81BA": 64 },
			seed: 1,
		});
		const local = localSiteKind({
			...{ host: "127.0.0.1", settings: { home: folder, slots: 2, accelerator: "L40S-48GB" }, isKnown: () => true },
		});
		const kinds = [
			awsSiteKind({ listPrices: () => [RATE], endpoint: emulator.url, controlUrl: "http://127.0.0.1:3000" }),
			slurmSiteKind(),
			local,
		];
		const leastRights = () => [{ title: "A policy", language: "json", text: "{}" }];
		world = await RestWorld.open({ siteTools: { kinds, keys: new CredentialKeys({ home: folder }), leastRights } });
	});
	afterAll(async () => {
		await world?.close();
		await emulator?.stop({ killInstances: true });
		rmSync(folder, { recursive: true, force: true });
	});
	const patch = (id: string, body: unknown) => world.call("PATCH", `/api/v1/sites/${id}`, { body });
	const steps = (text: string) =>
		text
			.trim()
			.split("\n")
			.map((line): { id: string; outcome: string; found: string; fix: string | null } => JSON.parse(line));

	it("adds one, and never returns, writes or audits its credentials", async () => {
		const added = await world.post("/sites", {
			id: "aws-two",
			name: "Second account",
			provider: "aws",
			settings: SETTINGS,
			credentials: CREDENTIALS,
		});
		expect(added.status, added.text).toBe(201);
		expect(added.json).toMatchObject({
			id: "aws-two",
			enabled: true,
			credentials: { source: { kind: "stored" }, changedAt: expect.any(String) },
		});
		const changed = await patch("aws-two", {
			name: "Second",
			credentials: { kind: "stored", values: { ...CREDENTIALS.values, secretAccessKey: `${SECRET}-2` } },
		});
		expect(changed.status, changed.text).toBe(200);
		const seen = [added.text, changed.text, (await world.get("/sites/aws-two")).text, (await world.get("/sites")).text];
		const stored = JSON.stringify([await world.database.db.select().from(site), await world.database.db.select().from(audit)], (_, v) =>
			typeof v === "bigint" ? String(v) : v,
		);
		for (const text of [...seen, stored]) expect(text).not.toContain(SECRET);
		expect(stored).toContain('"credentialsChanged":true');
		expect(seen.join("")).not.toContain("sealed");
	});

	it("is limited to platform engineers", async () => {
		for (const as of ["scientist", "finance"] as const) {
			expect((await world.post("/sites", {}, { as })).status).toBe(403);
			expect((await world.post("/sites/check", {}, { as })).status).toBe(403);
			expect((await world.get("/site-kinds", { as })).status).toBe(403);
			expect((await world.get("/sites/aws-two", { as })).status).toBe(403);
			expect((await world.call("DELETE", "/api/v1/sites/aws-two", { as })).status).toBe(403);
		}
	});

	it.each([
		["an invalid region", { settings: { ...SETTINGS, regions: ["useast1"] } }, "settings.regions.0"],
		["no image", { settings: { regions: ["us-east-1"] } }, "settings.imageId"],
		[
			"a mount with a shell character",
			{ settings: { ...SETTINGS, mounts: [{ name: "a", type: "nfs", source: "nfs.example.com:/a;b" }] } },
			"settings.mounts.0.source",
		],
		["an unknown setting", { settings: { ...SETTINGS, regoins: [] } }, "settings.regoins"],
		["the deployment's own id", { settings: { ...SETTINGS, controlPlane: "spw-other" } }, "settings.controlPlane"],
		["credentials among the settings", { settings: { ...SETTINGS, credentials: {} } }, "settings.credentials"],
		["http to another host", { settings: { ...SETTINGS, endpoint: "http://192.0.2.1" } }, "settings.endpoint"],
		["another host, which would receive tokens", { settings: { ...SETTINGS, endpoint: "https://ec2.example.com" } }, "settings.endpoint"],
		["half a key", { credentials: { kind: "stored", values: { accessKeyId: "AKIA" } } }, "credentials.secretAccessKey"],
		["a file without an absolute path", { credentials: { kind: "file", path: "key.json" } }, "credentials.path"],
		["a variable of the server's own", { credentials: { kind: "environment", name: "AUTH_SECRET" } }, "credentials.name"],
		["an id with capitals", { id: "AWS" }, "id"],
		["an id in use", { id: "aws" }, "id"],
	])("rejects %s at its field", async (_what, changes, field) => {
		const answer = await world.post("/sites", { id: "wrong", name: "Wrong", provider: "aws", settings: SETTINGS, ...changes });
		expect([400, 409], answer.text).toContain(answer.status);
		expect(answer.json.fields.map((f: { path: string }) => f.path)).toContain(field);
	});

	it.each([
		["token", { token: { command: ["id"] } }],
		["scontrol", { scontrol: ["/shared/scontrol"] }],
		["scontrol", { scontrol: ["scontrol", "-M", "other"] }],
	])("prevents running a program of the server through the setting %s: %o", async (name, changes) => {
		const settings = {
			url: "http://127.0.0.1:1",
			user: "spillway",
			folder,
			accelerators: { h100: "H100-80GB" },
			token: { file: "/token" },
			...changes,
		};
		const answer = await world.post("/sites", { id: "slurm", name: "Cluster", provider: "slurm", settings });
		expect(answer).toMatchObject({
			status: 400,
			json: { fields: [{ path: `settings.${name}`, message: expect.stringContaining("only be set in the database") }] },
		});
		expect((await world.post("/sites/check", { provider: "slurm", settings })).status).toBe(400);
	});

	it.each([0, -2, 1000, "NaN", "fast"])("rejects a pool speed of %s at its field", async (speed) => {
		const settings = {
			url: "http://127.0.0.1:1",
			user: "spillway",
			folder,
			accelerators: { h100: "H100-80GB" },
			token: { file: "/token" },
		};
		const wrong = { ...settings, speeds: { "gpu-h100x8": speed } };
		const answer = await world.post("/sites", { id: "two-speeds", name: "Cluster", provider: "slurm", settings: wrong });
		expect(answer).toMatchObject({
			status: 400,
			json: { fields: [{ path: "settings.speeds.gpu-h100x8", message: expect.stringContaining("a number from 0.01 to 100") }] },
		});
	});

	it("sends stored credentials only to the address that they were entered for", async () => {
		const token = "aaaa.bbbb.cccc";
		const asked: (string | undefined)[] = [];
		const listener = createServer((req, res) => {
			asked.push(String(req.headers["x-slurm-user-token"]));
			res.writeHead(500).end();
		}).listen(0, "127.0.0.1");
		await once(listener, "listening");
		const elsewhere = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
		const settings = { url: "http://127.0.0.1:1", user: "spillway", folder, accelerators: { h100: "H100-80GB" } };
		const credentials = { kind: "stored", values: { token } };
		const added = await world.post("/sites", { id: "cluster-two", name: "Cluster", provider: "slurm", settings, credentials });
		expect(added.status, added.text).toBe(201);
		const moved = { settings: { ...settings, url: elsewhere } };
		for (const answer of [await patch("cluster-two", moved), await world.post("/sites/cluster-two/check", moved)]) {
			expect(answer).toMatchObject({
				status: 400,
				json: { fields: [{ path: "credentials", message: expect.stringContaining("entered again for the new address") }] },
			});
		}
		expect((await patch("cluster-two", { settings: { ...settings, user: "other" } })).status).toBe(200);
		expect(asked).toEqual([]);
		expect((await patch("cluster-two", { ...moved, credentials })).status).toBe(200);
		listener.close();
	});

	it("does not read credentials from a device or pipe", async () => {
		const credentials = { kind: "file", path: "/dev/zero" };
		const answer = await world.post("/sites/check", { provider: "aws", settings: SETTINGS, credentials });
		expect(answer.text).toContain("/dev/zero is no regular file");
	});

	it("checks a draft step by step, from the identity to a dry-run launch", async () => {
		const answer = await world.post("/sites/check", { provider: "aws", settings: SETTINGS, credentials: CREDENTIALS });
		expect(answer.headers.get("content-type")).toContain("application/x-ndjson");
		const stepsById = Object.fromEntries(steps(answer.text).map((s) => [s.id, s]));
		expect(Object.keys(stepsById)).toEqual([
			"identity",
			"regions",
			"image",
			"subnet",
			"security_group",
			"key_pair",
			"gang_network",
			"permissions",
			"offers",
			"prices",
			"quota",
			"way_back",
		]);
		const passed = [
			"identity",
			"regions",
			"subnet",
			"security_group",
			"key_pair",
			"gang_network",
			"permissions",
			"offers",
			"prices",
			"quota",
		];
		for (const id of [...passed, "way_back"]) expect(stepsById[id], id).toMatchObject({ outcome: "passed", fix: null });
		expect(stepsById["permissions"]?.found).toContain("g5.xlarge in us-east-1");
		expect(emulator.instances()).toEqual([]);
	});

	it("stops at rejected credentials, says what to do, and skips the rest", async () => {
		const values = { accessKeyId: "AKIAUNKNOWN", secretAccessKey: SECRET };
		const answer = await world.post("/sites/check", { provider: "aws", settings: SETTINGS, credentials: { kind: "stored", values } });
		const [first, ...others] = steps(answer.text);
		// Checking whether machines could call back needs no account access.
		const rest = others.filter((step) => step.id !== "way_back");
		expect(first).toMatchObject({
			id: "identity",
			outcome: "failed",
			found: expect.stringContaining("AuthFailure"),
			fix: expect.stringContaining("access key"),
		});
		expect(new Set(rest.map((s) => s.outcome))).toEqual(new Set(["skipped"]));
		expect(answer.text).not.toContain(SECRET);
	});

	it("names the region that the account does not have", async () => {
		const settings = { ...SETTINGS, regions: ["us-east-1", "eu-north-9"] };
		const found = steps((await world.post("/sites/check", { provider: "aws", settings, credentials: CREDENTIALS })).text).find(
			(s) => s.id === "regions",
		);
		expect(found).toMatchObject({ outcome: "failed", found: expect.stringContaining("does not have eu-north-9") });
	});

	it("checks a stored site with its stored credentials, and with a file that the server reads", async () => {
		await patch("aws-two", { credentials: CREDENTIALS });
		expect(steps((await world.post("/sites/aws-two/check", {})).text)[0]).toMatchObject({ outcome: "passed" });
		const file = path.join(folder, "key.json");
		writeFileSync(file, JSON.stringify(CREDENTIALS.values));
		expect(steps((await world.post("/sites/aws-two/check", { credentials: { kind: "file", path: file } })).text)[0]).toMatchObject({
			outcome: "passed",
		});
		writeFileSync(file, SECRET);
		const broken = await world.post("/sites/aws-two/check", { credentials: { kind: "file", path: file } });
		expect(broken.json.detail).toContain("holds no JSON object");
		expect(broken.text).not.toContain(SECRET);
	});

	it("removes one only when it is disabled and empty, and its credentials with it", async () => {
		const remove = () => world.call("DELETE", "/api/v1/sites/aws-two");
		expect(await remove()).toMatchObject({ status: 409, json: { detail: expect.stringContaining("it is enabled") } });
		await patch("aws-two", { enabled: false });
		expect((await remove()).status).toBe(200);
		expect((await world.get("/sites/aws-two")).status).toBe(404);
		const [row] = (await world.database.db.select().from(site)).filter((s) => s.id === "aws-two");
		expect(row).toMatchObject({ enabled: false, sealedCredentials: null, removedAt: expect.any(Date) });
		expect((await world.post("/sites", { id: "aws-two", name: "Again", provider: "aws", settings: SETTINGS })).status).toBe(409);
	});

	it("does not remove a site with a running job, and names the job", async () => {
		await world.start(await world.submit({ name: "long-run" }));
		await patch("home", { enabled: false });
		const answer = await world.call("DELETE", "/api/v1/sites/home");
		expect(answer).toMatchObject({ status: 409, json: { detail: expect.stringContaining("long-run (running)") } });
		await patch("home", { enabled: true });
	});

	it("adds a pool reported by the cluster at a price, once", async () => {
		const settings = {
			url: "http://127.0.0.1:1",
			user: "spillway",
			folder,
			accelerators: { h100: "H100-80GB" },
			token: { file: "/nonexistent" },
		};
		expect((await world.post("/sites", { id: "cluster", name: "Cluster", provider: "slurm", settings })).status).toBe(201);
		const price = (pool: string, body: unknown) => world.call("PUT", `/api/v1/sites/cluster/pools/${pool}`, { body });
		expect((await price("gpu-h100x8", { usdPerGpuHour: "1.90" })).status).toBe(404);
		await world.database.db.update(site).set({ unpricedPools: [{ id: "gpu-h100x8", accelerator: "H100-80GB", nodes: 2, gpusPerNode: 8 }] });
		expect((await price("gpu-h100x8", { usdPerGpuHour: "0" })).status).toBe(400);
		expect(await price("gpu-h100x8", { usdPerGpuHour: "1.90" })).toMatchObject({
			status: 201,
			json: { microUsdPerGpuHour: "1900000", wattsPerGpu: 700 },
		});
		expect((await price("gpu-h100x8", { usdPerGpuHour: "1.90" })).status).toBe(409);
		const { json } = await world.get("/sites");
		expect(json.items.find((s: { id: string }) => s.id === "cluster").pools).toMatchObject([{ gpus: 16, unavailable: 16 }]);
	});

	it("shows the required settings of each provider, with text to paste there", async () => {
		const { json } = await world.get("/site-kinds");
		expect(json.items.map((k: { provider: string }) => k.provider)).toEqual(["aws", "slurm", "local"]);
		expect(json.items[0]).toMatchObject({ leastRights: [{ title: "A policy" }], docs: "docs/providers/aws.md" });
		expect(readFileSync(path.join(folder, "credential-keys"), "utf8").length).toBeGreaterThan(40);
	});

	it("connects this host at most once, even when requested twice concurrently", async () => {
		const place = (id: string) => ({ id, name: "This host", provider: "local", settings: {} });
		const { db } = world.database;
		const seeded = await db.update(site).set({ removedAt: new Date() }).where(eq(site.provider, "local")).returning();
		const both = await Promise.all(["workstation", "again"].map((id) => world.post("/sites", place(id))));
		await db.delete(site).where(inArray(site.id, ["workstation", "again"]));
		for (const { id } of seeded) await db.update(site).set({ removedAt: null }).where(eq(site.id, id));
		expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
		const refused = both.find(({ status }) => status === 409);
		expect(refused?.json.detail).toMatch(/^This host is already connected as site "(workstation|again)"\.$/);
	});

	describe("sites on the command line", () => {
		const spillway = (...args: string[]): Promise<Ran> => {
			const env = { SPILLWAY_TOKEN: world.tokens.platform, SPILLWAY_URL: world.url, SPILLWAY_HOME: folder };
			return runCommand(args, { cwd: folder, env });
		};

		it("are checked and added, listed, checked again, disabled and removed", async () => {
			writeFileSync(path.join(folder, "aws.json"), JSON.stringify(SETTINGS));
			writeFileSync(path.join(folder, "key.json"), JSON.stringify(CREDENTIALS.values), { mode: 0o600 });
			const added = await spillway("site", "add", "by-hand", "--provider", "aws", "-f", "aws.json", "--credentials", "key.json");
			expect(added.out + added.err).toMatch(/^(ok|\? ) /m);
			expect(added, added.err).toMatchObject({ code: 0, out: expect.stringContaining("by-hand is connected") });
			expect((await spillway("site", "ls")).out).toMatch(/^by-hand +by-hand +aws /m);
			const checked = await spillway("site", "check", "by-hand");
			expect([checked.code, checked.out.includes("NO ")], checked.out).toEqual([0, false]);
			// No scheduler has opened it.
			expect((await spillway("site", "check", "by-hand", "--seen")).code).toBe(5);
			expect((await spillway("site", "disable", "by-hand")).out).toContain("by-hand disabled");
			const removed = await spillway("site", "rm", "by-hand");
			expect(removed, removed.err).toMatchObject({ code: 0, out: expect.stringContaining("by-hand and its credentials removed") });
			for (const { out, err } of [added, checked, removed]) expect(out + err).not.toContain(SECRET);
		});

		it("are not stored after a failed check, and each step says why and what to do", async () => {
			const settings = {
				url: "http://127.0.0.1:1",
				user: "spillway",
				folder,
				accelerators: { h100: "H100-80GB" },
				token: { file: "/none" },
			};
			writeFileSync(path.join(folder, "slurm.json"), JSON.stringify(settings));
			const ran = await spillway("site", "add", "never-added", "--provider", "slurm", "-f", "slurm.json");
			expect(ran).toMatchObject({ code: 5, err: expect.stringContaining("Nothing was stored") });
			expect(ran.out).toMatch(/^NO {2}slurmrestd: .*\/none.*\n {4}Check that slurmrestd runs/m);
			expect((await world.get("/sites/never-added")).status).toBe(404);
		});

		it("show a cluster's own queue, with the outcome of each job", async () => {
			await world.database.db
				.insert(site)
				.values({ id: "their", name: "Theirs", provider: "slurm", settings: {}, queueReadAt: new Date() });
			const facts = {
				...{ id: "41", name: "train", user: "alice", partition: "gpu", poolId: null, state: "waiting" as const, waitingReason: "Priority" },
				...{ nodes: 1, gpus: 8, slots: [], position: 0, submittedAtMs: 1, startedAtMs: null, timeLimitMs: null, optIn: null },
				...{ holdMark: null, array: null, groupId: null, dependsOn: null },
			};
			const seen = { firstSeenAt: new Date(), changedAt: new Date(), notAdopted: { atMs: 1, policyVersion: 1, why: ["It uses modules."] } };
			await world.database.db.insert(foreignJob).values({ siteId: "their", id: "41", facts, ...seen });
			const ran = await spillway("site", "queue", "their");
			expect(ran, ran.err).toMatchObject({
				code: 0,
				out: expect.stringMatching(/^41 +train +alice +gpu +8 +waiting .* Priority +It uses modules\./m),
			});
			expect((await spillway("site", "queue", "none")).code).toBe(3);
		});

		it("show a cluster's nodes by name, those that are down first, and in pages", async () => {
			const { db } = world.database;
			await db.insert(site).values({ id: "big", name: "Big", provider: "slurm", settings: {} });
			const named = (n: number): ClusterNode => ({
				...{ name: `gpu${String(n).padStart(4, "0")}`, poolId: "gpu-h100x8", gpus: 8, gpusUsed: n % 9 },
				...(n === 7
					? { state: "down", reason: "IDLE+INVAL: gres/gpu count reported lower than configured (4 < 8)" }
					: n === 3
						? { state: "closed", reason: "IDLE+DRAIN: fan" }
						: { state: "ready", reason: null }),
			});
			const memory = newNodeMemory();
			const nodes = Array.from({ length: 1_200 }, (_, n) => named(n + 1));
			await writeNodes(db, { siteId: "big", nodes }, memory);
			const first = await world.get("/sites/big/nodes?limit=3");
			expect(first.json.items.map((n: ClusterNode) => [n.name, n.state])).toEqual([
				["gpu0007", "down"],
				["gpu0003", "closed"],
				["gpu0001", "ready"],
			]);
			expect(first.json.counts).toEqual({ ready: 1_198, closed: 1, down: 1 });
			const second = await world.get(`/sites/big/nodes?limit=3&cursor=${first.json.nextCursor}`);
			expect(second.json.items.map((n: ClusterNode) => n.name)).toEqual(["gpu0002", "gpu0004", "gpu0005"]);
			const ailing = await world.get("/sites/big/nodes?state=down,closed");
			expect([ailing.json.items.length, ailing.json.nextCursor]).toEqual([2, null]);
			const ran = await spillway("site", "nodes", "big");
			const [, , , ...rest] = ran.out.trim().split("\n");
			expect(ran.out).toMatch(/^gpu0007 +down +7 of 8 +gpu-h100x8 +IDLE\+INVAL: gres\/gpu count/m);
			expect([rest.length, rest.at(-1)]).toEqual([1_199, "1,200 nodes: 1,198 ready, 1 closed to new jobs, 1 down"]);
			// Only changes are written: one came back, one no longer exists.
			const before = new Map(
				(await db.select({ name: clusterNode.name, at: sql<string>`xmin::text` }).from(clusterNode)).map((r) => [r.name, r.at]),
			);
			await writeNodes(
				db,
				{ siteId: "big", nodes: nodes.slice(1).map((n) => (n.name === "gpu0007" ? { ...n, state: "ready", reason: null } : n)) },
				memory,
			);
			const after = await db.select({ name: clusterNode.name, at: sql<string>`xmin::text` }).from(clusterNode);
			expect(after.filter(({ name, at }) => before.get(name) !== at).map(({ name }) => name)).toEqual(["gpu0007"]);
			expect(after).toHaveLength(1_199);
			expect((await world.get("/sites/big/nodes?cursor=nonsense")).status).toBe(400);
			expect((await world.get("/sites/big/nodes?state=ill")).status).toBe(400);
			expect((await world.get("/sites/none/nodes")).status).toBe(404);
		});
	});
});
