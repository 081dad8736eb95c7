import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { team } from "#server/db/schema/account.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { jobLog } from "#server/db/schema/job-log.ts";
import { jobSecret } from "#server/db/schema/job-secret.ts";
import { site } from "#server/db/schema/site.ts";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import type { SecretRef } from "#server/domain/job-secret.ts";
import { systemClock } from "#server/kernel/clock.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { LocalDriver } from "#server/providers/local/local-driver.ts";
import { systemContext } from "#server/services/core/context.ts";
import { timingSchema } from "#server/services/core/timing.ts";
import { eventually } from "#server/services/work/agent/testing/machine.ts";
import { aSpec, seedInstance, seedJob } from "#server/services/work/agent/testing/seed.ts";
import { moveLogs } from "#server/services/work/log/move.ts";
import { folderLogStore } from "#server/services/work/log/store.ts";
import { resealSecrets } from "#server/services/work/secret/deliver.ts";
import { setSecret } from "#server/services/work/secret/set.ts";
import { type SecretStore, secretStore } from "#server/services/work/secret/store.ts";
import { newClusterMemory, syncCluster } from "./cluster-sync.ts";
import type { LoopContext } from "./context.ts";

const TOKEN = "hf_QpLmZ93kTqVw71";
const KEY = "-----BEGIN KEY-----\nMIIxyzzyplugh4242\n-----END KEY-----";
const KEYS = ["a", "b"].map((letter) => Buffer.from(letter.repeat(32)).toString("base64url"));

let database: TestDatabase;
let home: string;
let driver: LocalDriver;
let ctx: LoopContext;
let vault: (path: string) => string;

beforeAll(async () => {
	database = await createTestDatabase();
	home = await mkdtemp(path.join(os.tmpdir(), "spillway-secrets-"));
	driver = new LocalDriver("home", { home, slots: 4, accelerator: "A10G-24GB" });
	await database.db.insert(team).values({ name: "research" });
	await database.db.insert(site).values({ id: "home", name: "home", provider: "local", settings: {} });
	const store = secretStore({ SPILLWAY_HOME: home, SPILLWAY_CREDENTIAL_KEYS: KEYS[0] });
	const secrets: SecretStore = { ...store, read: async (_, source) => vault(source.path) };
	ctx = {
		...({ db: database.db, clock: systemClock, timing: timingSchema.parse({}), clusters: new Map(), clouds: new Map() } as const),
		...{ checkpointRoot: path.join(home, "checkpoints"), artifactRoot: path.join(home, "artifacts"), log: () => {}, probe: () => {} },
		...{ secretStore: secrets, userDataFor: () => "", bootstrapHashFor: () => "" },
	};
	const service = { ...systemContext(database.db, systemClock, "seed"), secretStore: secrets };
	await setSecret(service, { team: "research", name: "hf-token" }, { value: TOKEN });
	await setSecret(service, { team: "research", name: "key" }, { value: KEY });
	await setSecret(service, { team: "research", name: "far" }, { vault: { path: "db", key: "password" } });
});
afterAll(async () => {
	await driver.close({ stopJobs: true, graceMs: 0 });
	await database.drop();
	await rm(home, { recursive: true, force: true });
});

/** An attempt at home that is about to be handed over. */
async function placed(secrets: SecretRef[], script: string): Promise<string> {
	const jobId = await seedJob(database.db, aSpec({ command: ["sh", "-c", script], resources: NO_GPUS, secrets }));
	const { attemptId } = await seedInstance(database.db, { jobId, number: 1, expiresAtMs: Date.now() + 1e6, providerInstanceId: null });
	await database.db.execute(sql`
		update attempt set site_id = 'home', slots = '{0}', placement = placement || '{"siteId": "home", "poolId": "local"}' where id = ${attemptId}`);
	return attemptId;
}
const NO_GPUS = { gpus: 1, accelerators: [], cpus: null, memoryGiB: null };

async function rowOf(id: string) {
	const [row] = await database.db.select().from(attempt).where(eq(attempt.id, id));
	if (!row) throw new Error("no attempt");
	return row;
}

async function untilOver(id: string) {
	const memory = newClusterMemory();
	return eventually("the attempt is over", async () => {
		await syncCluster(ctx, driver, memory);
		const row = await rowOf(id);
		return row.finishedAt !== null && row;
	});
}

async function logOf(attemptId: string): Promise<string> {
	const rows = await database.db.select().from(jobLog).where(eq(jobLog.attemptId, attemptId)).orderBy(jobLog.number);
	return rows.map(({ text }) => text).join("\n");
}

/** Every value of every table, as in a dump. */
async function dump(): Promise<string> {
	const tables = await database.sql<{ name: string }[]>`select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`;
	const texts = await Promise.all(
		tables.map(({ name }) => database.sql.unsafe(`select coalesce(string_agg(t::text, E'\n'), '') as text from ${name} t`)),
	);
	return texts.map(([row]) => String(row?.["text"])).join("\n");
}

/** WAL that the server wrote recently: segments of this test and of tests that run concurrently. */
async function writeAheadLog(): Promise<string> {
	const [server] = await database.sql`select current_setting('data_directory') as folder, pg_walfile_name(pg_current_wal_lsn()) as latest`;
	const folder = path.join(String(server?.["folder"]), "pg_wal");
	const names = (await readdir(folder)).filter((name) => /^[0-9A-F]{24}$/.test(name) && name <= String(server?.["latest"])).sort();
	return (await Promise.all(names.slice(-3).map((name) => readFile(path.join(folder, name), "latin1")))).join("\n");
}

async function filesBelow(folder: string): Promise<string> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
	return (await Promise.all(files.map((file) => readFile(file, "latin1")))).join("\n");
}

it("delivers secrets to a job, masks them in its log, and stores them nowhere else", async () => {
	const script = [
		'echo "token is $HF_TOKEN, length $(printf %s "$HF_TOKEN" | wc -c)"',
		'cat "$SPILLWAY_SECRETS_DIR/key.pem"',
		'echo; printf %s "$HF_TOKEN" | base64',
		"ps -eo args | grep -c '[h]f_QpLm' || true",
		'wc -c < "$SPILLWAY_SECRETS_DIR/key.pem"',
	].join("\n");
	const secrets = [
		{ name: "hf-token", env: "HF_TOKEN" },
		{ name: "key", file: "key.pem" },
	];
	const attemptId = await placed(secrets, script);
	const row = await untilOver(attemptId);
	expect([row.state, row.exitCode, row.sealedSecrets]).toEqual(["succeeded", 0, null]);
	const log = (await logOf(attemptId)).split("\n");
	expect(log).toEqual(["token is ***, length 17", "***", "***", "***", "***=", "0", String(KEY.length)]);
	const dumped = [await dump(), await filesBelow(home), await writeAheadLog()].join("\n");
	for (const part of [TOKEN, "MIIxyzzyplugh4242", Buffer.from(TOKEN).toString("base64")]) expect(dumped.includes(part), part).toBe(false);
	const logs = folderLogStore(path.join(home, "job-logs"));
	expect((await moveLogs({ db: database.db, clock: systemClock, logs })).lines).toBe(7);
	const [segment] = await readdir(path.join(home, "job-logs", attemptId));
	const stored = gunzipSync(await readFile(path.join(home, "job-logs", attemptId, segment ?? ""))).toString();
	expect(stored).toContain("token is ***");
	for (const part of [TOKEN, "MIIxyzzyplugh4242"]) expect(stored.includes(part), part).toBe(false);
	const { stdout } = await promisify(execFile)("ps", ["-eo", "args"]);
	expect(stdout.includes(TOKEN)).toBe(false);
	const [used] = await database.db.select().from(jobSecret).where(eq(jobSecret.name, "hf-token"));
	expect(used?.lastUsedAt).not.toBeNull();
});

it("waits for a store that does not answer, and ends an attempt with a missing secret", async () => {
	vault = () => {
		throw new SpillwayError("unavailable", "The Vault did not answer.");
	};
	const waiting = await placed([{ name: "far", env: "FAR" }], 'printf %s "$FAR" | wc -c');
	await syncCluster(ctx, driver, newClusterMemory());
	expect((await rowOf(waiting)).state).toBe("starting");
	vault = () => "from-the-vault";
	expect((await untilOver(waiting)).state).toBe("succeeded");
	const lacking = await untilOver(await placed([{ name: "none", env: "NONE" }], "true"));
	expect([lacking.state, JSON.stringify(lacking.reason)]).toEqual(["failed", expect.stringContaining('no secret \\"none\\"')]);
});

it("reseals values under the newest key, and opens them without the old one", async () => {
	const rotated = secretStore({ SPILLWAY_HOME: home, SPILLWAY_CREDENTIAL_KEYS: `${KEYS[1]},${KEYS[0]}` });
	expect(await resealSecrets(database.db, rotated.keys)).toBe(2);
	expect(await resealSecrets(database.db, rotated.keys)).toBe(0);
	const store = secretStore({ SPILLWAY_HOME: home, SPILLWAY_CREDENTIAL_KEYS: KEYS[1] });
	ctx = { ...ctx, secretStore: { ...store, read: async () => "" } };
	const after = await untilOver(await placed([{ name: "hf-token", env: "T" }], 'test "$T" = "hf_Qp"LmZ93kTqVw71'));
	expect(after.state).toBe("succeeded");
});
