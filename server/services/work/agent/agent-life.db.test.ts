import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { appendFile, mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { asc, eq, inArray } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { RCLONE, serveStore } from "#server/agent/testing/serve-store.ts";
import { type MachineNetwork, userData } from "#server/agent/user-data.ts";
import { createAgentHandler } from "#server/api/agent/handler.ts";
import { fileSha256 } from "#server/api/agent/served-file.ts";
import { team } from "#server/db/schema/account.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { checkpoint } from "#server/db/schema/checkpoint.ts";
import { instance } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import { jobLog } from "#server/db/schema/job-log.ts";
import { site } from "#server/db/schema/site.ts";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import type { JobSpec } from "#server/domain/job.ts";
import type { PreparedItem } from "#server/domain/preparation.ts";
import { reason } from "#server/domain/reasons.ts";
import { defined } from "#server/kernel/assert.ts";
import { type Clock, systemClock } from "#server/kernel/clock.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { assignWarm } from "#server/services/capacity/instance/warm.ts";
import { systemContext } from "#server/services/core/context.ts";
import { timingSchema } from "#server/services/core/timing.ts";
import { SELF_SIGNED } from "#server/services/notification/delivery/testing/certificate.ts";
import { unkeptOf } from "../adoption/read.ts";
import { fenceMember } from "../attempt/fence-member.ts";
import { cancelJob } from "../job/cancel.ts";
import { type JobTracking, jobTracking } from "../metric/job-tracking.ts";
import { setSecret } from "../secret/set.ts";
import { type SecretStore, secretStore } from "../secret/store.ts";
import { bootstrapSecretOf } from "./bootstrap.ts";
import {
	type BootOptions,
	boot,
	buildAgent,
	type ControlPlane,
	eventually,
	type Machine,
	serve,
	serveMetadata,
} from "./testing/machine.ts";
import { aSpec, SECRET_KEY, seedAdoption, seedInstance, seedJob } from "./testing/seed.ts";
import { openTlsProxy } from "./testing/tls-proxy.ts";
import { warpedMs } from "./testing/warp-clock.mjs";

let database: TestDatabase;
let agentFile: string;
let agentSha256: string;
let folder: string;
const cleanups: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
	database = await createTestDatabase();
	agentFile = await buildAgent();
	agentSha256 = await fileSha256(agentFile);
	folder = await mkdtemp(path.join(os.tmpdir(), "spillway-agent-"));
});
afterEach(async () => {
	for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
afterAll(async () => {
	await database.drop();
	await rm(folder, { recursive: true, force: true });
});

interface Rig {
	control: ControlPlane;
	machine: Machine;
	metadata: Awaited<ReturnType<typeof serveMetadata>>;
	jobId: string;
	attemptId: string;
	instanceId: string;
	script: string;
}

let machines = 0;

/** A job on a machine that is booting. */
async function launch(
	spec: Partial<JobSpec>,
	options: {
		jobId?: string;
		number?: number;
		lifeMs?: number;
		controlSilenceMs?: number;
		leaseMs?: number;
		clock?: Clock;
		stopGraceMs?: number;
		environment?: Record<string, string>;
		secret?: string;
		/** The machine is kept warm without a job, for so long at most. */
		warmMs?: number;
		/** What it fetches meanwhile. */
		preparation?: PreparedItem[];
		secretStore?: SecretStore;
		tracking?: JobTracking;
		/** The image's own Node is too old; the control plane serves a newer one. */
		runtime?: { platform: string; file: string };
		programs?: Record<string, string>;
		/** Another address of the control plane, and how the machine reaches it. */
		controlUrl?: string;
		network?: MachineNetwork;
		prepare?(control: ControlPlane, jobId: string): Promise<void> | void;
	} = {},
): Promise<Rig> {
	const jobId = options.jobId ?? (await seedJob(database.db, aSpec(spec)));
	const providerInstanceId = `i-${String(++machines).padStart(17, "0")}`;
	const expiresAtMs = (options.clock ?? systemClock).nowMs() + (options.lifeMs ?? 600_000);
	const { instanceId, attemptId } = await seedInstance(database.db, {
		jobId,
		number: options.number ?? 1,
		expiresAtMs,
		providerInstanceId,
		warm: options.warmMs !== undefined,
	});
	const { preparation } = options;
	if (preparation) await database.db.update(instance).set({ preparation }).where(eq(instance.id, instanceId));
	const handler = createAgentHandler({
		db: database.db,
		clock: options.clock ?? systemClock,
		secretKey: SECRET_KEY,
		checkpointRoot: path.join(folder, "checkpoints"),
		artifactRoot: path.join(folder, "artifacts"),
		agentFile,
		...(options.secretStore && { secretStore: options.secretStore }),
		...(options.tracking && { tracking: options.tracking }),
		...(options.runtime ? { runtimeFiles: { [options.runtime.platform]: options.runtime.file } } : {}),
		timing: {
			heartbeatMs: 50,
			stopGraceMs: options.stopGraceMs ?? 10_000,
			controlSilenceMs: options.controlSilenceMs ?? 60_000,
			leaseMs: options.leaseMs ?? 0,
		},
		log: (message, error) => console.error(message, error),
	});
	const control = await serve(handler);
	await options.prepare?.(control, jobId);
	cleanups.push(() => control.close());
	const metadata = await serveMetadata(providerInstanceId);
	cleanups.push(() => metadata.close());
	const bootstrapSecret = options.secret ?? bootstrapSecretOf(SECRET_KEY, instanceId);
	const runtimeSha256 = options.runtime ? { [options.runtime.platform]: await fileSha256(options.runtime.file) } : {};
	const { warmMs } = options;
	const times = { expiresAtMs, lifeMs: options.lifeMs ?? 600_000, ...(warmMs !== undefined && { warmMs }) };
	const { controlUrl = control.url, network = {} } = options;
	const script = userData({ controlUrl, instanceId, bootstrapSecret, agentSha256, ...times, runtimeSha256, network });
	const machine = await bootMachine(script, metadata.url, options.environment, {
		oldNode: options.runtime !== undefined,
		...(options.programs ? { programs: options.programs } : {}),
	});
	return { control, machine, metadata, jobId, attemptId, instanceId, script };
}

async function bootMachine(
	script: string,
	metadataUrl: string,
	environment: Record<string, string> = {},
	options: BootOptions = {},
): Promise<Machine> {
	const machine = await boot(script, { AWS_EC2_METADATA_SERVICE_ENDPOINT: metadataUrl, ...environment }, options);
	cleanups.push(() => machine.destroy());
	return machine;
}

const nodeJob = (source: string): string[] => ["node", "-e", source];

async function attemptRow(id: string) {
	const [row] = await database.db.select().from(attempt).where(eq(attempt.id, id));
	if (!row) throw new Error(`no attempt ${id}`);
	return row;
}

async function instanceRow(id: string) {
	const [row] = await database.db.select().from(instance).where(eq(instance.id, id));
	if (!row) throw new Error(`no instance ${id}`);
	return row;
}

async function lines(attemptId: string, stream: "stdout" | "stderr" | "spillway" = "stdout"): Promise<string[]> {
	const rows = await database.db.select().from(jobLog).where(eq(jobLog.attemptId, attemptId)).orderBy(asc(jobLog.number));
	expect(rows.map((r) => r.number)).toEqual(rows.map((_, i) => i + 1));
	return rows.filter((r) => r.stream === stream).map((r) => r.text);
}

async function untilOver(rig: Rig) {
	try {
		const row = await eventually(`attempt ${rig.attemptId} is over`, async () => {
			const found = await attemptRow(rig.attemptId);
			return found.finishedAt !== null && found;
		});
		await eventually("the machine is off", () => rig.machine.isOff());
		return row;
	} catch (error) {
		throw new Error(`${String(error)}\n${await rig.machine.console()}`);
	}
}

/** Continues counting from its checkpoint. On a stop request it saves and exits with 0, as many training programs do. */
const COUNTER = `
const fs = require("node:fs"), path = require("node:path");
const dir = process.env.SPILLWAY_CHECKPOINT_DIR, file = path.join(dir, "deep", "step");
let step = fs.existsSync(file) ? Number(fs.readFileSync(file, "utf8")) : 0;
console.log("begins at " + step + " with GPUs " + process.env.CUDA_VISIBLE_DEVICES);
if (step > 0) { console.log("done"); process.exit(0); }
process.on("SIGTERM", () => {
	fs.mkdirSync(path.dirname(file), { recursive: true });
	fs.writeFileSync(file, String(step));
	fs.writeFileSync(path.join(dir, "odd name %2F#?.txt"), "kept");
	console.log("saved at " + step);
	process.exit(0);
});
setInterval(() => { step++; console.log("step " + step); }, 10);`;

const COUNTER_SPEC: Partial<JobSpec> = { command: nodeJob(COUNTER), checkpoint: { path: "/state", intervalMs: 60_000 } };

/** How much faster than real time the clocks of a machine and the control plane run while a test lets time pass. */
const WARP = 14_400;

/** A clock shared by a machine and the control plane, which only the test moves faster than real time. */
interface WarpedTime {
	clock: Clock;
	environment: Record<string, string>;
	/** Moves the clock by `ms` and returns once it has. */
	pass(ms: number): Promise<void>;
}

function warpTime(name: string, offsetMs = 0): WarpedTime {
	const file = path.join(folder, `warp-${name}`);
	const terms = new URLSearchParams({ file, rate: String(WARP) });
	return {
		clock: { nowMs: () => Math.round(Date.now() + offsetMs + warpedMs(file, WARP)) },
		environment: { NODE_OPTIONS: `--import=${new URL("./testing/warp-clock.mjs", import.meta.url).href}?${terms}` },
		pass: async (ms) => {
			const fromMs = Date.now();
			const untilMs = fromMs + ms / (WARP - 1);
			await appendFile(file, `${fromMs} ${untilMs}\n`);
			await eventually("the clock is past the warp", () => Date.now() > untilMs);
		},
	};
}

/** Terms under which nothing expires in real time, however slow this computer is; a test moves the clock instead. */
function slowClock(time: WarpedTime) {
	return { clock: time.clock, environment: time.environment, controlSilenceMs: 24 * HOUR_MS, lifeMs: 24 * HOUR_MS };
}

/** For a machine that must reach its expiry: long in real time, but half a second of warped time. */
const LIFE_MS = 2 * HOUR_MS;

/** Two processes that write to one file, one of them in its own session, until `.end` exists. */
const WRITERS = `
echo $$ >> "$BOOK.pids"
setsid sh -c 'echo $$ >> "$BOOK.pids"; while ! [ -e "$BOOK.end" ]; do echo far >> "$BOOK"; sleep 0.02; done' > /dev/null 2>&1 &
while ! [ -e "$BOOK.end" ]; do echo near; echo near >> "$BOOK"; sleep 0.02; done`;

function leasedSpec(book: string): Partial<JobSpec> {
	return { critical: true, command: ["sh", "-c", WRITERS], env: { BOOK: path.join(folder, book) } };
}

/** Null until both have written, and this many lines in total. */
function bookOf(name: string, linesMin: number): { lines: number; pids: number[] } | null {
	const read = (file: string): string[] => (existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : []);
	const written = read(path.join(folder, name));
	const pids = read(path.join(folder, `${name}.pids`)).map(Number);
	return pids.length === 2 && new Set(written).size === 2 && written.length >= linesMin ? { lines: written.length, pids } : null;
}

const SIGSTOP_BIT = 1n << BigInt(os.constants.signals.SIGSTOP - 1);

/** The kernel's letter for each process; null for one that has ended. */
function statesOf(pids: readonly number[]): (string | null)[] {
	return pids.map((pid) => {
		const status = readOfProcess(pid, "status");
		const state = /^State:\s+(\w)/m.exec(status)?.[1] ?? "Z";
		// A shell in vfork sleeps until its child has started. Until then it can neither stop nor run: the stop is pending.
		const pending = BigInt(`0x${/^ShdPnd:\s+(\w+)/m.exec(status)?.[1] ?? "0"}`);
		if (state === "D" && (pending & SIGSTOP_BIT) !== 0n) return "T";
		return state === "Z" || state === "X" ? null : state;
	});
}

/** "" when the process has ended. */
function readOfProcess(pid: number | string, file: "status" | "cmdline" | "environ"): string {
	try {
		return readFileSync(`/proc/${pid}/${file}`, "latin1");
	} catch {
		return "";
	}
}

/** Waits until every writer is stopped or has ended. */
async function untilStopped(name: string): Promise<{ lines: number; pids: number[] }> {
	const { pids } = defined(bookOf(name, 1), "its book");
	await eventually("no writer runs", () => statesOf(pids).every((state) => state === "T" || state === null));
	return defined(bookOf(name, 1), "its book");
}

/** Its agent, or the process that guards the agent's job. */
function processOf({ folder: machine }: Machine, which: "agent" | "guard"): number {
	const found = readdirSync("/proc").find((pid) => {
		if (!/^\d+$/.test(pid)) return false;
		const words = readOfProcess(pid, "cmdline").split("\0");
		const isAgent = words.some((word) => word.endsWith("agent.mjs")) && words.includes("guard") === (which === "guard");
		return isAgent && readOfProcess(pid, "environ").includes(`${machine}/`);
	});
	return Number(defined(found, `the ${which}`));
}

describe("secrets", () => {
	it("reach the command over the agent's channel, but never user-data, console or log", async () => {
		const store = secretStore({ SPILLWAY_HOME: folder, SPILLWAY_CREDENTIAL_KEYS: Buffer.alloc(32, 7).toString("base64url") });
		await database.db.insert(team).values({ name: "research" }).onConflictDoNothing();
		const token = "tok_Zq81nnLw0pYb";
		await setSecret(
			{ ...systemContext(database.db, systemClock), secretStore: store },
			{ team: "research", name: "token" },
			{ value: token },
		);
		const secrets = [
			{ name: "token", env: "TOKEN" },
			{ name: "token", file: "token.txt" },
		];
		const command = [
			"sh",
			"-c",
			'echo "$TOKEN"; cat "$SPILLWAY_SECRETS_DIR/token.txt"; echo; stat -c %a "$SPILLWAY_SECRETS_DIR/token.txt"; echo "$MLFLOW_TRACKING_URI $MLFLOW_TRACKING_TOKEN"; env | wc -l >&2',
		];
		const tracking = jobTracking(SECRET_KEY, "https://spillway.example");
		const rig = await launch({ command, secrets }, { secretStore: store, tracking });
		expect(await untilOver(rig)).toMatchObject({ state: "succeeded", sealedSecrets: null });
		expect(await lines(rig.attemptId)).toEqual(["***", "***", "600", "https://spillway.example ***"]);
		for (const secret of [token, tracking.tokenOf(rig.attemptId)])
			for (const text of [rig.script, await rig.machine.console()]) expect(text).not.toContain(secret);
	});

	it("end the attempt with the reason when they are missing", async () => {
		const rig = await launch({ secrets: [{ name: "gone", env: "GONE" }] });
		const row = await untilOver(rig);
		expect([row.state, JSON.stringify(row.reason)]).toEqual(["failed", expect.stringContaining("keeps no secrets")]);
	});
});

describe("an instance's life", () => {
	it("saves progress on a spot interruption, and the next attempt resumes from it", async () => {
		const first = await launch(COUNTER_SPEC);
		await eventually("it counts", async () => (await lines(first.attemptId)).includes("step 5"));
		expect((await attemptRow(first.attemptId)).state).toBe("running");
		const atMs = Date.now() + 20_000;
		first.metadata.give({ atMs });
		const ended = await untilOver(first);
		expect(ended).toMatchObject({ state: "interrupted", exitCode: 0, reason: { code: "spot_interruption" } });
		expect(await instanceRow(first.instanceId)).toMatchObject({ state: "draining", interruptionAt: new Date(atMs) });
		const kept = await database.db.select().from(checkpoint).where(eq(checkpoint.jobId, first.jobId));
		expect(kept).toMatchObject([{ files: 2 }]);
		const saved = (await lines(first.attemptId)).at(-1);
		const step = /saved at (\d+)/.exec(saved ?? "")?.[1];
		expect(Number(step)).toBeGreaterThanOrEqual(5);

		const second = await launch({}, { jobId: first.jobId, number: 2 });
		expect(await untilOver(second)).toMatchObject({ state: "succeeded", reason: { code: "completed" } });
		expect(await lines(second.attemptId)).toEqual([`begins at ${step} with GPUs 0,1`, "done"]);
		const [row] = await database.db.select().from(job).where(eq(job.id, first.jobId));
		expect(row).toMatchObject({ state: "succeeded" });
		expect(Number(row?.completedMs)).toBeGreaterThan(0);
	});

	it("keeps checkpoints on the interval while the job runs", async () => {
		const source = `const fs = require("node:fs"); let n = 0;
			setInterval(() => { const f = process.env.SPILLWAY_CHECKPOINT_DIR + "/model"; fs.writeFileSync(f + ".new", "x".repeat(++n)); fs.renameSync(f + ".new", f); }, 150);`;
		const rig = await launch({ command: nodeJob(source), checkpoint: { path: "state", intervalMs: 50 } });
		await eventually("two checkpoints are kept", async () => {
			const kept = await database.db.select().from(checkpoint).where(eq(checkpoint.jobId, rig.jobId));
			return kept.length >= 2 && kept;
		});
		expect((await attemptRow(rig.attemptId)).state).toBe("running");
		await cancel(rig.jobId);
		await untilOver(rig);
		const onDisk = await readdir(path.join(folder, "checkpoints", rig.jobId));
		expect(onDisk.filter((name) => /\.(partial|received)$/.test(name))).toEqual([]);
	});

	it("saves the results of a successful job only where its files are expected at home, and says why when it cannot", async () => {
		const leaves = (name: string) => ({
			command: ["sh", "-c", `echo 0.93 >"$SPILLWAY_CHECKPOINT_DIR/$(printf '${name}')"`],
			checkpoint: { path: "results", intervalMs: 60_000 },
		});
		const ofHome = { prepare: (_: ControlPlane, jobId: string) => seedAdoption(database.db, jobId) };
		const [own, adopted, unnamable] = await Promise.all([
			launch(leaves("score")),
			launch(leaves("score"), ofHome),
			launch(leaves("score\\ttoday"), ofHome),
		]);
		for (const rig of [own, adopted, unnamable]) expect(await untilOver(rig)).toMatchObject({ state: "succeeded" });
		const kept = await database.db
			.select()
			.from(checkpoint)
			.where(inArray(checkpoint.jobId, [own.jobId, adopted.jobId, unnamable.jobId]));
		expect(kept.map((k) => k.jobId)).toEqual([adopted.jobId]);
		const [{ id } = { id: "" }] = kept;
		expect(readFileSync(path.join(folder, "checkpoints", adopted.jobId, id, "score"), "utf8")).toBe("0.93\n");
		expect(await unkeptOf(database.db, adopted.attemptId)).toBeNull();
		expect(await unkeptOf(database.db, unnamable.attemptId)).toMatch(
			/cannot save the checkpoint file .*score.*today.*: it must not contain control characters/,
		);
	});

	it("neither loses nor doubles lines while the control plane is unavailable, even with little memory and lost answers", async () => {
		const [go, marker] = [path.join(folder, "go-on"), path.join(folder, "printed")];
		const source = `const fs = require("node:fs"); let n = 0; const t = setInterval(() => {
			if (n >= 1000 && !fs.existsSync(process.env.GO)) return;
			for (let i = 0; i < 20; i++) console.log("line " + ++n + " " + "x".repeat(50));
			if (n >= 2000) { clearInterval(t); fs.writeFileSync(process.env.MARKER, ""); }
		}, 10);`;
		const rig = await launch(
			{ command: nodeJob(source), env: { GO: go, MARKER: marker } },
			{
				environment: { SPILLWAY_LOG_MEMORY_BYTES: "4096" },
				prepare: (control) => {
					control.loseAnswersOf.push("POST /agent/v1/logs", "POST /agent/v1/logs", "POST /agent/v1/enroll", "POST /agent/v1/exited");
				},
			},
		);
		await eventually("some lines are stored", async () => (await attemptRow(rig.attemptId)).logLines > 20);
		await rig.control.goAway();
		writeFileSync(go, "");
		await eventually("the job has printed everything", () => existsSync(marker));
		const storedMeanwhile = (await attemptRow(rig.attemptId)).logLines;
		expect(storedMeanwhile).toBeLessThan(2000);
		rig.control.comeBack();
		expect(await untilOver(rig)).toMatchObject({ state: "succeeded" });
		expect(rig.control.loseAnswersOf).toEqual([]);
		expect((await lines(rig.attemptId)).map((l) => l.split(" ")[1])).toEqual(Array.from({ length: 2000 }, (_, i) => String(i + 1)));
	});

	it("blocks a chatty job rather than losing lines when neither memory nor disk has room", async () => {
		const [go, marker] = [path.join(folder, "go"), path.join(folder, "chatted")];
		// Not Node, which would buffer its own lines in memory instead of blocking in its write.
		const script = `while ! [ -e "$GO" ]; do sleep 0.05; done; seq -f "line %g ${"x".repeat(1000)}" 2000; : > "$MARKER"`;
		const rig = await launch(
			{ command: ["sh", "-c", script], env: { GO: go, MARKER: marker } },
			{ environment: { SPILLWAY_LOG_MEMORY_BYTES: "2000", SPILLWAY_LOG_SPILL_BYTES: "20000" } },
		);
		await eventually("it runs", async () => (await attemptRow(rig.attemptId)).state === "running");
		await rig.control.goAway();
		await writeFile(go, "");
		await eventually("the disk's share is used up", async () => (await spilledBytes(rig.machine)) >= 20_000);
		expect(existsSync(marker)).toBe(false);
		rig.control.comeBack();
		expect(await untilOver(rig)).toMatchObject({ state: "succeeded" });
		expect(existsSync(marker)).toBe(true);
		expect((await lines(rig.attemptId)).map((l) => l.split(" ")[1])).toEqual(Array.from({ length: 2000 }, (_, i) => String(i + 1)));
	});

	it("installs its own Node where the image has none that is recent enough", async () => {
		const platform = `linux-${process.arch}`;
		const rig = await launch({ command: ["node", "-p", "process.version"] }, { runtime: { platform, file: process.execPath } });
		expect(await untilOver(rig)).toMatchObject({ state: "succeeded" });
		expect(await lines(rig.attemptId)).toEqual([process.version]);
		expect(rig.control.seen).toContain(`GET /agent/v1/runtime/${platform}`);
	});

	it("calls only through a proxy, and trusts a private authority, where the network requires it", async () => {
		const proxy = await openTlsProxy();
		cleanups.push(() => proxy.close());
		const rig = await launch(
			{ command: nodeJob("console.log(process.env.HTTPS_PROXY)") },
			{
				controlUrl: "https://localhost:8443",
				network: { proxy: proxy.url, noProxy: ["127.0.0.1"], certificates: SELF_SIGNED.cert },
				prepare: ({ url }) => proxy.leadTo(url),
			},
		);
		expect(await untilOver(rig)).toMatchObject({ state: "succeeded" });
		expect(await lines(rig.attemptId)).toEqual(["undefined"]);
		expect(new Set(proxy.tunnels)).toEqual(new Set(["localhost:8443"]));
	});

	it("ends a sleeping job when a person cancels it", async () => {
		const rig = await launch({ command: ["sleep", "600"] });
		await eventually("it runs", async () => (await attemptRow(rig.attemptId)).state === "running");
		await cancel(rig.jobId);
		expect(await untilOver(rig)).toMatchObject({ state: "cancelled", exitSignal: "SIGTERM", reason: { code: "cancelled_by_person" } });
	});

	it("kills the whole process group of a command that ignores SIGTERM", async () => {
		const source = `process.on("SIGTERM", () => console.log("deaf"));
			const child = require("node:child_process").spawn(process.execPath, ["-e", "process.on('SIGTERM',()=>{});setInterval(()=>{},1000);console.log('child ready')"], { stdio: "inherit" });
			console.log("pid " + child.pid); setInterval(() => {}, 1000);`;
		const rig = await launch({ command: nodeJob(source) }, { stopGraceMs: 200 });
		await eventually("the child is ready", async () => (await lines(rig.attemptId)).includes("child ready"));
		await cancel(rig.jobId);
		expect(await untilOver(rig)).toMatchObject({ state: "cancelled", exitSignal: "SIGKILL" });
		const pid = Number(/pid (\d+)/.exec((await lines(rig.attemptId)).join("\n"))?.[1]);
		await eventually("the child no longer exists", () => !existsSync(`/proc/${pid}`) || !aliveIn(pid));
	});

	it("does not start a job that was cancelled before the machine was up", async () => {
		const rig = await launch({ command: nodeJob("console.log('ran')") }, { prepare: (_control, jobId) => cancel(jobId) });
		expect(await untilOver(rig)).toMatchObject({ state: "cancelled", exitCode: null, startedAt: null });
		expect(await lines(rig.attemptId)).toEqual([]);
	});

	it("saves the job when the machine is shut down without a notice", async () => {
		const rig = await launch(COUNTER_SPEC);
		await eventually("it counts", async () => (await lines(rig.attemptId)).includes("step 3"));
		rig.machine.signal("SIGTERM");
		expect(await untilOver(rig)).toMatchObject({ state: "lost", reason: { code: "instance_vanished" } });
		expect(await database.db.select().from(checkpoint).where(eq(checkpoint.jobId, rig.jobId))).toHaveLength(1);
	});

	it("ends the job before the machine's lifetime is over, keeps its checkpoint, and powers off", async () => {
		const time = warpTime("expiry");
		const rig = await launch(COUNTER_SPEC, { ...slowClock(time), lifeMs: LIFE_MS, stopGraceMs: HOUR_MS / 4 });
		await eventually("it counts", async () => (await lines(rig.attemptId)).includes("step 3"));
		await time.pass(LIFE_MS - HOUR_MS / 6);
		expect(await untilOver(rig)).toMatchObject({ state: "evicted", reason: { code: "instance_expired" } });
		const kept = await database.db.select().from(checkpoint).where(eq(checkpoint.jobId, rig.jobId));
		expect(kept).toHaveLength(1);
		expect((await instanceRow(rig.instanceId)).expiresAt.getTime()).toBeGreaterThan(
			(await attemptRow(rig.attemptId)).finishedAt?.getTime() ?? Number.POSITIVE_INFINITY,
		);
	});

	it("uses the control plane's clock for its lines, start and expiry when its own is hours behind", async () => {
		const time = warpTime("behind", 3 * HOUR_MS);
		const { clock } = time;
		const beganMs = clock.nowMs();
		const rig = await launch(COUNTER_SPEC, { ...slowClock(time), lifeMs: LIFE_MS, stopGraceMs: HOUR_MS / 4 });
		await eventually("it counts", async () => (await lines(rig.attemptId)).includes("step 3"));
		await time.pass(LIFE_MS - HOUR_MS / 6);
		expect(await untilOver(rig)).toMatchObject({ state: "evicted", reason: { code: "instance_expired" } });
		const { startedAt, finishedAt } = await attemptRow(rig.attemptId);
		const logLines = await database.db.select({ at: jobLog.at }).from(jobLog).where(eq(jobLog.attemptId, rig.attemptId));
		const times = [startedAt, finishedAt, ...logLines.map(({ at }) => at)].map((at) => at?.getTime() ?? 0);
		expect(Math.min(...times)).toBeGreaterThanOrEqual(beganMs);
		expect(Math.max(...times)).toBeLessThanOrEqual(clock.nowMs());
	});

	it("waits on a machine that is kept warm until it gets a job, which it then runs like any other", async () => {
		const rig = await launch({ command: ["echo", "hello"] }, { warmMs: 300_000 });
		const first = await eventually("the machine is ready", async () => {
			const row = await instanceRow(rig.instanceId);
			return row.state === "ready" && row;
		});
		await eventually(
			"its agent calls again",
			async () => Number((await instanceRow(rig.instanceId)).lastHeardAt) > Number(first.lastHeardAt),
		);
		expect((await instanceRow(rig.instanceId)).agentTokenHash).toBeNull();
		const { instanceId, jobId, attemptId } = rig;
		await database.db.transaction((tx) => assignWarm(tx, { instanceId, jobId, attemptId, lifeMs: 600_000, nowMs: Date.now() }));
		expect(await untilOver(rig)).toMatchObject({ state: "succeeded" });
		expect(await lines(rig.attemptId)).toEqual(["hello"]);
	});

	it.skipIf(!existsSync(RCLONE))("fetches data while it waits, and its job finds it there (skipped without rclone)", async () => {
		const store = path.join(folder, "warm-store");
		await mkdir(store, { recursive: true });
		await writeFile(path.join(store, "rows"), "1\n2\n");
		const served = await serveStore(store);
		cleanups.push(async () => served.stop());
		const uri = `${served.uri}/rows`;
		const item = { kind: "data" as const, name: uri, source: "rule" as const, sharePercent: null, sizeGiB: 0.001 };
		const rig = await launch(
			{ command: ["cat", "in"], data: [{ uri, sizeGiB: 0.001, mount: "in", residency: [] }] },
			{
				warmMs: 600_000,
				lifeMs: 1_200_000,
				preparation: [{ ...item, state: "pending", bytes: null, digest: null, problem: null }],
			},
		);
		await eventually("the data is ready", async () =>
			(await instanceRow(rig.instanceId)).preparation?.every(({ state, bytes }) => state === "ready" && bytes === 4),
		);
		const { instanceId, jobId, attemptId } = rig;
		await database.db.transaction((tx) => assignWarm(tx, { instanceId, jobId, attemptId, lifeMs: 600_000, nowMs: Date.now() }));
		expect(await untilOver(rig)).toMatchObject({ state: "succeeded" });
		expect(await lines(rig.attemptId)).toEqual(["1", "2"]);
		expect(await lines(rig.attemptId, "spillway")).toContainEqual(
			expect.stringMatching(/^staged webdav:.*: 0 bytes fetched in .* the rest was already here$/),
		);
	});

	it("powers off a machine that is kept warm and gets no job", async () => {
		const rig = await launch({}, { warmMs: 1_000 });
		await eventually("the machine is off", () => rig.machine.isOff());
		expect((await instanceRow(rig.instanceId)).attemptId).toBeNull();
	});

	it("powers off at its expiry even without a control plane", async () => {
		const time = warpTime("alone");
		const rig = await launch({ command: ["sleep", "600"] }, { ...slowClock(time), lifeMs: LIFE_MS });
		await eventually("it runs", async () => (await attemptRow(rig.attemptId)).state === "running");
		await rig.control.goAway();
		await time.pass(LIFE_MS + HOUR_MS);
		await eventually("the machine is off", () => rig.machine.isOff());
		expect((await attemptRow(rig.attemptId)).state).toBe("running");
	});

	it("powers off when the control plane has been unreachable for too long", async () => {
		const time = warpTime("silent");
		const rig = await launch(COUNTER_SPEC, { ...slowClock(time), controlSilenceMs: HOUR_MS, stopGraceMs: HOUR_MS });
		await eventually("it counts", async () => (await lines(rig.attemptId)).includes("step 2"));
		await rig.control.goAway();
		await time.pass(2 * HOUR_MS);
		const console = await eventually("it stops the job", async () => {
			const text = await rig.machine.console();
			return text.includes("stop: control_silent") && text.includes("stopping -> saving") && text;
		});
		expect(console).toContain("running -> stopping");
		rig.control.comeBack();
		expect(await untilOver(rig)).toMatchObject({ state: "lost", reason: { code: "agent_silent" } });
	});

	it("pauses a critical job and everything it started while the control plane is unavailable, and resumes it", async () => {
		const time = warpTime("away");
		const rig = await launch(leasedSpec("away"), { ...slowClock(time), leaseMs: HOUR_MS });
		await eventually("both write", () => bookOf("away", 3));
		await rig.control.goAway();
		await time.pass(2 * HOUR_MS);
		const book = await untilStopped("away");
		expect(statesOf(book.pids)).toEqual(["T", "T"]);
		rig.control.comeBack();
		await eventually("it goes on", () => bookOf("away", book.lines + 5));
		await writeFile(path.join(folder, "away.end"), "");
		expect(await untilOver(rig)).toMatchObject({ state: "succeeded" });
		const said = (await lines(rig.attemptId, "spillway")).flatMap((line) => /is paused|the command resumes/.exec(line) ?? []);
		expect(said).toEqual(["is paused", "the command resumes"]);
		expect(statesOf(book.pids)).toEqual([null, null]);
	});

	it.each([false, true])("survives restarts of the control plane for five hours without losing a line (critical: %s)", async (critical) => {
		const time = warpTime(`hours-${critical}`);
		const end = path.join(folder, `hours-${critical}.end`);
		const script = `i=0; while ! [ -e "$END" ]; do i=$((i + 1)); echo "line $i"; sleep 0.02; done`;
		const hours = timingSchema.parse({});
		const rig = await launch(
			{ critical, command: ["sh", "-c", script], env: { END: end } },
			{ ...slowClock(time), controlSilenceMs: hours.controlSilenceMs, leaseMs: hours.leaseMs },
		);
		await eventually("it runs", async () => (await attemptRow(rig.attemptId)).logLines > 10);
		const countLines = async (what: string) => (await lines(rig.attemptId, "spillway")).filter((line) => line.includes(what)).length;
		for (const [away, hoursAway] of [2, 3].entries()) {
			const heardAt = (await instanceRow(rig.instanceId)).lastHeardAt ?? new Date(0);
			await rig.control.goAway();
			await time.pass(hoursAway * HOUR_MS);
			rig.control.comeBack();
			const isLater = (at: Date | null) => (at?.getTime() ?? 0) - heardAt.getTime() >= hoursAway * HOUR_MS;
			await eventually("it is heard again", async () => isLater((await instanceRow(rig.instanceId)).lastHeardAt));
			// A received request is not an answered one: the next outage may drop the answer, and the job would stay paused through both.
			if (critical) await eventually("it goes on", async () => (await countLines("the command resumes")) > away);
		}
		await writeFile(end, "");
		expect(await untilOver(rig)).toMatchObject({ state: "succeeded" });
		const printed = await lines(rig.attemptId);
		expect(printed).toEqual(printed.map((_, i) => `line ${i + 1}`));
		expect(await countLines("is paused")).toBe(critical ? 2 : 0);
	});

	it("ends a critical job that was fenced, without accepting any of its output, once the agent is reachable again", async () => {
		const time = warpTime("fenced");
		const rig = await launch(leasedSpec("fenced"), { ...slowClock(time), leaseMs: HOUR_MS });
		await eventually("both write", () => bookOf("fenced", 3));
		await eventually("its lease is known", async () => (await instanceRow(rig.instanceId)).leaseMs === HOUR_MS);
		await rig.control.goAway();
		await time.pass(2 * HOUR_MS);
		const { lines: before, pids } = await untilStopped("fenced");
		const heardAtMs = (await instanceRow(rig.instanceId)).lastHeardAt?.getTime() ?? null;
		const fence = {
			instanceId: rig.instanceId,
			attemptId: rig.attemptId,
			nodes: 1,
			reason: reason("agent_silent"),
			atMs: time.clock.nowMs(),
		};
		// A heartbeat after the last known one prevents the fence.
		expect(await database.db.transaction((tx) => fenceMember(tx, { ...fence, heardAtMs: (heardAtMs ?? 0) - 1 }))).toBe(false);
		expect(await database.db.transaction((tx) => fenceMember(tx, { ...fence, heardAtMs }))).toBe(true);
		expect(await attemptRow(rig.attemptId)).toMatchObject({ state: "lost", reason: { code: "agent_silent" } });
		expect((await database.db.select().from(job).where(eq(job.id, rig.jobId)))[0]?.state).toBe("queued");
		const stored = (await attemptRow(rig.attemptId)).logLines;
		rig.control.comeBack();
		await eventually("the machine is off", () => rig.machine.isOff());
		await eventually("nothing of it is left", () => statesOf(pids).every((state) => state === null));
		expect(bookOf("fenced", 1)?.lines).toBe(before);
		expect(await attemptRow(rig.attemptId)).toMatchObject({ state: "lost", logLines: stored, exitCode: null });
		expect(await database.db.select().from(checkpoint).where(eq(checkpoint.jobId, rig.jobId))).toEqual([]);
	});

	it.each(["hangs", "is killed"])("keeps a critical job within its lease when its agent %s", async (how) => {
		const time = warpTime(how.replace(" ", "-"));
		const rig = await launch(leasedSpec(how), { ...slowClock(time), leaseMs: HOUR_MS });
		const book = await eventually("both write", () => bookOf(how, 3));
		process.kill(processOf(rig.machine, "agent"), how === "hangs" ? "SIGSTOP" : "SIGKILL");
		await time.pass(2 * HOUR_MS);
		await untilStopped(how);
		const expected = how === "hangs" ? "T" : null;
		await eventually("nothing of it goes", () => statesOf(book.pids).every((state) => state === expected));
	});

	it("stops a critical job when nothing enforces its lease any more", async () => {
		const rig = await launch(leasedSpec("unguarded"), { leaseMs: 20_000 });
		await eventually("both write", () => bookOf("unguarded", 3));
		process.kill(processOf(rig.machine, "guard"), "SIGKILL");
		expect(await untilOver(rig)).toMatchObject({ state: "lost", reason: { code: "instance_vanished" } });
	});

	it.each([
		["", 0],
		[", after its intended life where its clock is three hours behind", 3 * HOUR_MS],
	])("powers off by user-data alone when the agent cannot be fetched%s", async (_, behindMs) => {
		const endMs = Date.now() + 3_000;
		const unreachable = "http://127.0.0.1:9";
		const input = { controlUrl: unreachable, instanceId: "ins_x_001_0", bootstrapSecret: "s".repeat(43), agentSha256 };
		const machine = await bootMachine(userData({ ...input, expiresAtMs: endMs + behindMs, lifeMs: 3_000 }), unreachable);
		await eventually("the machine is off", () => machine.isOff());
		expect(Date.now()).toBeGreaterThan(endMs - 1_500);
	});

	it("does not run an agent with a wrong checksum", async () => {
		const rig = await launch({ command: ["sleep", "600"] });
		await eventually("it runs", async () => (await attemptRow(rig.attemptId)).state === "running");
		rig.control.seen.length = 0;
		const input = {
			controlUrl: rig.control.url,
			instanceId: rig.instanceId,
			bootstrapSecret: "s".repeat(43),
			...{ expiresAtMs: Date.now() + HOUR_MS, lifeMs: HOUR_MS },
		};
		// Its pauses and its lifetime end when the test decides.
		const programs = { sleep: 'while ! [ -e "$TMPDIR/awake" ]; do /bin/sleep 0.05; done' };
		const machine = await bootMachine(userData({ ...input, agentSha256: "0".repeat(64) }), rig.metadata.url, {}, { programs });
		await eventually("it fetches the agent", () => rig.control.seen.includes("GET /agent/v1/agent.mjs"));
		await writeFile(path.join(machine.folder, "tmp", "awake"), "");
		await eventually("the machine is off", () => machine.isOff());
		expect(rig.control.seen).not.toContain("POST /agent/v1/enroll");
	});

	it("rejects a wrong secret and accepts the right one only once", async () => {
		const stranger = await launch({ command: ["sleep", "600"] }, { secret: "x".repeat(43) });
		await eventually("the stranger is off", () => stranger.machine.isOff());
		expect(await instanceRow(stranger.instanceId)).toMatchObject({ state: "provisioning", agentTokenHash: null });

		const rig = await launch({ command: ["sleep", "600"] });
		await eventually("it runs", async () => (await attemptRow(rig.attemptId)).state === "running");
		expect(await instanceRow(rig.instanceId)).toMatchObject({ state: "ready", bootstrapHash: null });
		const twin = await bootMachine(rig.script, rig.metadata.url);
		await eventually("the twin is off", () => twin.isOff());
		expect(await twin.console()).toContain("cannot enrol");
		expect(rig.machine.isOff()).toBe(false);
		expect((await attemptRow(rig.attemptId)).state).toBe("running");
	});

	it.each([
		[
			"exits with 3",
			{ command: nodeJob("console.error('bad'); process.exit(3)") },
			{ state: "failed", exitCode: 3, reason: { code: "exit_nonzero" } },
		],
		["is not a program", { command: ["no-such-program"] }, { state: "failed", reason: { code: "command_not_started" } }],
		[
			"needs unavailable data",
			{ data: [{ uri: "rclone://nowhere/k", sizeGiB: 1, mount: "/d", residency: [] }] },
			{ state: "failed", reason: { code: "staging_failed" } },
		],
	])("reports the end of a job that %s", async (_what, spec, expected) => {
		const rig = await launch(spec);
		expect(await untilOver(rig)).toMatchObject(expected);
	});

	it("runs the command of a job with an image in the machine's container engine, and reports its end", async () => {
		// engine.test.ts covers what a real engine does with these arguments.
		const docker = `case "$1 $2" in
			"container inspect") test -e "$TMPDIR/ran" && d=2026-01-01 || d=0001-01-01; echo "{\\"StartedAt\\": \\"$d\\", \\"ExitCode\\": 137, \\"OOMKilled\\": true}" ;;
			"image inspect") test -e "$TMPDIR/pulled" && echo "[{}]" ;;
			"pull acme/train:1") : > "$TMPDIR/pulled" ;;
			"pull "*) echo "Error response from daemon: denied: no such project" >&2; exit 1 ;;
			"start "*) : > "$TMPDIR/ran"; echo "in a container"; sleep 1; exit 137 ;;
		esac`;
		const rig = await launch({ image: "acme/train:1", command: ["train"] }, { programs: { docker } });
		expect(await untilOver(rig)).toMatchObject({ state: "failed", exitSignal: "SIGKILL", reason: { code: "out_of_memory" } });
		expect(await lines(rig.attemptId)).toEqual(["in a container"]);
		expect(rig.control.seen).toContain("POST /agent/v1/running");
		const refused = await launch({ image: "acme/secret:1", command: ["train"] }, { programs: { docker } });
		expect(await untilOver(refused)).toMatchObject({
			...{ state: "failed", startedAt: null },
			reason: { code: "image_pull_failed", facts: { message: "acme/secret:1 cannot be pulled: denied: no such project" } },
		});
	});

	it("provides its site's mounts to the job, and ends an attempt with a mount that fails", async () => {
		const images = path.join(folder, "imagenet");
		await mkdir(images);
		await writeFile(path.join(images, "classes"), "tench");
		const mounts = [
			{ name: "imagenet", type: "local", source: images },
			{ name: "scratch", type: "nfs", source: "nfs.invalid:/scratch" },
		];
		await database.db.insert(site).values({ id: "aws", name: "aws", provider: "aws", settings: { mounts } });
		const command = ["sh", "-c", 'cat "$SPILLWAY_MOUNT_IMAGENET/classes"'];
		const rig = await launch({ command, mounts: ["imagenet"] });
		expect(await untilOver(rig)).toMatchObject({ state: "succeeded" });
		expect(await lines(rig.attemptId)).toEqual(["tench"]);

		// The test neither installs anything on this host nor mounts anything in its kernel.
		const programs = { "apt-get": "#!/bin/sh\necho no network >&2\nexit 100\n", mount: "#!/bin/sh\necho access denied >&2\nexit 32\n" };
		const refused = await launch({ command, mounts: ["scratch"] }, { programs });
		const { state, reason: why } = await untilOver(refused);
		expect({ state, code: why?.code }).toEqual({ state: "failed", code: "staging_failed" });
		expect(why?.facts["message"]).toMatch(/no NFS client|mount scratch failed: could not mount nfs\.invalid:\/scratch: access denied/);
		const [{ state: jobState } = { state: null }] = await database.db
			.select({ state: job.state })
			.from(job)
			.where(eq(job.id, refused.jobId));
		expect(jobState).toBe("failed");
	});

	it("stops immediately and sends nothing more when the control plane has given up the attempt", async () => {
		const rig = await launch({ command: nodeJob("process.on('SIGTERM',()=>{});setInterval(()=>console.log('tick'),10)") });
		await eventually("it runs", async () => (await attemptRow(rig.attemptId)).logLines > 3);
		await database.db.update(instance).set({ state: "terminated", terminatedAt: new Date() }).where(eq(instance.id, rig.instanceId));
		await eventually("the machine is off", () => rig.machine.isOff());
		expect((await attemptRow(rig.attemptId)).finishedAt).toBeNull();
	});

	it("passes none of its secrets to the job and uses its arguments unchanged", async () => {
		const source = "console.log(JSON.stringify([process.env, process.argv.slice(1)]))";
		const rig = await launch({ command: [...nodeJob(source), "$HOME; `id` && *"], env: { SEED: "7" } });
		await untilOver(rig);
		const [line = ""] = await lines(rig.attemptId);
		const [environment, args] = JSON.parse(line) as [Record<string, string>, string[]];
		expect(args).toEqual(["$HOME; `id` && *"]);
		expect(environment).toMatchObject({ SEED: "7", CUDA_VISIBLE_DEVICES: "0,1", SPILLWAY_JOB_ID: rig.jobId });
		expect(Object.keys(environment).filter((k) => /SECRET|TOKEN|CONTROL/.test(k))).toEqual([]);
	});
});

async function cancel(jobId: string): Promise<void> {
	await cancelJob({ db: database.db, clock: systemClock, actor: { kind: "system", part: "seed" }, requestId: null }, jobId);
}

async function spilledBytes(machine: Machine): Promise<number> {
	const [name = "none"] = await readdir(path.join(machine.folder, "tmp"));
	return stat(path.join(machine.folder, "tmp", name, "log-spill.jsonl")).then(
		(s) => s.size,
		() => 0,
	);
}

function aliveIn(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch {
		return false;
	}
}
