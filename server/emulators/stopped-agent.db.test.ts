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
import { AzureDriver } from "#server/providers/azure/driver.ts";
import type { CloudDriver } from "#server/providers/driver.ts";
import { GcpDriver } from "#server/providers/gcp/driver.ts";
import { assignWarm } from "#server/services/capacity/instance/warm.ts";
import { bootstrapSecretOf } from "#server/services/work/agent/bootstrap.ts";
import { buildAgent, type ControlPlane, serve } from "#server/services/work/agent/testing/machine.ts";
import { aSpec, SECRET_KEY, seedInstance, seedJob } from "#server/services/work/agent/testing/seed.ts";
import { DEFAULT_ACCESS_KEY_ID } from "./aws/options.ts";
import { startTestEmulator as startEc2 } from "./aws/testing/fixture.ts";
import { EMULATED_RESOURCE_GROUP, EMULATED_SUBSCRIPTION } from "./azure/options.ts";
import { startTestEmulator as startAzure } from "./azure/testing/fixture.ts";
import { writeKeyFile } from "./gcp/key-file.ts";
import { DEFAULT_PROJECT } from "./gcp/options.ts";
import { startTestEmulator as startGce, ZONE } from "./gcp/testing/fixture.ts";
import { eventually } from "./shared/testing/eventually.ts";

const LIFE_MS = 600_000;
const listPrices = () => [];

interface Cloud {
	driver: CloudDriver;
	/** The machine in the emulator's records. */
	book(): { state: string; billedSeconds: number } | undefined;
	place: { region: string; zone: string | null; instanceType: string };
	bootsAgain: "copied" | "repeated";
	dispose(): Promise<void>;
}

async function openAws(): Promise<Cloud> {
	const emulator = await startEc2();
	const credentials = { accessKeyId: DEFAULT_ACCESS_KEY_ID, secretAccessKey: "any" };
	const place = { region: "us-east-1", zone: null, instanceType: "g5.xlarge" };
	const settings = {
		controlPlane: "spw-1",
		endpoint: emulator.url,
		regions: [place.region],
		credentials,
		imageId: "ami-0123456789abcdef0",
	};
	const driver = new AwsDriver("aws", { settings, listPrices });
	return { driver, place, bootsAgain: "copied", book: () => emulator.instances()[0], dispose: emulator.dispose };
}

async function openAzure(): Promise<Cloud> {
	const emulator = await startAzure();
	const place = { region: "eastus", zone: null, instanceType: "Standard_NC4as_T4_v3" };
	const [subscriptionId, resourceGroup] = [EMULATED_SUBSCRIPTION, EMULATED_RESOURCE_GROUP];
	const subnet = `/subscriptions/${subscriptionId}/resourceGroups/${resourceGroup}/providers/Microsoft.Network/virtualNetworks/v/subnets/s`;
	const account = { controlPlane: "spw-1", endpoint: emulator.url, subscriptionId, resourceGroup };
	const settings = { ...account, regions: [place.region], subnets: { [place.region]: subnet }, allocationPollMs: 20 };
	const driver = new AzureDriver("azure", { settings, listPrices });
	return { driver, place, bootsAgain: "copied", book: () => emulator.instances()[0], dispose: emulator.dispose };
}

async function openGcp(): Promise<Cloud> {
	const emulator = await startGce();
	process.env["GOOGLE_APPLICATION_CREDENTIALS"] = writeKeyFile(emulator.stateDir);
	const place = { region: "us-central1", zone: ZONE, instanceType: "g2-standard-4" };
	const project = { controlPlane: "spw-1", endpoint: emulator.url, project: DEFAULT_PROJECT, regions: [place.region], livePrices: false };
	const settings = { ...project, image: "projects/debian-cloud/global/images/family/debian-12", operationPollMs: 20 };
	const driver = new GcpDriver("gcp", { settings, listPrices });
	return { driver, place, bootsAgain: "repeated", book: () => emulator.instances()[0], dispose: emulator.dispose };
}

let database: TestDatabase;
let control: ControlPlane;
let agentSha256: string;
let folder: string;

beforeAll(async () => {
	database = await createTestDatabase();
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
	await database.drop();
	await rm(folder, { recursive: true, force: true });
});

const rowOf = async (id: string) => (await database.db.select().from(instance).where(eq(instance.id, id)))[0];

async function launch({ driver, place, bootsAgain }: Cloud) {
	const jobId = await seedJob(database.db, aSpec({ command: ["echo", "trained"] }));
	const expiresAtMs = Date.now() + LIFE_MS;
	const { instanceId, attemptId } = await seedInstance(database.db, {
		...{ jobId, number: 1, expiresAtMs, providerInstanceId: null, warm: true },
	});
	await database.db.update(instance).set({ capacityType: "on_demand", keepStopped: true }).where(eq(instance.id, instanceId));
	const script = userData({
		...{ controlUrl: control.url, instanceId, bootstrapSecret: bootstrapSecretOf(SECRET_KEY, instanceId), agentSha256 },
		...{ expiresAtMs, lifeMs: LIFE_MS, warmMs: LIFE_MS, bootsAgain, runtimeSha256: {} },
	});
	const request = { instanceId, jobId, attemptId, ...place, capacityType: "on_demand" as const, userData: script, expiresAtMs };
	const { providerInstanceId } = await driver.launch(request);
	return { jobId, attemptId, instanceId, providerInstanceId };
}

it.each([
	["AWS", openAws],
	["Azure", openAzure],
	["Google Cloud", openGcp],
])("boots again from its disk after a stop, and runs its job: %s", async (_name, open) => {
	const cloud = await open();
	const { driver, place } = cloud;
	const { jobId, attemptId, instanceId, providerInstanceId } = await launch(cloud);
	const stateOf = async () => (await driver.describe(place.region, [providerInstanceId]))[0]?.state;
	await eventually("the machine to be ready", async () => (await rowOf(instanceId))?.state === "ready");
	await driver.power?.stop(place.region, providerInstanceId);
	await eventually("the machine to be stopped", async () => (await stateOf()) === "stopped");
	const heardAt = (await rowOf(instanceId))?.lastHeardAt;
	const stopped = cloud.book();
	await driver.power?.start(place.region, providerInstanceId);
	expect(stopped).toMatchObject({ state: "stopped" });
	await eventually("its agent to call again", async () => Number((await rowOf(instanceId))?.lastHeardAt) > Number(heardAt));
	await database.db.transaction((tx) => assignWarm(tx, { instanceId, jobId, attemptId, lifeMs: LIFE_MS, nowMs: Date.now() }));
	await eventually("the job to end", async () => {
		const [row] = await database.db.select().from(attempt).where(eq(attempt.id, attemptId));
		return row?.state === "succeeded";
	});
	const log = await database.db.select().from(jobLog).where(eq(jobLog.attemptId, attemptId)).orderBy(asc(jobLog.number));
	expect(log.filter(({ stream }) => stream === "stdout").map(({ text }) => text)).toEqual(["trained"]);
	await eventually("the machine to power off", async () => ["stopped", "terminated"].includes(cloud.book()?.state ?? ""));
	await driver.terminate(place.region, providerInstanceId);
	await eventually("the machine to be over", () => cloud.book()?.state === "terminated");
	await driver.close();
	await cloud.dispose();
});
