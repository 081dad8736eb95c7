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
import { AzureDriver } from "#server/providers/azure/driver.ts";
import type { AzureSettings } from "#server/providers/azure/settings.ts";
import type { LaunchRequest } from "#server/providers/driver.ts";
import { bootstrapSecretOf } from "#server/services/work/agent/bootstrap.ts";
import { buildAgent, type ControlPlane, serve } from "#server/services/work/agent/testing/machine.ts";
import { aSpec, SECRET_KEY, seedInstance, seedJob } from "#server/services/work/agent/testing/seed.ts";
import { eventually } from "../shared/testing/eventually.ts";
import { EMULATED_SUBSCRIPTION } from "./options.ts";
import { GROUP, startTestEmulator, type TestEmulator } from "./testing/fixture.ts";

const LIFE_MS = 600_000;
const RESOURCES = `/subscriptions/${EMULATED_SUBSCRIPTION}/resourceGroups/${GROUP}/providers`;

let database: TestDatabase;
let emulator: TestEmulator;
let control: ControlPlane;
let agentSha256: string;
let folder: string;

beforeAll(async () => {
	database = await createTestDatabase();
	// Azure gives an evicted machine half a minute, and the agent keeps part of it for the upload.
	emulator = await startTestEmulator({ spotNoticeMs: 15_000 });
	folder = await mkdtemp(path.join(os.tmpdir(), "spillway-azure-agent-"));
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

/**
 * A job on a machine that the driver launches now. The launch response is not recorded, so the agent's first call identifies the
 * machine.
 */
async function launch(source: string, capacityType: LaunchRequest["capacityType"], changes: Partial<AzureSettings> = {}) {
	const jobId = await seedJob(database.db, aSpec({ command: ["node", "-e", source] }));
	const expiresAtMs = Date.now() + LIFE_MS;
	const seeded = await seedInstance(database.db, { jobId, number: 1, expiresAtMs, providerInstanceId: null });
	const { instanceId, attemptId } = seeded;
	const bootstrapSecret = bootstrapSecretOf(SECRET_KEY, instanceId);
	const times = { expiresAtMs, lifeMs: LIFE_MS };
	const script = userData({ controlUrl: control.url, instanceId, bootstrapSecret, agentSha256, ...times, runtimeSha256: {} });
	const driver = new AzureDriver("azure", {
		settings: {
			...{
				controlPlane: "spw-1",
				endpoint: emulator.url,
				subscriptionId: EMULATED_SUBSCRIPTION,
				resourceGroup: GROUP,
				regions: ["eastus"],
			},
			subnets: { eastus: `${RESOURCES}/Microsoft.Network/virtualNetworks/v/subnets/s` },
			allocationPollMs: 20,
			...changes,
		},
		listPrices: () => [],
	});
	const request = { instanceId, jobId, attemptId, region: "eastus", zone: null, instanceType: "Standard_NC4as_T4_v3", capacityType };
	return { ...seeded, made: await driver.launch({ ...request, userData: script, expiresAtMs }), driver };
}

const ended = (attemptId: string) =>
	eventually("the report", async () => {
		const [row] = await database.db.select().from(attempt).where(eq(attempt.id, attemptId));
		return row?.finishedAt ? row : null;
	});
const bookOf = (providerId: string) => emulator.instances().find(({ name, resourceGroup }) => `${resourceGroup}/${name}` === providerId);
const rowOf = async (instanceId: string) => (await database.db.select().from(instance).where(eq(instance.id, instanceId)))[0];

it("runs a job to its end on an Azure machine, which then deletes itself by its identity", async () => {
	const machineIdentity = `${RESOURCES}/Microsoft.ManagedIdentity/userAssignedIdentities/spillway-machine`;
	const { attemptId, instanceId, made } = await launch("console.log('trained')", "on_demand", { machineIdentity });
	expect(await ended(attemptId)).toMatchObject({ state: "succeeded", exitCode: 0 });
	expect((await rowOf(instanceId))?.providerInstanceId).toBe(made.providerInstanceId);
	await eventually("the machine to end", () => bookOf(made.providerInstanceId)?.state === "terminated");
	expect(bookOf(made.providerInstanceId)?.stateReasonCode).toBe("Deleted");
});

it("reads an eviction from Scheduled Events and stops in time; without an identity its machine powers off and waits for deletion", async () => {
	const source = "process.on('SIGTERM', () => process.exit(0)); setInterval(() => {}, 1000)";
	const { attemptId, instanceId, made, driver } = await launch(source, "spot");
	await eventually(
		"the job to run",
		async () => (await database.db.select().from(attempt).where(eq(attempt.id, attemptId)))[0]?.state === "running",
	);
	emulator.interrupt(bookOf(made.providerInstanceId)?.instanceId ?? "");
	expect(await ended(attemptId)).toMatchObject({ state: "interrupted", reason: { code: "spot_interruption" } });
	expect((await rowOf(instanceId))?.interruptionAt).not.toBeNull();
	await eventually("the machine to be off", () => bookOf(made.providerInstanceId)?.state === "stopped");
	expect(await driver.describe("eastus", [made.providerInstanceId])).toMatchObject([{ state: "stopped" }]);
	await driver.terminate("eastus", made.providerInstanceId);
	await eventually(
		"the end to be seen",
		async () => (await driver.describe("eastus", [made.providerInstanceId]))[0]?.state === "terminated",
	);
});
