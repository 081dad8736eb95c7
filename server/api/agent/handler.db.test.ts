import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { asc, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { enrollAnswer } from "#server/agent/protocol.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { checkpoint } from "#server/db/schema/checkpoint.ts";
import { instance } from "#server/db/schema/instance.ts";
import { jobLog } from "#server/db/schema/job-log.ts";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import { reason } from "#server/domain/reasons.ts";
import { ManualClock } from "#server/kernel/clock.ts";
import { bootstrapSecretOf } from "#server/services/work/agent/bootstrap.ts";
import { aSpec, SECRET_KEY, seedInstance, seedJob } from "#server/services/work/agent/testing/seed.ts";
import { fenceMember } from "#server/services/work/attempt/fence-member.ts";
import { finishAttempt } from "#server/services/work/attempt/finish.ts";
import { requestStop } from "#server/services/work/attempt/request-stop.ts";
import { saveCheckpoint } from "#server/services/work/checkpoint/store.ts";
import { createAgentHandler } from "./handler.ts";

const NONCE = "n".repeat(32);
const PROVIDER_ID = "i-0123456789abcdef0";

let database: TestDatabase;
let root: string;
let clock: ManualClock;
let handle: (request: Request) => Promise<Response>;
let jobId: string;
let attemptId: string;
let instanceId: string;

beforeAll(async () => {
	database = await createTestDatabase();
	root = await mkdtemp(path.join(os.tmpdir(), "spillway-agent-api-"));
});
afterAll(async () => {
	await database.drop();
	await rm(root, { recursive: true, force: true });
});
beforeEach(async () => {
	clock = new ManualClock(Date.now());
	handle = createAgentHandler({
		db: database.db,
		clock,
		secretKey: SECRET_KEY,
		checkpointRoot: path.join(root, "checkpoints"),
		artifactRoot: path.join(root, "artifacts"),
		agentFile: path.join(root, "agent.mjs"),
		runtimeFiles: { "linux-x64": path.join(root, "node") },
		timing: { heartbeatMs: 2_000, stopGraceMs: 90_000, controlSilenceMs: 1_000_000, leaseMs: 0 },
		limits: { bodyBytes: 64 * 1024, checkpointFileBytes: 1_000 },
		dataRemotes: async () => ({ lake: { type: "sftp", pass: "x" }, s3: { type: "s3" } }),
	});
	jobId = await seedJob(database.db, aSpec());
	await seed(PROVIDER_ID + jobId.slice(-8));
});

async function seed(providerInstanceId: string | null, number = 1): Promise<void> {
	({ instanceId, attemptId } = await seedInstance(database.db, {
		jobId,
		number,
		expiresAtMs: clock.nowMs() + 3_600_000,
		providerInstanceId,
	}));
}

interface Answer {
	status: number;
	body: Record<string, unknown>;
}

async function call(
	method: string,
	route: string,
	options: { json?: unknown; text?: string; token?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
	const body = options.json === undefined ? options.text : JSON.stringify(options.json);
	const request = new Request(`http://control/agent/v1${route}`, {
		method,
		headers: { ...(options.token ? { authorization: `Bearer ${options.token}` } : {}), ...options.headers },
		...(body === undefined ? {} : { body }),
	});
	const response = await handle(request);
	const text = await response.text();
	return { status: response.status, body: text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : { text } };
}

const enrollment = (changes: object = {}) => ({
	instanceId,
	bootstrapSecret: bootstrapSecretOf(SECRET_KEY, instanceId),
	providerInstanceId: PROVIDER_ID + jobId.slice(-8),
	nonce: NONCE,
	...changes,
});

async function enrolled(): Promise<string> {
	const { status, body } = await call("POST", "/enroll", { json: enrollment() });
	expect(status).toBe(200);
	return enrollAnswer.parse(body).token;
}

async function row() {
	const [found] = await database.db
		.select({ instance, attempt })
		.from(instance)
		.innerJoin(attempt, eq(attempt.id, instance.attemptId))
		.where(eq(instance.id, instanceId));
	if (!found) throw new Error("no instance");
	return found;
}

describe("enrolling", () => {
	it("makes the instance ready and its attempt staging, and consumes the secret", async () => {
		const { body } = await call("POST", "/enroll", { json: enrollment() });
		expect(body).toMatchObject({
			attemptId,
			jobId,
			attemptNo: 1,
			heartbeatMs: 2_000,
			stop: null,
			over: false,
			checkpoint: null,
			spec: aSpec(),
		});
		const { instance: machine, attempt: run } = await row();
		expect(machine).toMatchObject({
			state: "ready",
			bootstrapHash: null,
			readyAt: new Date(clock.nowMs()),
			lastHeardAt: new Date(clock.nowMs()),
		});
		expect(machine.agentTokenHash).not.toContain(String(body.token));
		expect(run.state).toBe("staging");
	});

	it("receives only those of the operator's remotes that the job's data needs", async () => {
		expect(enrollAnswer.parse((await call("POST", "/enroll", { json: enrollment() })).body).dataRemotes).toEqual({});
		const lake = { uri: "rclone://lake/set", sizeGiB: null, mount: "/data", residency: [] };
		jobId = await seedJob(database.db, aSpec({ data: [lake] }));
		await seed(PROVIDER_ID + jobId.slice(-8));
		const { body } = await call("POST", "/enroll", { json: enrollment() });
		expect(enrollAnswer.parse(body).dataRemotes).toEqual({ lake: { type: "sftp", pass: "x" } });
	});

	it("gives the same agent the same token again, and rejects any other", async () => {
		const token = await enrolled();
		expect(await enrolled()).toBe(token);
		expect(await call("POST", "/enroll", { json: enrollment({ nonce: "m".repeat(32) }) })).toMatchObject({
			status: 409,
			body: { code: "conflict" },
		});
		expect((await call("POST", "/heartbeat", { token, json: { phase: "staging" } })).status).toBe(200);
	});

	it("accepts one of two concurrent requests", async () => {
		const answers = await Promise.all(["a", "b", "c"].map((n) => call("POST", "/enroll", { json: enrollment({ nonce: n.repeat(32) }) })));
		expect(answers.map((a) => a.status).sort()).toEqual([200, 409, 409]);
	});

	it("records an instance after its launch response was lost", async () => {
		await database.db.update(instance).set({ state: "terminated", terminatedAt: new Date() }).where(eq(instance.id, instanceId));
		await database.db.transaction((tx) => finishAttempt(tx, { attemptId, exit: null, atMs: clock.nowMs() }));
		await seed(null, 2);
		await call("POST", "/enroll", { json: enrollment({ providerInstanceId: `i-lost${jobId.slice(-8)}` }) });
		expect((await row()).instance).toMatchObject({ state: "ready", providerInstanceId: `i-lost${jobId.slice(-8)}` });
	});

	it("stops an instance that was stopped in the meantime", async () => {
		await database.db.transaction((tx) => requestStop(tx, { attemptId, reason: reason("cancelled_by_person"), atMs: clock.nowMs() }));
		const { body } = await call("POST", "/enroll", { json: enrollment() });
		expect(body).toMatchObject({ stop: { reason: "cancelled_by_person", graceMs: 90_000 }, over: false });
	});

	it.each([
		["a wrong secret", 401, () => ({ bootstrapSecret: "x".repeat(43) })],
		["an unknown instance", 401, () => ({ instanceId: "ins_unknown_001_0" })],
		["another machine of the same intent", 409, () => ({ providerInstanceId: "i-twin" })],
		["an unknown field", 400, () => ({ admin: true })],
		["an invalid nonce", 400, () => ({ nonce: "short" })],
	])("rejects %s", async (_what, status, changes) => {
		const answer = await call("POST", "/enroll", { json: enrollment(changes()) });
		expect(answer).toMatchObject({ status, body: { status, detail: expect.any(String), code: expect.any(String) } });
		expect((await row()).instance).toMatchObject({ state: "provisioning", agentTokenHash: null });
		expect((await row()).instance.bootstrapHash).not.toBeNull();
	});

	it.each(["terminating", "terminated"] as const)("rejects an instance that is %s", async (state) => {
		await database.db
			.update(instance)
			.set({ state, terminatedAt: state === "terminated" ? new Date() : null })
			.where(eq(instance.id, instanceId));
		expect((await call("POST", "/enroll", { json: enrollment() })).status).toBe(409);
	});

	it("rejects an attempt that has ended", async () => {
		await database.db.transaction((tx) => finishAttempt(tx, { attemptId, exit: null, atMs: clock.nowMs() }));
		expect((await call("POST", "/enroll", { json: enrollment() })).status).toBe(409);
	});
});

describe("a call", () => {
	it.each([
		["no token", ""],
		["a wrong token", "t".repeat(43)],
	])("is rejected with %s", async (_what, token) => {
		for (const route of ["/heartbeat", "/logs", "/running", "/exited", "/checkpoints"]) {
			expect(await call("POST", route, { token, json: {} })).toMatchObject({ status: 401, body: { code: "unauthenticated" } });
		}
	});

	it("is rejected with the token of a terminated instance", async () => {
		const token = await enrolled();
		await database.db.update(instance).set({ state: "terminated", terminatedAt: new Date() }).where(eq(instance.id, instanceId));
		expect((await call("POST", "/heartbeat", { token, json: { phase: "running" } })).status).toBe(401);
	});

	it.each([
		["a body that is not JSON", { text: "{" }, 400],
		["an unknown field", { json: { phase: "running", gpu: 1 } }, 400],
		["an unknown phase", { json: { phase: "dancing" } }, 400],
		["a body that is too large", { text: `"${"x".repeat(70_000)}"` }, 413],
	])("with %s gets a problem document", async (_what, body, status) => {
		const token = await enrolled();
		expect(await call("POST", "/heartbeat", { token, ...body })).toMatchObject({ status, body: { status } });
	});

	it("to an unknown route is a 404, with a wrong method a 405", async () => {
		for (const [method, route, status] of [
			["POST", "/../../etc", 404],
			["GET", "/runtime/windows-x64", 404],
			["GET", "/enroll", 405],
			["DELETE", "/logs", 405],
		] as const) {
			expect((await call(method, route)).status).toBe(status);
		}
	});
});

describe("heartbeats", () => {
	it("report liveness and return orders", async () => {
		const token = await enrolled();
		clock.advance(5_000);
		expect((await call("POST", "/heartbeat", { token, json: { phase: "staging" } })).body).toMatchObject({
			stop: null,
			over: false,
			nowMs: clock.nowMs(),
		});
		const { instance: machine, attempt: run } = await row();
		expect([machine.lastHeardAt, run.lastHeardAt]).toEqual([new Date(clock.nowMs()), new Date(clock.nowMs())]);
		await database.db.transaction((tx) => requestStop(tx, { attemptId, reason: reason("max_duration_exceeded"), atMs: clock.nowMs() }));
		expect((await call("POST", "/heartbeat", { token, json: { phase: "running" } })).body.stop).toEqual({
			reason: "max_duration_exceeded",
			graceMs: 90_000,
		});
	});

	it("pass on a notice once: draining, and the attempt stops as interrupted", async () => {
		const token = await enrolled();
		const atMs = clock.nowMs() + 120_000;
		const beat = () => call("POST", "/heartbeat", { token, json: { phase: "running", notice: { atMs } } });
		await beat();
		await beat();
		const { instance: machine, attempt: run } = await row();
		expect(machine).toMatchObject({ state: "draining", interruptionAt: new Date(atMs) });
		expect(run).toMatchObject({ state: "stopping", stopReason: { code: "spot_interruption" } });
	});

	it("report the end when the attempt has ended or the machine is being terminated", async () => {
		const token = await enrolled();
		await database.db.update(instance).set({ state: "terminating" }).where(eq(instance.id, instanceId));
		expect((await call("POST", "/heartbeat", { token, json: { phase: "running" } })).body).toMatchObject({
			stop: { graceMs: 90_000 },
			over: false,
		});
		await database.db.transaction((tx) => finishAttempt(tx, { attemptId, exit: null, atMs: clock.nowMs() }));
		expect((await call("POST", "/heartbeat", { token, json: { phase: "running" } })).body).toMatchObject({
			stop: { graceMs: 0 },
			over: true,
		});
	});
});

describe("reports", () => {
	const line = (text: string) => ({ atMs: 1, stream: "stdout", text });

	it("store each line once, even when sent again", async () => {
		const token = await enrolled();
		const send = (firstNumber: number, ...texts: string[]) =>
			call("POST", "/logs", { token, json: { firstNumber, lines: texts.map(line) } });
		expect((await send(1, "a", "b")).body).toEqual({ stored: 2, full: false });
		expect((await send(1, "a", "b", "c")).body).toEqual({ stored: 3, full: false });
		expect((await send(1, "a")).body).toEqual({ stored: 3, full: false });
		expect(await send(5, "e")).toMatchObject({ status: 409 });
		const rows = await database.db.select().from(jobLog).where(eq(jobLog.attemptId, attemptId)).orderBy(asc(jobLog.number));
		expect(rows.map((r) => r.text)).toEqual(["a", "b", "c"]);
	});

	it("store lines once when sent twice concurrently", async () => {
		const token = await enrolled();
		const json = { firstNumber: 1, lines: Array.from({ length: 50 }, (_, i) => line(`l${i}`)) };
		const answers = await Promise.all([1, 2, 3, 4].map(() => call("POST", "/logs", { token, json })));
		expect(answers.map((a) => a.body.stored)).toEqual([50, 50, 50, 50]);
	});

	it("ignore times before the machine was ready and in the future", async () => {
		const token = await enrolled();
		const readyAtMs = clock.nowMs();
		clock.advance(10_000);
		await call("POST", "/running", { token, json: { atMs: 5 } });
		await call("POST", "/exited", { token, json: { exit: { code: 0, signal: null, error: null }, atMs: 8e15 } });
		expect((await row()).attempt).toMatchObject({
			state: "succeeded",
			startedAt: new Date(readyAtMs),
			finishedAt: new Date(clock.nowMs()),
		});
	});

	it("count one end once, and accept nothing after it", async () => {
		const token = await enrolled();
		const end = (code: number) =>
			call("POST", "/exited", { token, json: { exit: { code, signal: null, error: null }, atMs: clock.nowMs() } });
		expect([(await end(3)).status, (await end(0)).status]).toEqual([200, 200]);
		expect((await row()).attempt).toMatchObject({ state: "failed", exitCode: 3 });
		expect((await call("POST", "/logs", { token, json: { firstNumber: 1, lines: [line("late")] } })).status).toBe(409);
		expect((await call("POST", "/checkpoints", { token, json: {} })).status).toBe(409);
	});

	it.each([
		["notice", "interrupted", "spot_interruption"],
		["expired", "evicted", "instance_expired"],
		["control_silent", "lost", "agent_silent"],
		["signalled", "lost", "instance_vanished"],
	])("record why the agent itself stopped the command: %s", async (stoppedBy, state, code) => {
		const token = await enrolled();
		await call("POST", "/exited", { token, json: { exit: { code: 0, signal: null, error: null }, atMs: clock.nowMs(), stoppedBy } });
		expect((await row()).attempt).toMatchObject({ state, reason: { code } });
	});

	it("keep the reason of an earlier stop request", async () => {
		const token = await enrolled();
		await database.db.transaction((tx) => requestStop(tx, { attemptId, reason: reason("cancelled_by_person"), atMs: clock.nowMs() }));
		await call("POST", "/exited", {
			token,
			json: { exit: { code: null, signal: "SIGTERM", error: null }, atMs: clock.nowMs(), stoppedBy: "expired" },
		});
		expect((await row()).attempt).toMatchObject({ state: "cancelled" });
	});
});

const sum = (text: string) => createHash("sha256").update(text).digest("hex");
const file = (p: string, text: string) => ({ path: p, bytes: Buffer.byteLength(text), sha256: sum(text) });

describe("a lease", () => {
	const beat = (token: string, leaseMs?: number) =>
		call("POST", "/heartbeat", { token, json: { phase: "running", ...(leaseMs === undefined ? {} : { leaseMs }) } });
	const fence = async () => {
		const heardAtMs = (await row()).instance.lastHeardAt?.getTime() ?? null;
		const member = { instanceId, attemptId, nodes: 1, heardAtMs, reason: reason("agent_silent"), atMs: clock.nowMs() };
		return () => database.db.transaction((tx) => fenceMember(tx, member));
	};

	it("is the one in the latest heartbeat", async () => {
		const token = await enrolled();
		expect((await beat(token, 30_000)).body).toMatchObject({ over: false, stop: null });
		expect((await row()).instance.leaseMs).toBe(30_000);
		await beat(token);
		expect((await row()).instance.leaseMs).toBeNull();
	});

	it("that has permanently ended discards the machine's reports, including a complete checkpoint", async () => {
		const token = await enrolled();
		await beat(token, 30_000);
		const id = String((await call("POST", "/checkpoints", { token, json: {} })).body.id);
		await call("PUT", `/checkpoints/${id}/a`, { token, text: "x", headers: { "x-spillway-sha256": sum("x") } });
		expect(await (await fence())()).toBe(true);
		expect((await beat(token, 30_000)).body).toMatchObject({ over: true });
		const answers = [
			await call("POST", `/checkpoints/${id}/commit`, { token, json: { files: [file("a", "x")] } }),
			await call("POST", "/checkpoints", { token, json: {} }),
			await call("POST", "/logs", { token, json: { firstNumber: 1, lines: [{ atMs: clock.nowMs(), stream: "stdout", text: "late" }] } }),
		];
		expect(answers.map(({ status }) => status)).toEqual([409, 409, 409]);
		expect(await database.db.$count(checkpoint, eq(checkpoint.jobId, jobId))).toBe(0);
		await call("POST", "/exited", { token, json: { exit: { code: 0, signal: null, error: null }, atMs: clock.nowMs() } });
		const { instance: machine, attempt: run } = await row();
		expect([machine.exit, run.state, run.exitCode]).toEqual([null, "lost", null]);
		expect((await call("POST", "/enroll", { json: enrollment() })).body).toMatchObject({ over: true });
	});

	it("is either renewed or ended: a concurrent heartbeat and fence never both succeed", async () => {
		for (let i = 0; i < 12; i++) {
			if (i > 0) {
				jobId = await seedJob(database.db, aSpec());
				await seed(PROVIDER_ID + jobId.slice(-8));
			}
			const token = await enrolled();
			await beat(token, 30_000);
			clock.advance(1);
			const fencing = await fence();
			const [answer, isFenced] = await Promise.all([beat(token, 30_000), fencing()]);
			expect(answer.body).toMatchObject({ over: isFenced });
		}
	});
});

describe("files that cannot coexist in one folder", () => {
	it("are rejected in one list and one after the other", async () => {
		const token = await enrolled();
		const put = (id: string, at: string) =>
			call("PUT", `/checkpoints/${id}/${at}`, { token, text: "x", headers: { "x-spillway-sha256": sum("x") } });
		const id = String((await call("POST", "/checkpoints", { token, json: {} })).body.id);
		const order = ["a", "a/b", "c/d", "c"];
		const answers: number[] = [];
		for (const at of order) answers.push((await put(id, at)).status);
		expect(answers).toEqual([200, 409, 200, 409]);
		for (const files of [
			[file("a", "x"), file("a", "x")],
			[file("a", "x"), file("a/b", "x")],
		]) {
			const refused = { status: 400, body: { detail: expect.stringMatching(/twice|as a file and as a folder/) } };
			expect(await call("POST", `/checkpoints/${id}/commit`, { token, json: { files } })).toMatchObject(refused);
			expect(await call("POST", "/artifacts", { token, json: { name: "model", files } })).toMatchObject(refused);
		}
	});
});

describe("uploads while unfinished ones are deleted", () => {
	it("succeed, and so do the deletions", async () => {
		const answers: number[] = [];
		for (let i = 0; i < 8; i++) {
			if (i > 0) {
				jobId = await seedJob(database.db, aSpec());
				await seed(PROVIDER_ID + jobId.slice(-8));
			}
			const token = await enrolled();
			const id = String((await call("POST", "/checkpoints", { token, json: {} })).body.id);
			const put = (at: string) => call("PUT", `/checkpoints/${id}/${at}`, { token, text: "x", headers: { "x-spillway-sha256": sum("x") } });
			const exited = { exit: { code: 0, signal: null, error: null }, atMs: clock.nowMs() };
			const work = [
				...["a/b/c", "d/e", "f"].map(put),
				call("POST", "/checkpoints", { token, json: {} }),
				...["g/h", "i/j/k", "l"].map(put),
				call("POST", "/exited", { token, json: exited }),
				...["m/n", "o/p/q"].map(put),
			];
			for (const { status } of await Promise.all(work)) answers.push(status);
		}
		expect(answers.filter((status) => status >= 500)).toEqual([]);
	});
});

describe("a fence being written", () => {
	it("rejects reports sent before it was committed", async () => {
		const token = await enrolled();
		const id = String((await call("POST", "/checkpoints", { token, json: {} })).body.id);
		await call("PUT", `/checkpoints/${id}/a`, { token, text: "x", headers: { "x-spillway-sha256": sum("x") } });
		const heardAtMs = (await row()).instance.lastHeardAt?.getTime() ?? null;
		const member = { instanceId, attemptId, nodes: 1, heardAtMs, reason: reason("agent_silent"), atMs: clock.nowMs() };
		const [written, seen] = [Promise.withResolvers<boolean>(), Promise.withResolvers<void>()];
		const fencing = database.db.transaction(async (tx) => {
			written.resolve(await fenceMember(tx, member));
			await seen.promise;
		});
		expect(await written.promise).toBe(true);
		const answers = Promise.all([
			call("POST", `/checkpoints/${id}/commit`, { token, json: { files: [file("a", "x")] } }),
			call("POST", "/logs", { token, json: { firstNumber: 1, lines: [{ atMs: clock.nowMs(), stream: "stdout", text: "late" }] } }),
			call("POST", "/exited", { token, json: { exit: { code: 0, signal: null, error: null }, atMs: clock.nowMs() } }),
		]);
		const waiting = () => database.sql<{ n: number }[]>`
			select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
		await expect.poll(async () => (await waiting())[0]?.n, { timeout: 600_000 }).toBe(3);
		seen.resolve();
		await fencing;
		expect((await answers).map(({ status }) => status)).toEqual([409, 409, 200]);
		const { instance: machine, attempt: run } = await row();
		expect([machine.exit, machine.logLines, run.state, run.exitCode]).toEqual([null, 0, "lost", null]);
		expect(await database.db.$count(checkpoint, eq(checkpoint.jobId, jobId))).toBe(0);
	});
});

describe("checkpoints", () => {
	async function begin(token: string): Promise<string> {
		return String((await call("POST", "/checkpoints", { token, json: {} })).body.id);
	}
	const put = (token: string, id: string, p: string, text: string, sha256 = sum(text)) =>
		call("PUT", `/checkpoints/${id}/${p}`, { token, text, headers: { "x-spillway-sha256": sha256 } });
	const commit = (token: string, id: string, ...files: object[]) => call("POST", `/checkpoints/${id}/commit`, { token, json: { files } });

	it("are complete or absent, and are restored unchanged", async () => {
		const token = await enrolled();
		const id = await begin(token);
		expect((await put(token, id, "deep/a", "first")).status).toBe(200);
		expect((await put(token, id, "deep/a", "alpha")).status).toBe(200);
		expect((await put(token, id, "b%20%23", "beta")).status).toBe(200);
		const files = [file("deep/a", "alpha"), file("b #", "beta")];
		expect(await call("GET", `/checkpoints/${id}/deep/a`, { token })).toMatchObject({ status: 404 });
		expect((await commit(token, id, ...files)).status).toBe(200);
		expect((await commit(token, id, ...files)).status).toBe(200);
		expect((await call("GET", `/checkpoints/${id}/deep/a`, { token })).body.text).toBe("alpha");
		const kept = await database.db.select().from(checkpoint).where(eq(checkpoint.jobId, jobId));
		expect(kept).toMatchObject([{ id, files: 2, bytes: 9n, attemptId }]);
		const { body } = await call("POST", "/enroll", { json: enrollment() });
		expect(body.checkpoint).toEqual({ id, files });
	});

	it.each([
		["a missing file", [file("a", "alpha"), file("b", "beta")]],
		["a file with a different checksum", [{ ...file("a", "alpha"), sha256: sum("other") }]],
		["a file with a different length", [{ ...file("a", "alpha"), bytes: 4 }]],
		["fewer files than were sent", [file("z", "")]],
	])("are not committed with %s", async (_what, files) => {
		const token = await enrolled();
		const id = await begin(token);
		await put(token, id, "a", "alpha");
		expect(await commit(token, id, ...files)).toMatchObject({ status: 412, body: { code: "precondition_failed" } });
		expect(await database.db.select().from(checkpoint).where(eq(checkpoint.jobId, jobId))).toEqual([]);
	});

	it.each(["..%2F..%2Fx", "%2e%2e%2fx", "a%2F..%2Fb", "a//b", "%2Fetc%2Fpasswd", "a%00b", "%zz"])(
		"reject a path outside the folder: %s",
		async (p) => {
			const token = await enrolled();
			const id = await begin(token);
			const { status } = await put(token, id, p, "evil");
			expect(status).toBe(400);
			expect(await readdir(path.join(root, "checkpoints", jobId, `${id}.partial`))).toEqual([]);
		},
	);

	it("reject a file that is too large, truncated, or without a checksum", async () => {
		const token = await enrolled();
		const id = await begin(token);
		expect((await put(token, id, "big", "x".repeat(1_001))).status).toBe(413);
		expect((await put(token, id, "torn", "half", sum("whole"))).status).toBe(412);
		expect((await call("PUT", `/checkpoints/${id}/a`, { token, text: "x" })).status).toBe(400);
		expect(await readdir(path.join(root, "checkpoints", jobId, `${id}.partial`))).toEqual([]);
	});

	it("that are cut off in transit are rejected without ending the server", async () => {
		const token = await enrolled();
		const id = await begin(token);
		const cut = new Error("aborted");
		const body = new ReadableStream({ start: (stream) => stream.error(cut) });
		const headers = { authorization: `Bearer ${token}`, "x-spillway-sha256": sum("a") };
		const init: RequestInit & { duplex: "half" } = { method: "PUT", headers, body, duplex: "half" };
		const answer = await handle(new Request(`http://control/agent/v1/checkpoints/${id}/a`, init)).catch((error: unknown) => error);
		expect(answer instanceof Response ? answer.status : answer).not.toBe(200);
		expect(await readdir(path.join(root, "checkpoints", jobId, `${id}.partial`))).toEqual([]);
	});

	it("belong to one job", async () => {
		const token = await enrolled();
		const id = await begin(token);
		await put(token, id, "a", "alpha");
		await commit(token, id, file("a", "alpha"));
		jobId = await seedJob(database.db, aSpec());
		await seed(PROVIDER_ID + jobId.slice(-8));
		const other = await enrolled();
		expect((await call("GET", `/checkpoints/${id}/a`, { token: other })).status).toBe(404);
		expect((await put(other, id, "a", "evil")).status).toBe(404);
		expect((await commit(other, id, file("a", "alpha"))).status).toBe(404);
	});

	it("kept by a site on this host can be downloaded too", async () => {
		const folder = path.join(root, "home", attemptId);
		await mkdir(path.join(folder, "deep"), { recursive: true });
		await writeFile(path.join(folder, "deep", "step"), "41");
		const id = await saveCheckpoint(database.db, path.join(root, "checkpoints"), { jobId, attemptId, folder, atMs: clock.nowMs() });
		const { body } = await call("POST", "/enroll", { json: enrollment() });
		expect(body.checkpoint).toEqual({ id, files: [file("deep/step", "41")] });
		const token = String(body.token);
		expect((await call("GET", `/checkpoints/${id}/deep/step`, { token })).body.text).toBe("41");
	});
});

describe("files for machines", () => {
	it("are served unchanged, and missing ones are looked up again", async () => {
		expect((await call("GET", "/agent.mjs")).status).toBe(503);
		await writeFile(path.join(root, "agent.mjs"), "export {};\n");
		await writeFile(path.join(root, "node"), "binary");
		expect((await call("GET", "/agent.mjs")).body.text).toBe(await readFile(path.join(root, "agent.mjs"), "utf8"));
		expect((await call("GET", "/runtime/linux-x64")).body.text).toBe("binary");
	});
});
