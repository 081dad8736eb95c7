import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

/** Affects only a test that would fail anyway; a busy computer may take long to boot another machine. */
const LIMIT_MS = 600_000;

/** Polls until something exists; otherwise the test fails and names what it waited for. */
export async function eventually<T>(
	what: string,
	look: () => Promise<T | null | undefined | false> | T | null | undefined | false,
): Promise<T> {
	const until = performance.now() + LIMIT_MS;
	while (performance.now() < until) {
		const found = await look();
		if (found !== null && found !== undefined && found !== false) return found;
		await sleep(10);
	}
	throw new Error(`waited without success until ${what}`);
}

/** The agent bundle, built by the project's own script. */
export async function buildAgent(): Promise<string> {
	await promisify(execFile)(process.execPath, ["scripts/build-agent.mjs"]);
	return path.resolve("dist/agent.mjs");
}

/** A handler behind a real port that can be unavailable for a while. */
export interface ControlPlane {
	url: string;
	/** Accepted requests, `METHOD path`. */
	seen: string[];
	/** Answers of these calls are dropped after the work was done, once for each entry. */
	loseAnswersOf: string[];
	/** Resets every connection until service resumes. Returns when the running requests have ended; their answers are lost. */
	goAway(): Promise<void>;
	comeBack(): void;
	close(): Promise<void>;
}

export async function serve(handler: (request: Request) => Promise<Response>): Promise<ControlPlane> {
	const seen: string[] = [];
	const loseAnswersOf: string[] = [];
	const inWork = new Set<Promise<void>>();
	const listener = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
		const call = `${incoming.method} ${incoming.url}`;
		seen.push(call);
		const isLost = (): boolean => {
			const at = loseAnswersOf.indexOf(call);
			return at >= 0 && loseAnswersOf.splice(at, 1).length > 0;
		};
		const work = answer(incoming, outgoing, handler, isLost).finally(() => inWork.delete(work));
		inWork.add(work);
	};
	const server = createServer(listener);
	// Keep the port while the control plane is unavailable: a server of another test could take it otherwise.
	let isUnavailable = false;
	server.on("connection", (socket) => {
		if (isUnavailable) socket.destroy();
	});
	const port = await listen(server, 0);
	return {
		url: `http://127.0.0.1:${port}`,
		seen,
		loseAnswersOf,
		goAway: async () => {
			isUnavailable = true;
			server.closeAllConnections();
			await Promise.all(inWork);
		},
		comeBack: () => {
			isUnavailable = false;
		},
		close: () => close(server),
	};
}

async function answer(
	incoming: IncomingMessage,
	outgoing: ServerResponse,
	handler: (request: Request) => Promise<Response>,
	isLost: () => boolean,
): Promise<void> {
	const hasBody = incoming.method !== "GET" && incoming.method !== "HEAD";
	const init: RequestInit & { duplex: "half" } = {
		method: incoming.method ?? "GET",
		headers: new Headers(Object.entries(incoming.headers).map(([k, v]): [string, string] => [k, String(v)])),
		body: hasBody ? (Readable.toWeb(incoming) as ReadableStream<Uint8Array>) : null,
		duplex: "half",
	};
	try {
		const response = await handler(new Request(`http://control${incoming.url}`, init));
		if (isLost()) return void incoming.socket.destroy();
		outgoing.writeHead(response.status, Object.fromEntries(response.headers));
		if (response.body === null) return void outgoing.end();
		await pipeline(Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]), outgoing);
	} catch {
		incoming.socket.destroy();
	}
}

/** The part of Amazon's metadata service that the agent reads. */
export async function serveMetadata(
	providerInstanceId: string,
): Promise<{ url: string; give(notice: { atMs: number }): void; close(): Promise<void> }> {
	let notice: { atMs: number } | null = null;
	const server = createServer((request, response) => {
		const say = (status: number, text: string): void => void response.writeHead(status).end(text);
		if (request.url === "/latest/api/token") return say(request.method === "PUT" ? 200 : 405, "imds-token");
		if (request.headers["x-aws-ec2-metadata-token"] !== "imds-token") return say(401, "");
		if (request.url === "/latest/meta-data/instance-id") return say(200, providerInstanceId);
		if (request.url === "/latest/meta-data/spot/instance-action" && notice) {
			return say(200, JSON.stringify({ action: "terminate", time: new Date(notice.atMs).toISOString() }));
		}
		return say(404, "");
	});
	const port = await listen(server, 0);
	return {
		url: `http://127.0.0.1:${port}`,
		give: (given) => {
			notice = given;
		},
		close: () => close(server),
	};
}

export interface Machine {
	isOff(): boolean;
	/** Output on its console. */
	console(): Promise<string>;
	folder: string;
	/** Signals every process of the machine except those in their own group. */
	signal(name: NodeJS.Signals): void;
	/** Ends all remaining processes. */
	destroy(): Promise<void>;
}

export interface BootOptions {
	/** Whether the image's own Node is too old. */
	oldNode?: boolean;
	/** Shell scripts that serve as the image's programs, ahead of the host's. */
	programs?: Readonly<Record<string, string>>;
}

/** Boots a machine: executes user-data in its own session, with a `shutdown` that only records the call in a file. */
export async function boot(script: string, environment: Record<string, string>, options: BootOptions = {}): Promise<Machine> {
	const folder = await mkdtemp(path.join(os.tmpdir(), "spillway-machine-"));
	const bin = path.join(folder, "bin");
	await mkdir(bin);
	await mkdir(path.join(folder, "tmp"));
	// Both names, so that a test can never reach the host's own.
	for (const name of ["shutdown", "poweroff"])
		await writeFile(path.join(bin, name), `#!/bin/sh\necho ${name} "$@" >> '${folder}/off'\n`, { mode: 0o755 });
	if (options.oldNode) for (const name of ["node", "nodejs"]) await writeFile(path.join(bin, name), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
	for (const [name, text] of Object.entries(options.programs ?? {}))
		await writeFile(path.join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
	await writeFile(path.join(folder, "user-data"), script);
	const consoleFile = path.join(folder, "console");
	const child = spawn("/bin/sh", ["-c", `exec sh '${folder}/user-data' > '${consoleFile}' 2>&1`], {
		cwd: folder,
		detached: true,
		stdio: "ignore",
		env: {
			NODE_ENV: "test",
			PATH: `${bin}:${path.dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
			TMPDIR: path.join(folder, "tmp"),
			SPILLWAY_METADATA_POLL_MS: "20",
			...environment,
		},
	});
	const over = new Promise<void>((resolve) => child.once("exit", () => resolve()));
	return {
		folder,
		isOff: () => existsSync(path.join(folder, "off")),
		console: () => readFile(consoleFile, "utf8"),
		signal: (name) => {
			process.kill(-(child.pid ?? 0), name);
		},
		destroy: async () => {
			try {
				process.kill(-(child.pid ?? 0), "SIGKILL");
			} catch {
				// The process has already ended.
			}
			await over;
			await killThoseOf(folder);
			await rm(folder, { recursive: true, force: true, maxRetries: 5 });
		},
	};
}

/** A job has its own group and outlives a machine that is cut off; it is identified by the folder in its environment. */
async function killThoseOf(folder: string): Promise<void> {
	for (const name of await readdir("/proc").catch(() => [])) {
		const pid = Number(name);
		if (!Number.isInteger(pid) || pid === process.pid) continue;
		const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
		if (!environment.includes(`${folder}/`)) continue;
		try {
			process.kill(pid, "SIGKILL");
		} catch {
			// The process ended in between.
		}
	}
}

function listen(server: Server, port: number): Promise<number> {
	return new Promise((resolve, reject) => {
		server.once("error", reject);
		server.listen(port, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
	});
}

function close(server: Server): Promise<void> {
	return new Promise((resolve) => {
		server.close(() => resolve());
		server.closeAllConnections();
	});
}
