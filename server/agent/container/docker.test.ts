import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createArguments, environmentFile, passedOn } from "./create-arguments.ts";
import { deviceArguments, type MachineLook } from "./devices.ts";
import { findEngine } from "./find-engine.ts";
import { type PullOptions, pullImage } from "./pull-image.ts";
import { exitOfContainer, RunningContainer } from "./running-container.ts";

let bin: string;
let logged: string[];
const signal = new AbortController().signal;
const log = (text: string): void => void logged.push(text);

beforeEach(async () => {
	bin = await mkdtemp(path.join(tmpdir(), "spillway-docker-"));
	logged = [];
	vi.stubEnv("PATH", `${bin}:/usr/bin:/bin`);
});
afterEach(async () => {
	vi.unstubAllEnvs();
	await rm(bin, { recursive: true, force: true });
});

/** Creates a program that records its arguments and then runs the script. */
async function program(name: string, script: string): Promise<string> {
	const file = path.join(bin, name);
	await writeFile(file, `#!/bin/sh\necho "$*" >> '${bin}/${name}.calls'\n${script}\n`);
	await chmod(file, 0o755);
	return file;
}

const callsOf = async (name: string): Promise<string[]> => (await readFile(path.join(bin, `${name}.calls`), "utf8")).trim().split("\n");

describe("findEngine", () => {
	const find = () => findEngine({ searchPath: bin, signal, log });

	it("prefers docker to podman, and uses podman if docker does not respond", async () => {
		await program("podman", "exit 0");
		const docker = await program("docker", "exit 0");
		expect(await find()).toEqual({ kind: "docker", program: docker });
		await program("docker", "echo 'Cannot connect to the Docker daemon' >&2; exit 1");
		await program("systemctl", "exit 1");
		expect((await find()).kind).toBe("podman");
	});

	it("starts a daemon that the image has disabled", async () => {
		await program("docker", `test -e '${bin}/up' || { echo 'Cannot connect' >&2; exit 1; }`);
		await program("systemctl", `: > '${bin}/up'`);
		expect((await find()).kind).toBe("docker");
		expect(await callsOf("systemctl")).toEqual(["start docker"]);
	});

	it("reports a broken engine, and installs no other", async () => {
		await program("docker", "echo 'Error response from daemon: broken' >&2; exit 1");
		await program("systemctl", "exit 1");
		await program("apt-get", "exit 0");
		await expect(find()).rejects.toMatchObject({ failedAt: "start", message: expect.stringContaining("docker does not respond (broken)") });
		await expect(callsOf("apt-get")).rejects.toThrow();
	});

	it("installs docker if there is no engine, and reports why it could not", async () => {
		await program("apt-get", `case "$*" in *install*) printf '#!/bin/sh\\nexit 0\\n' > '${bin}/docker'; chmod 755 '${bin}/docker';; esac`);
		expect((await find()).kind).toBe("docker");
		expect((await callsOf("apt-get")).at(-1)).toContain("install -y --no-install-recommends docker.io");
		await rm(path.join(bin, "docker"));
		await program("apt-get", "echo 'E: Unable to locate package docker.io' >&2; exit 100");
		await expect(find()).rejects.toMatchObject({
			failedAt: "start",
			message: expect.stringMatching(/neither docker nor podman.*Unable to locate/),
		});
	});
});

describe("pullImage", () => {
	const pull = async (image: string, script: string, options: Partial<PullOptions> = {}) => {
		const docker = { kind: "docker" as const, program: await program("docker", script) };
		return pullImage(docker, image, { signal, log, firstPauseMs: 1, ...options });
	};
	const HERE = `echo '[{"Size": 2097152, "RepoDigests": ["acme/t@sha256:ab"], "Config": {"WorkingDir": "/app"}}]'`;
	const inspect = (pulling: string): string =>
		`case "$1" in image) test -e '${bin}/pulled' || { echo 'Error: No such image' >&2; exit 1; }; ${HERE};; pull) ${pulling};; esac`;

	it("reports progress, and pulls only images that are missing or have a moving tag", async () => {
		const script = inspect(`: > '${bin}/pulled'; echo '0123456789ab: Pull complete'`);
		expect(await pull("docker://acme/t:1", script)).toEqual({
			name: "acme/t:1",
			workingDir: "/app",
			bytes: 2_097_152,
			digest: "sha256:ab",
		});
		expect(logged.at(-1)).toMatch(/^pulled acme\/t:1 \(sha256:ab\), 2 MiB, in \d+ s$/);
		await pull("acme/t:1", script);
		await pull("acme/t@sha256:ab", script);
		await pull("host:5000/t:1", script);
		await pull("host:5000/t", script);
		await pull("t:latest", script);
		expect((await callsOf("docker")).filter((call) => call.startsWith("pull"))).toEqual([
			"pull acme/t:1",
			"pull host:5000/t",
			"pull t:latest",
		]);
	});

	it.each([
		"pull access denied for acme/t, repository does not exist or may require 'docker login': denied: requested access to the resource is denied",
		"manifest for acme/t:9 not found: manifest unknown: manifest unknown",
		'failed to resolve reference "docker.io/acme/t:9": docker.io/acme/t:9: not found',
		"unauthorized: authentication required",
		"no matching manifest for linux/arm64/v8 in the manifest list entries",
		"write /var/lib/docker/tmp/GetImageBlob1: no space left on device",
	])("does not retry when a retry cannot help: %s", async (said) => {
		const failing = pull("acme/t:9", inspect(`echo "Error response from daemon: ${said.replaceAll('"', '\\"')}" >&2; exit 1`));
		await expect(failing).rejects.toMatchObject({ failedAt: "image", message: `acme/t:9 cannot be pulled: ${said}` });
		expect((await callsOf("docker")).filter((call) => call.startsWith("pull")).length).toBe(1);
	});

	it("retries what may pass, but not forever", async () => {
		const busy = "Get https://registry-1.docker.io/v2/: dial tcp: lookup registry-1.docker.io: no such host";
		const later = `test -e '${bin}/second' && { : > '${bin}/pulled'; exit 0; }; : > '${bin}/second'; echo '${busy}' >&2; exit 1`;
		expect((await pull("acme/t:1", inspect(later))).workingDir).toBe("/app");
		await rm(path.join(bin, "pulled"));
		await expect(pull("acme/t:1", inspect(`echo '${busy}' >&2; exit 1`))).rejects.toThrow(/no such host \(5 attempts\)$/);
	});

	it("uses the local image of a moving tag if the registry does not respond", async () => {
		await writeFile(path.join(bin, "pulled"), "");
		expect(await pull("acme/t", inspect("echo unauthorized >&2; exit 1"))).toMatchObject({ workingDir: "/app" });
		expect(logged.at(-1)).toContain("using the copy on this instance");
	});

	it("stops when its signal is aborted", async () => {
		const stop = new AbortController();
		const pulling = pull("acme/t:1", inspect(`: > '${bin}/began'; exec sleep 60`), { signal: stop.signal });
		setTimeout(() => stop.abort(new Error("asked to stop")), 200);
		await expect(pulling).rejects.toThrow("asked to stop");
	});
});

describe("deviceArguments", () => {
	const machine = (files: string[], programs: string[] = []): MachineLook => ({
		has: (file) => files.includes(file),
		program: async (name) => (programs.includes(name) ? path.join(bin, name) : null),
	});
	const docker = { kind: "docker", program: "docker" } as const;
	const podman = { kind: "podman", program: "podman" } as const;

	it("passes GPUs on only if the machine has some and the job requests some", async () => {
		const gpus = machine(["/dev/nvidiactl"], ["nvidia-container-runtime"]);
		expect(await deviceArguments(docker, gpus, true)).toEqual(["--gpus", "all"]);
		expect(await deviceArguments(docker, gpus, false)).toEqual([]);
		expect(await deviceArguments(docker, machine([]), true)).toEqual([]);
	});

	it("rejects a machine with an engine that cannot pass GPUs on, before pulling an image", async () => {
		const failing = deviceArguments(docker, machine(["/dev/nvidiactl"]), true);
		await expect(failing).rejects.toMatchObject({ failedAt: "start", message: expect.stringContaining("NVIDIA container toolkit") });
	});

	it("names GPUs to podman by their CDI description, and generates it if missing", async () => {
		const described = machine(["/dev/nvidiactl", "/etc/cdi/nvidia.yaml"]);
		expect(await deviceArguments(podman, described, true)).toEqual(["--device", "nvidia.com/gpu=all"]);
		await program("nvidia-ctk", "exit 0");
		expect(await deviceArguments(podman, machine(["/dev/nvidiactl"], ["nvidia-ctk"]), true)).toEqual(["--device", "nvidia.com/gpu=all"]);
		expect(await callsOf("nvidia-ctk")).toEqual(["cdi generate --output=/var/run/cdi/nvidia.yaml"]);
	});

	it("passes on a TPU and the cards of a fast network", async () => {
		expect(await deviceArguments(docker, machine(["/dev/accel0"]), true)).toEqual(["--privileged"]);
		expect(await deviceArguments(docker, machine(["/dev/infiniband"]), false)).toEqual([
			...["--device", "/dev/infiniband", "--ulimit", "memlock=-1"],
		]);
	});
});

describe("createArguments", () => {
	it("orders arguments as docker and podman require, and contains no variable values", () => {
		const environment = { TOKEN: "s3cret", KEY: "a\nb" };
		const args = createArguments({
			...{ name: "spillway-att_1", image: "acme/t:1", command: ["python", "train.py", "--lr=1"], folder: "/app", environment },
			...{ mounts: [{ source: "/w/data", target: "/data" }], devices: ["--gpus", "all"], user: "0:0", environmentFile: "/w/environment" },
			init: true,
		});
		expect(args).toEqual([
			...["create", "--name", "spillway-att_1", "--network", "host", "--ipc", "host", "--user", "0:0", "--workdir", "/app"],
			...["--log-driver", "none", "--security-opt", "label=disable", "--oom-score-adj", "500", "--init", "--gpus", "all"],
			...["--volume", "/w/data:/data", "--env-file", "/w/environment", "--env", "KEY"],
			...["--entrypoint", "python", "acme/t:1", "train.py", "--lr=1"],
		]);
		expect(environmentFile(environment)).toBe("TOKEN=s3cret\n");
		expect(passedOn(environment)).toEqual({ KEY: "a\nb" });
	});

	it.each(["PATH", "LD_PRELOAD", "DOCKER_HOST", "https_proxy"])("does not pass %s on through the engine's own environment", (name) => {
		expect(() => passedOn({ [name]: "a\nb" })).toThrow(`the variable ${name} has several lines`);
	});
});

it("repeats the stop until the engine delivers it: a container that is not yet running gets no stop", async () => {
	const docker = await program(
		"docker",
		`case "$1" in
		container) echo '{"StartedAt":"2026-11-22T10:47:33Z","ExitCode":143}';;
		start) while [ ! -e '${bin}/asked' ]; do sleep 0.05; done;;
		kill) [ -e '${bin}/begun' ] && : > '${bin}/asked' || { : > '${bin}/begun'; echo 'is not running' >&2; exit 1; };;
		esac`,
	);
	const engine = { kind: "docker", program: docker } as const;
	const running = new RunningContainer({ engine, name: "spillway-att_1", folder: bin, onLine: () => {}, isFull: () => false, log });
	running.terminate();
	expect(await running.ended).toEqual({ code: null, signal: "SIGTERM", error: null });
	expect((await callsOf("docker")).filter((call) => call.startsWith("kill"))).toHaveLength(2);
});

describe("exitOfContainer", () => {
	const ran = { StartedAt: "2026-11-22T10:47:33.437867699Z", ExitCode: 0 };
	it.each([
		[{ ...ran, ExitCode: 5 }, [], { code: 5, signal: null, error: null }],
		[{ ...ran, ExitCode: 143 }, [], { code: null, signal: "SIGTERM", error: null }],
		[{ ...ran, ExitCode: 137 }, [], { code: null, signal: "SIGKILL", error: null }],
		[{ ...ran, ExitCode: 137, OOMKilled: true }, [], { code: null, signal: "SIGKILL", error: null, outOfMemory: true }],
		// A child was killed for lack of memory, and the command survived.
		[{ ...ran, OOMKilled: true }, [], { code: 0, signal: null, error: null }],
		[
			{ StartedAt: "0001-01-01T00:00:00Z", ExitCode: 127, Error: 'exec: "x": executable file not found in $PATH' },
			["Error response from daemon: failed to create task"],
			{
				code: null,
				signal: null,
				failedAt: "start",
				error: 'could not start the command in the container: exec: "x": executable file not found in $PATH',
			},
		],
		[
			{ ...ran, ExitCode: 127 },
			["[FATAL tini (7)] exec x failed: No such file or directory"],
			{
				...{ code: null, signal: null, failedAt: "start" },
				error: "could not start the command in the container: [FATAL tini (7)] exec x failed: No such file or directory",
			},
		],
		[
			null,
			["Error: it no longer exists"],
			{ code: null, signal: null, failedAt: "start", error: "could not start the command in the container: it no longer exists" },
		],
	])("reads %j", (state, errors, exit) => {
		expect(exitOfContainer(state, errors)).toEqual(exit);
	});
});
