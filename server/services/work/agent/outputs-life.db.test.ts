import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { userData } from "#server/agent/user-data.ts";
import { createAgentHandler } from "#server/api/agent/handler.ts";
import { fileSha256 } from "#server/api/agent/served-file.ts";
import { artifact, artifactFile } from "#server/db/schema/artifact.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import type { OutputSpec } from "#server/domain/output.ts";
import { systemClock } from "#server/kernel/clock.ts";
import { bootstrapSecretOf } from "./bootstrap.ts";
import { boot, buildAgent, eventually, serve, serveMetadata } from "./testing/machine.ts";
import { aSpec, SECRET_KEY, seedInstance, seedJob } from "./testing/seed.ts";

const output = (name: string, at: string, when: OutputSpec["when"] = "success"): OutputSpec => ({
	...{ name, path: at, kind: "file", when, keepMs: null },
});
const TRAIN = `mkdir -p "$SPILLWAY_OUTPUT_MODEL/deep" && printf weights > "$SPILLWAY_OUTPUT_MODEL/deep/w%2F #.bin" && printf log > "$SPILLWAY_OUTPUT_TRAIN_LOG"`;

let database: TestDatabase;
let agentFile: string;
let folder: string;
let machines = 0;

beforeAll(async () => {
	database = await createTestDatabase();
	agentFile = await buildAgent();
	folder = await mkdtemp(path.join(os.tmpdir(), "spillway-outputs-"));
});
afterAll(async () => {
	await database.drop();
	await rm(folder, { recursive: true, force: true });
});

/** Runs a command on a machine to its end. The control plane drops the first answer of each call that transfers a result. */
async function run(command: string, outputs: OutputSpec[]) {
	const jobId = await seedJob(database.db, aSpec({ command: ["sh", "-c", command], outputs }));
	const expiresAtMs = Date.now() + 600_000;
	const providerInstanceId = `i-${String(++machines).padStart(17, "0")}`;
	const { instanceId, attemptId } = await seedInstance(database.db, { jobId, number: 1, expiresAtMs, providerInstanceId });
	const control = await serve(
		createAgentHandler({
			...{ db: database.db, clock: systemClock, secretKey: SECRET_KEY, agentFile },
			...{ checkpointRoot: path.join(folder, "checkpoints"), artifactRoot: path.join(folder, "artifacts") },
			timing: { heartbeatMs: 50, stopGraceMs: 10_000, controlSilenceMs: 60_000, leaseMs: 0 },
			log: (message, error) => console.error(message, error),
		}),
	);
	control.loseAnswersOf.push("POST /agent/v1/artifacts");
	const metadata = await serveMetadata(providerInstanceId);
	const secret = bootstrapSecretOf(SECRET_KEY, instanceId);
	const script = userData({
		...{ controlUrl: control.url, instanceId, bootstrapSecret: secret, agentSha256: await fileSha256(agentFile) },
		...{ expiresAtMs, lifeMs: 600_000, runtimeSha256: {} },
	});
	const machine = await boot(script, { AWS_EC2_METADATA_SERVICE_ENDPOINT: metadata.url });
	try {
		return await eventually("the attempt is over", async () => {
			const [row] = await database.db.select().from(attempt).where(eq(attempt.id, attemptId));
			return row?.finishedAt ? row : null;
		});
	} finally {
		await machine.destroy();
		await metadata.close();
		await control.goAway();
	}
}

async function storedOf(attemptId: string): Promise<Record<string, string>> {
	const rows = await database.db
		.select({ id: artifact.id, name: artifact.name, path: artifactFile.path })
		.from(artifact)
		.innerJoin(artifactFile, eq(artifactFile.artifactId, artifact.id))
		.where(eq(artifact.attemptId, attemptId));
	const files = rows.map(async ({ id, name, path: at }) => [
		`${name}/${at}`,
		await readFile(path.join(folder, "artifacts", id, at), "utf8"),
	]);
	return Object.fromEntries(await Promise.all(files)) as Record<string, string>;
}

describe("results of a job on a cloud machine", () => {
	it("are in the store once the job has succeeded", async () => {
		const ended = await run(TRAIN, [output("model", "/out/model"), output("train-log", "logs/train.txt")]);
		expect(ended).toMatchObject({ state: "succeeded", exitCode: 0 });
		expect(await storedOf(ended.id)).toEqual({ "model/deep/w%2F #.bin": "weights", "train-log/train.txt": "log" });
	});

	it("fail a command that succeeds without creating them, and keep those that exist", async () => {
		const ended = await run(TRAIN, [output("model", "/out/model"), output("train-log", "log"), output("missing", "nothing/here")]);
		expect(ended).toMatchObject({
			state: "failed",
			reason: { code: "outputs_not_kept", facts: { message: "output missing: no files at nothing/here" } },
		});
		expect(await storedOf(ended.id)).toMatchObject({ "train-log/log": "log" });
	});

	it("are kept from a failed command if the job requests it", async () => {
		const ended = await run(`${TRAIN}; exit 3`, [output("model", "/out/model"), output("train-log", "log", "always")]);
		expect(ended).toMatchObject({ state: "failed", reason: { code: "exit_nonzero" } });
		expect(await storedOf(ended.id)).toEqual({ "train-log/log": "log" });
	});
});
