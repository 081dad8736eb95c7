import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { userData } from "#server/agent/user-data.ts";
import { createAgentHandler } from "#server/api/agent/handler.ts";
import { fileSha256 } from "#server/api/agent/served-file.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { audit } from "#server/db/schema/audit.ts";
import { instance } from "#server/db/schema/instance.ts";
import { site } from "#server/db/schema/site.ts";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import { systemClock } from "#server/kernel/clock.ts";
import { gcpIdentity } from "#server/providers/gcp/identity.ts";
import { machineName } from "#server/providers/gcp/names.ts";
import { deploymentId } from "#server/services/core/deployment.ts";
import { bootstrapSecretOf } from "#server/services/work/agent/bootstrap.ts";
import { buildAgent, type ControlPlane, serve } from "#server/services/work/agent/testing/machine.ts";
import { aSpec, SECRET_KEY, seedInstance, seedJob } from "#server/services/work/agent/testing/seed.ts";
import { eventually } from "../shared/testing/eventually.ts";
import { DEFAULT_ACCOUNT, DEFAULT_PROJECT } from "./options.ts";
import { machineOf, startTestEmulator, type TestEmulator, ZONE } from "./testing/fixture.ts";

const LIFE_MS = 600_000;

let database: TestDatabase;
let emulator: TestEmulator;
let control: ControlPlane;
let agentSha256: string;
let folder: string;

beforeAll(async () => {
	database = await createTestDatabase();
	// Google gives a preempted machine half a minute, and the agent keeps part of it for the upload.
	emulator = await startTestEmulator({ spotNoticeMs: 15_000 });
	folder = await mkdtemp(path.join(os.tmpdir(), "spillway-gce-agent-"));
	const agentFile = await buildAgent();
	agentSha256 = await fileSha256(agentFile);
	const handler = createAgentHandler({
		...{ db: database.db, clock: systemClock, secretKey: SECRET_KEY, checkpointRoot: folder, artifactRoot: folder, agentFile },
		timing: { heartbeatMs: 50, stopGraceMs: 10_000, controlSilenceMs: 60_000, leaseMs: 0 },
		identities: { of: () => gcpIdentity(undefined), controlUrl: () => control.url },
		log: (message, error) => console.error(message, error),
	});
	control = await serve(handler);
	const image = "projects/debian-cloud/global/images/family/debian-12";
	const place = { project: DEFAULT_PROJECT, regions: ["us-central1"], image, endpoint: emulator.url };
	await database.db.insert(site).values({
		...{ id: "gcp", name: "Google Cloud", provider: "gcp" },
		settings: { ...place, serviceAccount: DEFAULT_ACCOUNT, instanceIdentity: "required" },
	});
});
afterAll(async () => {
	await control.close();
	await emulator.dispose();
	await database.drop();
	await rm(folder, { recursive: true, force: true });
});

/** A job on a machine that boots now, launched as the control plane launches it. */
async function launch(source: string, changes: Record<string, unknown> = {}) {
	const jobId = await seedJob(database.db, aSpec({ command: ["node", "-e", source] }));
	const expiresAtMs = Date.now() + LIFE_MS;
	// As after a launch with a lost response: the agent's first call reports the machine's number.
	const seeded = await seedInstance(database.db, { jobId, number: 1, expiresAtMs, providerInstanceId: null });
	const ours = eq(instance.id, seeded.instanceId);
	await database.db.update(instance).set({ siteId: "gcp", provider: "gcp", region: "us-central1" }).where(ours);
	const bootstrapSecret = bootstrapSecretOf(SECRET_KEY, seeded.instanceId);
	const times = { expiresAtMs, lifeMs: LIFE_MS };
	const input = { controlUrl: control.url, instanceId: seeded.instanceId, bootstrapSecret, agentSha256, ...times, runtimeSha256: {} };
	const name = machineName(await deploymentId(database.db), seeded.instanceId);
	const serviceAccounts = [{ email: DEFAULT_ACCOUNT, scopes: ["https://www.googleapis.com/auth/cloud-platform"] }];
	const boot = async (as: string, more: Record<string, unknown>) => {
		const { targetId } = await emulator.launch(machineOf(as, { serviceAccounts, ...more }, userData(input)));
		return String(targetId);
	};
	return { ...seeded, boot: () => boot(name, changes), bootElsewhere: (more = {}) => boot(`thief-${name.slice(-40)}`, more) };
}

async function attemptRow(id: string) {
	const [row] = await database.db.select().from(attempt).where(eq(attempt.id, id));
	return row;
}

const bookOf = (id: string) => emulator.instances().find(({ instanceId }) => instanceId === id);

it("runs a job to its end on a Google machine, which is then off", async () => {
	const { attemptId, instanceId, boot } = await launch("console.log('trained')");
	const machineId = await boot();
	const ended = await eventually("the report", async () => {
		const row = await attemptRow(attemptId);
		return row?.finishedAt ? row : null;
	});
	expect(ended).toMatchObject({ state: "succeeded", exitCode: 0 });
	const [row] = await database.db.select().from(instance).where(eq(instance.id, instanceId));
	expect(row?.providerInstanceId).toBe(`${ZONE}/${machineId}`);
	await eventually("the machine to be off", () => bookOf(machineId)?.state === "stopped");
});

it("reads a preemption from Google's metadata server and stops in time", async () => {
	const scheduling = { onHostMaintenance: "TERMINATE", provisioningModel: "SPOT", instanceTerminationAction: "DELETE" };
	const source = "process.on('SIGTERM', () => process.exit(0)); setInterval(() => {}, 1000)";
	const { attemptId, instanceId, boot } = await launch(source, { scheduling });
	const machineId = await boot();
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

it("rejects another machine with stolen user-data, and still accepts its own", async () => {
	const { attemptId, instanceId, boot, bootElsewhere } = await launch("console.log('trained')");
	const thief = await bootElsewhere();
	await eventually("the thief to be off", () => bookOf(thief)?.state === "stopped");
	const lines = await database.db.select().from(audit).where(eq(audit.subject, instanceId));
	expect(lines).toMatchObject([{ actor: "system:agent", action: "instance.identity_refused", after: { fault: "other_instance" } }]);
	expect(await attemptRow(attemptId)).toMatchObject({ state: "starting" });
	await boot();
	await eventually("the job to end", async () => (await attemptRow(attemptId))?.state === "succeeded");
});

it("waits if a document is required and its machine has none", async () => {
	const { instanceId, bootElsewhere } = await launch("console.log('trained')");
	// Google signs nothing for it, so a thief has nothing to present.
	await bootElsewhere({ serviceAccounts: [] });
	const [line] = await eventually("the refusal", async () => {
		const lines = await database.db.select().from(audit).where(eq(audit.subject, instanceId));
		return lines.length > 0 ? lines : null;
	});
	expect(line).toMatchObject({ action: "instance.identity_refused", after: { fault: "missing", message: "the machine sent none" } });
	const [row] = await database.db.select().from(instance).where(eq(instance.id, instanceId));
	expect(row).toMatchObject({ state: "requested", agentTokenHash: null });
});

it("retries while the metadata server is unavailable or has no document yet, and is rejected with an expired one", async () => {
	const late = await launch("console.log('trained')");
	emulator.faults.add({ action: "metadata", behaviour: { kind: "no_metadata" }, times: 1 });
	emulator.faults.add({ action: "metadata", behaviour: { kind: "identity", as: "absent" }, times: 1 });
	await late.boot();
	await eventually("the job to end", async () => (await attemptRow(late.attemptId))?.state === "succeeded");
	const stale = await launch("console.log('trained')");
	emulator.faults.add({ action: "metadata", behaviour: { kind: "identity", as: "expired" } });
	const machineId = await stale.boot();
	await eventually("the machine to be off", () => bookOf(machineId)?.state === "stopped");
	const faultsOf = async (id: string) => (await database.db.select().from(audit).where(eq(audit.subject, id))).map(({ after }) => after);
	expect(await faultsOf(late.instanceId)).toMatchObject([{ fault: "missing" }]);
	expect(await faultsOf(stale.instanceId)).toMatchObject([{ fault: "expired" }]);
});
