import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { userData } from "#server/agent/user-data.ts";
import { createAgentHandler } from "#server/api/agent/handler.ts";
import { fileSha256 } from "#server/api/agent/served-file.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { instance } from "#server/db/schema/instance.ts";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import { systemClock } from "#server/kernel/clock.ts";
import { bootstrapSecretOf } from "#server/services/agent/bootstrap.ts";
import { buildAgent, type ControlPlane, serve } from "#server/services/agent/testing/machine.ts";
import { aSpec, SECRET_KEY, seedInstance, seedJob } from "#server/services/agent/testing/seed.ts";
import { eventually } from "../shared/testing/eventually.ts";
import { machineOf, startTestEmulator, type TestEmulator, ZONE } from "./testing/fixture.ts";

const LIFE_MS = 600_000;

let database: TestDatabase;
let emulator: TestEmulator;
let control: ControlPlane;
let agentSha256: string;
let folder: string;

beforeAll(async () => {
	database = await createTestDatabase();
	// A preempted machine has half a minute at Google, and its agent keeps some of it for the upload.
	emulator = await startTestEmulator({ spotNoticeMs: 15_000 });
	folder = await mkdtemp(path.join(os.tmpdir(), "spillway-gce-agent-"));
	const agentFile = await buildAgent();
	agentSha256 = await fileSha256(agentFile);
	const handler = createAgentHandler({
		...{ db: database.db, clock: systemClock, secretKey: SECRET_KEY, checkpointRoot: folder, agentFile },
		timing: { heartbeatMs: 50, stopGraceMs: 10_000, controlSilenceMs: 60_000 },
		log: (message, error) => console.error(message, error),
	});
	control = await serve(handler);
});
afterAll(async () => {
	await control.goAway();
	await emulator.dispose();
	await database.drop();
	await rm(folder, { recursive: true, force: true });
});

/** A job on a machine that boots now, as the control plane has it launched. */
async function launch(name: string, source: string, changes: Record<string, unknown> = {}) {
	const jobId = await seedJob(database.db, aSpec({ command: ["node", "-e", source] }));
	const expiresAtMs = Date.now() + LIFE_MS;
	// As after a launch whose answer was lost: the number becomes known by the agent's first call.
	const seeded = await seedInstance(database.db, { jobId, number: 1, expiresAtMs, providerInstanceId: null });
	const bootstrapSecret = bootstrapSecretOf(SECRET_KEY, seeded.instanceId);
	const input = { controlUrl: control.url, instanceId: seeded.instanceId, bootstrapSecret, agentSha256, expiresAtMs, runtimeSha256: {} };
	const { targetId } = await emulator.launch(machineOf(name, changes, userData(input)));
	return { ...seeded, machineId: String(targetId) };
}

async function attemptRow(id: string) {
	const [row] = await database.db.select().from(attempt).where(eq(attempt.id, id));
	return row;
}

const bookOf = (id: string) => emulator.instances().find(({ instanceId }) => instanceId === id);

it("runs a job to its end on a machine of Google's, which then is off", { timeout: 60_000 }, async () => {
	const { attemptId, instanceId, machineId } = await launch("runs", "console.log('trained')");
	const ended = await eventually("the report", async () => {
		const row = await attemptRow(attemptId);
		return row?.finishedAt ? row : null;
	});
	expect(ended).toMatchObject({ state: "succeeded", exitCode: 0 });
	const [row] = await database.db.select().from(instance).where(eq(instance.id, instanceId));
	expect(row?.providerInstanceId).toBe(`${ZONE}/${machineId}`);
	await eventually("the machine to be off", () => bookOf(machineId)?.state === "stopped");
});

it("hears of a preemption from Google's metadata server and stops in time", { timeout: 60_000 }, async () => {
	const scheduling = { onHostMaintenance: "TERMINATE", provisioningModel: "SPOT", instanceTerminationAction: "DELETE" };
	const source = "process.on('SIGTERM', () => process.exit(0)); setInterval(() => {}, 1000)";
	const { attemptId, instanceId, machineId } = await launch("preempted", source, { scheduling });
	await eventually("the job to run", async () => (await attemptRow(attemptId))?.state === "running");
	emulator.interrupt(machineId);
	const ended = await eventually("the report", async () => {
		const row = await attemptRow(attemptId);
		return row?.finishedAt ? row : null;
	});
	expect(ended).toMatchObject({ state: "interrupted", reason: { code: "spot_interruption" } });
	const [row] = await database.db.select().from(instance).where(eq(instance.id, instanceId));
	expect(row?.interruptionAt).not.toBeNull();
});
