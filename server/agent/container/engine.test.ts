import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { JobSpec } from "#server/domain/job.ts";
import { Freezer } from "../guard/freezer.ts";
import { type PreparedJob, prepareJob } from "../prepare-job.ts";
import type { RegistryLogin } from "../registry/login.ts";
import { podmanEnvironment, whyNoPodman } from "../testing/podman.ts";
import { type Registry, serveRegistry } from "../testing/registry.ts";
import { pause } from "../wait.ts";
import { callEngine } from "./call-engine.ts";
import { JobContainer } from "./job-container.ts";
import type { RunningContainer } from "./running-container.ts";

/** Uses docker if DOCKER_HOST names a daemon that accepts local registries without TLS (for manual runs); otherwise podman. */
const docker = process.env["SPILLWAY_TEST_DOCKER"];
const ENGINE = docker ? ({ program: docker, kind: "docker" } as const) : ({ program: "/usr/bin/podman", kind: "podman" } as const);
const missing = docker ? null : whyNoPodman();

/** Runs jobs in containers of a real engine, with images pulled from a registry that implements the real protocol. */
describe.skipIf(missing !== null)(`a job's container${missing === null ? "" : ` (${missing})`}`, () => {
	let root: string;
	let folder: string;
	let registry: Registry;
	let attempts = 0;
	let attemptId: string;
	let lines: string[];
	let logged: string[];
	let login: RegistryLogin | null;

	beforeAll(async () => {
		root = await mkdtemp(path.join(tmpdir(), "spillway-podman-"));
		registry = await serveRegistry();
		for (const [name, value] of Object.entries(podmanEnvironment(path.join(root, "podman"), registry.host))) vi.stubEnv(name, value);
	});
	afterAll(async () => {
		await forgetImage();
		vi.unstubAllEnvs();
		await registry.close();
		await rm(root, { recursive: true, force: true });
	});
	beforeEach(async () => {
		folder = await mkdtemp(path.join(root, "agent-"));
		attemptId = `att_${++attempts}`;
		lines = [];
		logged = [];
		login = null;
	});
	afterEach(() => {
		registry.password = null;
	});

	const signal = new AbortController().signal;
	const forgetImage = () => callEngine(ENGINE, ["rmi", "--force", `${registry.host}/acme/train:1.2`]);
	const log = (text: string): void => void logged.push(text);

	function termsOf(changes: Partial<JobSpec>) {
		const spec: JobSpec = {
			...{ name: "j", team: "t", project: null, labels: {}, class: "burst", image: `${registry.host}/acme/train:1.2` },
			...{ command: ["true"], env: {}, nodes: 1, resources: { gpus: 0, accelerators: [], cpus: null, memoryGiB: null } },
			...{ duration: { estimateMs: null, maxMs: null }, deadlineMs: null, priority: 50, critical: false, checkpoint: null, data: [] },
			...changes,
		};
		return { attemptId, jobId: "job_1", attemptNo: 1, spec, dataRemotes: {}, secrets: { env: {}, files: {} } };
	}

	async function start(
		changes: Partial<JobSpec>,
		gang: Record<string, string> = {},
	): Promise<{ running: RunningContainer; job: PreparedJob }> {
		const terms = termsOf(changes);
		const container = await JobContainer.open(terms.spec.image ?? "", {
			terms,
			folder,
			searchPath: path.dirname(ENGINE.program),
			registryLogin: async () => login,
			signal,
			log,
		});
		const job = await prepareJob({ folder: path.join(folder, "job"), terms, inContainer: true, signal, log });
		await container.pull();
		const onLine = (stream: string, text: string): void => void lines.push(`${stream}: ${text}`);
		return { running: await container.start(job, gang, { onLine, isFull: () => false }), job };
	}

	const shell = (script: string): string[] => ["sh", "-c", script];

	it("runs the command with its variables, data and checkpoint at the paths the job expects, and leaves nothing behind", async () => {
		const source = path.join(root, "claims");
		await writeFile(source, "row 1");
		const script =
			'id -u; echo "$FROM_IMAGE $PATH $SEED $NNODES"; echo "$KEY"; cat /data/claims; pwd; echo two >/checkpoints/step; echo x >"$SPILLWAY_WORK_DIR/x"; echo bad >&2; exit 3';
		const spec: Partial<JobSpec> = {
			command: shell(script),
			env: { SEED: '7 "8" $HOME', KEY: "-----BEGIN-----\nabc\n-----END-----" },
			data: [{ uri: `file://${source}`, sizeGiB: null, mount: "/data/claims", residency: [] }],
			checkpoint: { path: "/checkpoints", intervalMs: 60_000 },
		};
		const { running, job } = await start(spec, { NNODES: "2" });
		expect(await running.started).toBe(true);
		expect(await running.ended).toEqual({ code: 3, signal: null, error: null });
		expect(lines.filter((line) => line.startsWith("stdout"))).toEqual([
			`stdout: ${process.getuid?.()}`,
			'stdout: yes /bin 7 "8" $HOME 2',
			"stdout: -----BEGIN-----",
			"stdout: abc",
			"stdout: -----END-----",
			"stdout: row 1/srv/app",
		]);
		expect(lines).toContain("stderr: bad");
		expect(await readFile(path.join(job.checkpointFolder ?? "", "step"), "utf8")).toBe("two\n");
		expect(await readFile(path.join(job.workFolder, "x"), "utf8")).toBe("x\n");
		expect(logged.join("\n")).toMatch(/pulled 127\.0\.0\.1:\d+\/acme\/train:1\.2 \(sha256:[0-9a-f]{64}\), \d+ MiB, in \d+ s/);
		expect((await callEngine(ENGINE, ["ps", "--all", "--quiet"])).stdout).toBe("");
		expect(await readFile(path.join(folder, "environment"), "utf8")).toBe("");
	});

	it("uses a local image, forwards SIGTERM, and reports the command's own exit", async () => {
		const asked = registry.asked.length;
		const { running } = await start({ command: shell("trap 'echo saved; exit 0' TERM; echo ready; while :; do sleep 0.1; done") });
		expect(await running.started).toBe(true);
		while (lines.length === 0) await pause(20);
		running.terminate();
		expect(await running.ended).toEqual({ code: 0, signal: null, error: null });
		// The shell may also report the child that received the signal.
		expect(lines.filter((line) => line.startsWith("stdout"))).toEqual(["stdout: ready", "stdout: saved"]);
		expect(registry.asked.length).toBe(asked);
	});

	it("kills a command that ignores SIGTERM", async () => {
		const { running } = await start({ command: shell("trap '' TERM; echo ready; while :; do sleep 0.1; done") });
		while (lines.length === 0) await pause(20);
		running.terminate();
		running.kill();
		expect(await running.ended).toEqual({ code: null, signal: "SIGKILL", error: null });
		expect((await callEngine(ENGINE, ["ps", "--all", "--quiet"])).stdout).toBe("");
	});

	it("pauses as a whole by the mark of its work folder, and resumes", async () => {
		const far = `env -i setsid sh -c 'while :; do echo far >> ticks; sleep 0.02; done' &`;
		const { running, job } = await start({
			command: shell(`cd "$SPILLWAY_WORK_DIR"; ${far} while :; do echo near >> ticks; sleep 0.02; done`),
		});
		expect(await running.started).toBe(true);
		const rootPid = await running.rootPid();
		const freezer = new Freezer(() => ({ variable: `SPILLWAY_WORK_DIR=${job.workFolder}`, rootPid }));
		const ticks = async () => (await readFile(path.join(job.workFolder, "ticks"), "utf8").catch(() => "")).split("\n").filter(Boolean);
		await vi.waitFor(async () => expect(new Set(await ticks())).toEqual(new Set(["far", "near"])), { timeout: 600_000 });
		freezer.freeze();
		await pause(50);
		const before = await ticks();
		await pause(200);
		expect(await ticks()).toEqual(before);
		freezer.thaw();
		await vi.waitFor(async () => expect(new Set((await ticks()).slice(before.length))).toEqual(new Set(["far", "near"])), {
			timeout: 600_000,
		});
		running.kill();
		await running.ended;
	});

	it("ends and reports a container that lost its reader", async () => {
		const { running } = await start({ command: ["sleep", "600"] });
		expect(await running.started).toBe(true);
		for (const pid of await readdir("/proc")) {
			const words = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
			if (words.includes(`--attach\0spillway-${attemptId}\0`)) process.kill(Number(pid), "SIGKILL");
		}
		expect(await running.ended).toEqual({ code: null, signal: "SIGKILL", error: null });
		expect(logged.join("\n")).toContain(`${ENGINE.kind} exited before its container (SIGKILL); stopping the container`);
	});

	it("reports a program that is missing from the image", async () => {
		const { running } = await start({ command: ["/no/such/program"] });
		// Docker's init process starts before the program is looked up.
		if (ENGINE.kind === "podman") expect(await running.started).toBe(false);
		expect(await running.ended).toMatchObject({ code: null, failedAt: "start", error: expect.stringContaining("/no/such/program") });
	});

	it("does not retry a registry that rejects access, and signs in with the machine's own identity", async () => {
		await forgetImage();
		const image = { image: `${registry.host}/acme/train:1.3` };
		const asked = registry.asked.length;
		await expect(start(image)).rejects.toMatchObject({ failedAt: "image", message: expect.stringMatching(/manifest unknown/) });
		expect(registry.asked.slice(asked).filter((p) => p.endsWith("/1.3")).length).toBeLessThanOrEqual(2);
		registry.password = "robot:secret";
		await expect(start({})).rejects.toMatchObject({ failedAt: "image", message: expect.stringMatching(/unauthori[sz]ed|auth/i) });
		login = { user: "robot", password: "secret" };
		const { running } = await start({ command: shell("exit 0") });
		expect(await running.ended).toMatchObject({ code: 0 });
		expect(await readdir(folder)).not.toContain("registry");
	});

	it.each(["--privileged", "a b", "s3://bucket/image"])("rejects %j as an image", async (image) => {
		await expect(start({ image })).rejects.toMatchObject({
			failedAt: "image",
			message: expect.stringContaining("is not an image name"),
		});
	});
});
