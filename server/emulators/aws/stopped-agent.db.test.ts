import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { asc, eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { userData } from "#server/agent/user-data.ts";
import { createAgentHandler } from "#server/api/agent/handler.ts";
import { fileSha256 } from "#server/api/agent/served-file.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { instance } from "#server/db/schema/instance.ts";
import { jobLog } from "#server/db/schema/job-log.ts";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import { systemClock } from "#server/kernel/clock.ts";
import { AwsDriver } from "#server/providers/aws/driver.ts";
import { assignWarm } from "#server/services/capacity/instance/warm.ts";
import { bootstrapSecretOf } from "#server/services/work/agent/bootstrap.ts";
import { buildAgent, type ControlPlane, serve } from "#server/services/work/agent/testing/machine.ts";
import { aSpec, SECRET_KEY, seedInstance, seedJob } from "#server/services/work/agent/testing/seed.ts";
import { eventually } from "../shared/testing/eventually.ts";
import { DEFAULT_ACCESS_KEY_ID } from "./options.ts";
import { startTestEmulator, type TestEmulator } from "./testing/fixture.ts";

const LIFE_MS = 600_000;
const REGION = "us-east-1";

let database: TestDatabase;
let emulator: TestEmulator;
let control: ControlPlane;
let agentSha256: string;
let folder: string;

beforeAll(async () => {
	database = await createTestDatabase();
	emulator = await startTestEmulator();
	folder = await mkdtemp(path.join(os.tmpdir(), "spillway-stopped-agent-"));
	const agentFile = await buildAgent();
	agentSha256 = await fileSha256(agentFile);
	const handler = createAgentHandler({
		...{ db: database.db, clock: systemClock, secretKey: SECRET_KEY, checkpointRoot: folder, artifactRoot: folder, agentFile },
		timing: { heartbeatMs: 50, stopGraceMs: 10_000, controlSilenceMs: 60_000, leaseMs: 0 },
		log: (message, error) => console.error(message, error),
	});
	control = await serve(handler);
});
afterAll(async () => {
	await control.close();
	await emulator.dispose();
	await database.drop();
	await rm(folder, { recursive: true, force: true });
});

const rowOf = async (id: string) => (await database.db.select().from(instance).where(eq(instance.id, id)))[0];

it("boots again from its disk after a stop, and runs its job", async () => {
	const jobId = await seedJob(database.db, aSpec({ command: ["echo", "trained"] }));
	const expiresAtMs = Date.now() + LIFE_MS;
	const { instanceId, attemptId } = await seedInstance(database.db, {
		...{ jobId, number: 1, expiresAtMs, providerInstanceId: null, warm: true },
	});
	await database.db.update(instance).set({ capacityType: "on_demand", keepStopped: true }).where(eq(instance.id, instanceId));
	const credentials = { accessKeyId: DEFAULT_ACCESS_KEY_ID, secretAccessKey: "any" };
	const driver = new AwsDriver("aws", {
		settings: { controlPlane: "spw-1", endpoint: emulator.url, regions: [REGION], credentials, imageId: "ami-0123456789abcdef0" },
		listPrices: () => [],
	});
	const script = userData({
		...{ controlUrl: control.url, instanceId, bootstrapSecret: bootstrapSecretOf(SECRET_KEY, instanceId), agentSha256 },
		...{ expiresAtMs, lifeMs: LIFE_MS, warmMs: LIFE_MS, bootsAgain: true, runtimeSha256: {} },
	});
	const { providerInstanceId } = await driver.launch({
		...{ instanceId, jobId, attemptId, region: REGION, zone: null, instanceType: "g5.xlarge", capacityType: "on_demand" },
		...{ userData: script, expiresAtMs },
	});
	const stateOf = async () => (await driver.describe(REGION, [providerInstanceId]))[0]?.state;
	await eventually("the machine to be ready", async () => (await rowOf(instanceId))?.state === "ready");
	await driver.power.stop(REGION, providerInstanceId);
	await eventually("the machine to be stopped", async () => (await stateOf()) === "stopped");
	const heardAt = (await rowOf(instanceId))?.lastHeardAt;
	await driver.power.start(REGION, providerInstanceId);
	await eventually("its agent to call again", async () => Number((await rowOf(instanceId))?.lastHeardAt) > Number(heardAt));
	await database.db.transaction((tx) => assignWarm(tx, { instanceId, jobId, attemptId, lifeMs: LIFE_MS, nowMs: Date.now() }));
	await eventually("the job to end", async () => {
		const [row] = await database.db.select().from(attempt).where(eq(attempt.id, attemptId));
		return row?.state === "succeeded";
	});
	const log = await database.db.select().from(jobLog).where(eq(jobLog.attemptId, attemptId)).orderBy(asc(jobLog.number));
	expect(log.filter(({ stream }) => stream === "stdout").map(({ text }) => text)).toEqual(["trained"]);
	await eventually("the machine to power off", async () => (await stateOf()) === "terminated");
	await driver.close();
});
