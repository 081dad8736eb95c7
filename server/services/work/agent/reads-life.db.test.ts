import { generateKeyPairSync } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startGcsStore } from "#server/agent/testing/object-stores.ts";
import { RCLONE } from "#server/agent/testing/serve-store.ts";
import { userData } from "#server/agent/user-data.ts";
import { createAgentHandler } from "#server/api/agent/handler.ts";
import { fileSha256 } from "#server/api/agent/served-file.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { instance } from "#server/db/schema/instance.ts";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import { systemClock } from "#server/kernel/clock.ts";
import { systemContext } from "#server/services/core/context.ts";
import { chargesOf } from "#server/services/ledger/charge/charges-of.ts";
import { meterAll } from "#server/services/ledger/charge/meter.ts";
import { receiptOf } from "#server/services/ledger/charge/receipt.ts";
import { settleInstance } from "#server/services/ledger/charge/settle.ts";
import { bootstrapSecretOf } from "./bootstrap.ts";
import { boot, buildAgent, eventually, serve, serveMetadata } from "./testing/machine.ts";
import { aSpec, SECRET_KEY, seedInstance, seedJob } from "./testing/seed.ts";

const EMAIL = "reader@acme.iam.gserviceaccount.com";
const KEYS = generateKeyPairSync("rsa", { modulusLength: 2_048 });
/** 300,000 bytes below `set/`, in one bucket. */
const OBJECTS = { "set/rows": "1".repeat(100_000), "set/deep/more": "2".repeat(200_000), other: "3".repeat(50_000) };

let database: TestDatabase;
let agentFile: string;
let folder: string;
beforeAll(async () => {
	database = await createTestDatabase();
	agentFile = await buildAgent();
	folder = await mkdtemp(path.join(os.tmpdir(), "spillway-reads-"));
});
afterAll(async () => {
	await database.drop();
	await rm(folder, { recursive: true, force: true });
});

/** Runs a job on a machine in AWS that reads `gs://claims/set` with rclone, as placed by the decision. */
async function readFromGoogle(command: string) {
	const { db } = database;
	const store = await startGcsStore("claims", OBJECTS, { email: EMAIL, publicKey: KEYS.publicKey });
	const data = [{ uri: "gs://claims/set", sizeGiB: 0.001, mount: "/data", residency: [] }];
	const jobId = await seedJob(db, aSpec({ command: ["sh", "-c", command], data }));
	const times = { expiresAtMs: systemClock.nowMs() + 600_000, lifeMs: 600_000 };
	const providerInstanceId = "i-00000000000000001";
	const { instanceId, attemptId } = await seedInstance(db, { jobId, number: 1, providerInstanceId, expiresAtMs: times.expiresAtMs });
	const [{ placement } = { placement: null }] = await db.select().from(attempt).where(eq(attempt.id, attemptId));
	if (placement === null) throw new Error("the attempt was not seeded");
	const reads = [{ uri: "gs://claims/set", from: "gcp:us-central1", microUsd: 120 }];
	await db
		.update(attempt)
		.set({ placement: { ...placement, reads } })
		.where(eq(attempt.id, attemptId));
	const key = { type: "service_account", client_email: EMAIL, private_key_id: "1", token_uri: `${store.url}/token` };
	const credentials = JSON.stringify({ ...key, private_key: KEYS.privateKey.export({ type: "pkcs8", format: "pem" }) });
	const gs = { type: "google cloud storage", endpoint: `${store.url}/storage/v1/`, service_account_credentials: credentials };
	const control = await serve(
		createAgentHandler({
			...{ db, clock: systemClock, secretKey: SECRET_KEY, agentFile, dataRemotes: async () => ({ gs }) },
			...{ checkpointRoot: path.join(folder, "checkpoints"), artifactRoot: path.join(folder, "artifacts") },
			timing: { heartbeatMs: 50, stopGraceMs: 10_000, controlSilenceMs: 60_000, leaseMs: 0 },
			log: (message, error) => console.error(message, error),
		}),
	);
	const metadata = await serveMetadata(providerInstanceId);
	const bootstrapSecret = bootstrapSecretOf(SECRET_KEY, instanceId);
	const agentSha256 = await fileSha256(agentFile);
	const machine = await boot(userData({ controlUrl: control.url, instanceId, bootstrapSecret, agentSha256, ...times, runtimeSha256: {} }), {
		AWS_EC2_METADATA_SERVICE_ENDPOINT: metadata.url,
	});
	try {
		const ended = await eventually("the attempt is over", async () => {
			const [row] = await db.select().from(attempt).where(eq(attempt.id, attemptId));
			return row?.finishedAt ? row : null;
		});
		return { ended, jobId, instanceId };
	} finally {
		await machine.destroy();
		await metadata.close();
		await control.close();
		await store.stop();
	}
}

/** Real agent, real rclone, an emulated bucket: 300,000 bytes × $0.12 per GiB = 33.53 µ$. */
it.skipIf(!existsSync(RCLONE))(
	"charges the bytes that the agent read from another cloud: 300,000 for 34 µ$ (skipped without rclone)",
	async () => {
		const { ended, jobId, instanceId } = await readFromGoogle("test $(cat data/rows data/deep/more | wc -c) -eq 300000");
		expect(ended).toMatchObject({ state: "succeeded", exitCode: 0 });
		const [read] = await database.db.select().from(instance).where(eq(instance.id, instanceId));
		expect(read?.dataReads).toEqual([{ from: "gcp:us-central1", bytes: 300_000, heldMicroUsd: 120 }]);
		const ledger = systemContext(database.db, systemClock);
		await meterAll(ledger);
		await meterAll(ledger);
		await settleInstance(ledger, instanceId);
		const egress = (await chargesOf(ledger, jobId)).filter((charge) => charge.dimensions.kind === "egress");
		expect(egress).toMatchObject([{ effectiveMicroUsd: 34n, instanceId, dimensions: { provider: "gcp", region: "us-central1" } }]);
		const lines = (await receiptOf(ledger, jobId)).attempts.flatMap((one) => one.lines);
		expect(lines.filter((line) => line.kind === "egress").map((line) => line.costMicroUsd)).toEqual([34n]);
	},
);
