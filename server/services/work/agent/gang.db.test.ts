import { access, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { asc, eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { EnrollAnswer } from "#server/agent/protocol.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { instance } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import { jobLog } from "#server/db/schema/job-log.ts";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import { ManualClock } from "#server/kernel/clock.ts";
import { authenticateAgent } from "./authenticate.ts";
import { bootstrapSecretOf } from "./bootstrap.ts";
import { newAgentCheckpoint } from "./checkpoint.ts";
import type { AgentContext } from "./context.ts";
import { enrollAgent } from "./enroll.ts";
import { agentHeartbeat } from "./heartbeat.ts";
import { reportExited, reportRunning, storeAgentLogs } from "./report.ts";
import { reportStaged } from "./staged.ts";
import { aSpec, SECRET_KEY, seedInstance, seedJob } from "./testing/seed.ts";

let database: TestDatabase;
let ctx: AgentContext;
let folder: string;
const clock = new ManualClock(Date.now());
beforeAll(async () => {
	database = await createTestDatabase();
	folder = await mkdtemp(path.join(os.tmpdir(), "spillway-gang-"));
	const timing = { heartbeatMs: 50, stopGraceMs: 1_000, controlSilenceMs: 60_000, leaseMs: 0 };
	ctx = { db: database.db, clock, secretKey: SECRET_KEY, checkpointRoot: folder, artifactRoot: folder, timing };
});
afterAll(async () => {
	await database.drop();
	await rm(folder, { recursive: true, force: true });
});

/** A gang with all machines enrolled; `agents` returns each machine's current identity. */
async function enrolled(nodes: number) {
	const jobId = await seedJob(database.db, aSpec({ nodes, resources: { gpus: 8, accelerators: [], cpus: null, memoryGiB: null } }));
	const answers: ({ instanceId: string } & EnrollAnswer)[] = [];
	for (let rank = 0; rank < nodes; rank++) {
		const place = { jobId, number: 1, rank, expiresAtMs: clock.nowMs() + 600_000, providerInstanceId: `i-${jobId}-${rank}` };
		const { instanceId } = await seedInstance(database.db, place);
		const secret = { bootstrapSecret: bootstrapSecretOf(SECRET_KEY, instanceId), nonce: `nonce-of-rank-${rank}-0000` };
		const where = { providerInstanceId: place.providerInstanceId, privateAddress: `10.0.0.${rank + 1}` };
		answers.push({ instanceId, ...(await enrollAgent(ctx, { instanceId, ...secret, ...where })) });
	}
	const agent = (rank: number) => authenticateAgent({ db: database.db, clock }, `Bearer ${answers[rank]?.token}`);
	return { jobId, attemptId: answers[0]?.attemptId ?? "", answers, agent };
}

const EXIT = { code: 0, signal: null, error: null };
const rowOf = async (attemptId: string) => (await database.db.select().from(attempt).where(eq(attempt.id, attemptId)))[0];

it("assigns each machine its rank, and the rendezvous when the last one has its data", async () => {
	const { answers, agent } = await enrolled(3);
	expect(answers.map((a) => a.gang)).toEqual([0, 1, 2].map((rank) => ({ rank, nodes: 3 })));
	for (const rank of [2, 0]) expect(await reportStaged(ctx, await agent(rank))).toEqual({ master: null, environment: {} });
	const meeting = { master: { address: "10.0.0.1", port: 29_500 }, environment: {} };
	for (const rank of [1, 0, 2]) expect(await reportStaged(ctx, await agent(rank))).toEqual(meeting);
});

it("has a machine that boots before its launch is recorded try again", async () => {
	const jobId = await seedJob(database.db, aSpec({ nodes: 2 }));
	const place = { jobId, number: 1, rank: 1, expiresAtMs: clock.nowMs() + 600_000, providerInstanceId: null, isIntended: true };
	const { instanceId } = await seedInstance(database.db, place);
	const request = {
		...{ instanceId, providerInstanceId: "i-early", nonce: "nonce-of-an-early-host" },
		bootstrapSecret: bootstrapSecretOf(SECRET_KEY, instanceId),
	};
	await expect(enrollAgent(ctx, request)).rejects.toMatchObject({ code: "unavailable" });
	await database.db.update(instance).set({ state: "requested" }).where(eq(instance.id, instanceId));
	expect(await enrollAgent(ctx, request)).toMatchObject({ jobId });
});

it("is not formed for one machine", async () => {
	const { answers } = await enrolled(1);
	expect(answers[0]?.gang).toBeNull();
});

it("counts the report of a command's end as a sign of life", async () => {
	const { answers, agent } = await enrolled(1);
	clock.advance(4_000);
	await reportExited(ctx, await agent(0), { exit: EXIT, atMs: clock.nowMs() - 1_000 });
	const [row] = await database.db
		.select({ lastHeardAt: instance.lastHeardAt })
		.from(instance)
		.where(eq(instance.id, answers[0]?.instanceId ?? ""));
	expect(row?.lastHeardAt?.getTime()).toBe(clock.nowMs());
});

it("keeps one log for all ranks, with each line once and with its rank, whichever agent resends", async () => {
	const { attemptId, agent } = await enrolled(2);
	const line = (text: string) => ({ atMs: clock.nowMs(), stream: "stdout" as const, text });
	await storeAgentLogs(ctx, await agent(1), { firstNumber: 1, lines: [line("a"), line("b")] });
	await storeAgentLogs(ctx, await agent(0), { firstNumber: 1, lines: [line("a")] });
	expect(await storeAgentLogs(ctx, await agent(1), { firstNumber: 2, lines: [line("b"), line("c")] })).toEqual({ stored: 3, full: false });
	await expect(storeAgentLogs(ctx, await agent(0), { firstNumber: 3, lines: [line("gap")] })).rejects.toThrow(/only 1 lines/);
	const lines = await database.db.select().from(jobLog).where(eq(jobLog.attemptId, attemptId)).orderBy(asc(jobLog.number));
	expect(lines.map((l) => [l.number, l.text])).toEqual([
		[1, "[1] a"],
		[2, "[1] b"],
		[3, "[0] a"],
		[4, "[1] c"],
	]);
});

it("keeps only the checkpoints of rank 0, also while another rank ends", async () => {
	const { agent } = await enrolled(2);
	await expect(newAgentCheckpoint(ctx, await agent(1))).rejects.toThrow(
		/Only rank 0 of a gang uploads checkpoints; this machine has rank 1/,
	);
	const { id } = await newAgentCheckpoint(ctx, await agent(0));
	await reportExited(ctx, await agent(1), { exit: EXIT, atMs: clock.nowMs() });
	await access(path.join(folder, (await agent(0)).jobId, `${id}.partial`));
});

it("succeeds with its last machine, and records each end once", async () => {
	const { attemptId, jobId, agent } = await enrolled(2);
	await reportRunning(ctx, await agent(0), { atMs: clock.nowMs() });
	await reportExited(ctx, await agent(0), { exit: EXIT, atMs: clock.nowMs() });
	await reportExited(ctx, await agent(0), { exit: { ...EXIT, code: 9 }, atMs: clock.nowMs() });
	expect((await rowOf(attemptId))?.state).toBe("running");
	await reportExited(ctx, await agent(1), { exit: EXIT, atMs: clock.nowMs() });
	expect(await rowOf(attemptId)).toMatchObject({ state: "succeeded", exitCode: 0 });
	const [row] = await database.db.select().from(job).where(eq(job.id, jobId));
	expect(row?.state).toBe("succeeded");
});

it("ends once, however many machines report at the same moment", async () => {
	const { attemptId, jobId, agent } = await enrolled(4);
	await reportRunning(ctx, await agent(0), { atMs: clock.nowMs() });
	const agents = await Promise.all([0, 1, 2, 3].map(agent));
	await Promise.all(agents.map((a, rank) => reportExited(ctx, a, { exit: { ...EXIT, code: rank }, atMs: clock.nowMs() })));
	const ended = await rowOf(attemptId);
	expect([ended?.state, ended?.reason?.code]).toEqual(["failed", "gang_member_failed"]);
	expect(ended?.exitCode).toBe(ended?.reason?.facts["rank"]);
	const events = await database.sql`select count(*)::int as n from event where job_id = ${jobId} and kind = 'job_failed'`;
	expect(events[0]?.n).toBe(1);
});

it("stops all machines when the provider reclaims one, and names its rank in the reason", async () => {
	const { attemptId, agent } = await enrolled(2);
	const atMs = clock.nowMs() + 30_000;
	await agentHeartbeat(ctx, await agent(1), { phase: "running", notice: { atMs } });
	expect((await rowOf(attemptId))?.stopReason).toMatchObject({ code: "spot_interruption", facts: { rank: 1, nodes: 2 } });
	expect((await agentHeartbeat(ctx, await agent(0), { phase: "running" })).stop).toEqual({ reason: "spot_interruption", graceMs: 1_000 });
	await reportExited(ctx, await agent(1), { exit: { ...EXIT, code: 143 }, atMs: clock.nowMs(), notice: { atMs } });
	await reportExited(ctx, await agent(0), { exit: EXIT, atMs: clock.nowMs() });
	expect(await rowOf(attemptId)).toMatchObject({ state: "interrupted", exitCode: 143 });
	const machines = await database.db.select().from(instance).where(eq(instance.attemptId, attemptId)).orderBy(asc(instance.rank));
	expect(machines.map((i) => i.interruptionAt !== null)).toEqual([false, true]);
});
