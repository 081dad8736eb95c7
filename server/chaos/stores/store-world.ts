import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { ControlClient } from "#server/agent/client.ts";
import { type EnrollAnswer, enrollAnswer } from "#server/agent/protocol.ts";
import { rcloneOfHost } from "#server/agent/rclone/find.ts";
import { createAgentHandler } from "#server/api/agent/handler.ts";
import { serveFetch } from "#server/api/fetch-adapter.ts";
import type { Db } from "#server/db/client.ts";
import { ObjectStoreEmulator } from "#server/emulators/objects/emulator.ts";
import { systemClock } from "#server/kernel/clock.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { RcloneStores } from "#server/providers/stores/rclone-stores.ts";
import { addStore } from "#server/services/capacity/store/add.ts";
import type { StoreBox } from "#server/services/capacity/store/box.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { createTeam } from "#server/services/governance/team/manage.ts";
import { bootstrapSecretOf } from "#server/services/work/agent/bootstrap.ts";
import { SECRET_KEY, seedInstance } from "#server/services/work/agent/testing/seed.ts";

const TEAM = "research";
export const STORE_KEYS = { accessKeyId: "AKIAEXAMPLE", secretAccessKey: "a-secret-of-the-store" };
export const STORE_BUCKET = "models";

/** An enrolled machine of an attempt, with its own folder. */
export interface Machine {
	rank: number;
	client: ControlClient;
	terms: EnrollAnswer;
	home: string;
}

/** Bodies that the control plane received and sent, bytes. */
interface PassedBytes {
	/** JSON: requests, responses and manifests. */
	json: number;
	/** Everything else: file contents. */
	files: number;
}

/** A control plane's machine API and a team's object store, both on loopback. */
export class StoreWorld {
	readonly passed: PassedBytes = { json: 0, files: 0 };
	readonly stores: StoreBox = { port: new RcloneStores(rcloneOfHost), secretKey: SECRET_KEY };
	readonly checkpointRoot: string;
	readonly artifactRoot: string;
	readonly objects: ObjectStoreEmulator;
	/** May end a connection before or after the control plane has handled its request, as a killed web server does. */
	cut: (request: IncomingMessage) => "before" | "after" | null = () => null;
	readonly #db: Db;
	readonly #folder: string;
	readonly #server: Server;
	readonly #handler: (request: Request) => Promise<Response>;

	private constructor(db: Db, folder: string, objects: ObjectStoreEmulator) {
		this.#db = db;
		this.#folder = folder;
		this.objects = objects;
		this.checkpointRoot = path.join(folder, "checkpoints");
		this.artifactRoot = path.join(folder, "artifacts");
		this.#handler = createAgentHandler({
			...{ db, clock: systemClock, secretKey: SECRET_KEY, stores: this.stores, agentFile: "/dev/null" },
			...{ checkpointRoot: this.checkpointRoot, artifactRoot: this.artifactRoot },
			timing: { heartbeatMs: 50, stopGraceMs: 1_000, controlSilenceMs: 60_000, leaseMs: 0 },
		});
		this.#server = createServer((request, response) => this.#serve(request, response));
	}

	static async start(db: Db, folder: string): Promise<StoreWorld> {
		const objects = await ObjectStoreEmulator.start({ folder: path.join(folder, "objects"), buckets: [STORE_BUCKET], ...STORE_KEYS });
		const world = new StoreWorld(db, folder, objects);
		await createTeam(world.platform(), { name: TEAM });
		const config = { kind: "s3", bucket: STORE_BUCKET, prefix: TEAM, provider: "Minio", endpoint: objects.url };
		await addStore(
			{ ...world.platform(), stores: world.stores },
			{ team: TEAM, name: "main", config, secret: STORE_KEYS, usdPerGiBMonth: 0.023 },
		);
		await new Promise<void>((resolve) => world.#server.listen(0, "127.0.0.1", resolve));
		return world;
	}

	get url(): string {
		return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
	}

	platform(): ServiceContext {
		const actor = { kind: "person" as const, accountId: "usr_p", name: "P", role: "platform" as const, teams: [], via: "token" as const };
		return { db: this.#db, clock: systemClock, actor, requestId: "test" };
	}

	/** Enrolled machines of an attempt. `log` receives their log lines. */
	async machines(jobId: string, number: number, nodes: number, log: (text: string) => void): Promise<Machine[]> {
		const { signal } = new AbortController();
		const found: Machine[] = [];
		for (let rank = 0; rank < nodes; rank++) {
			const place = { jobId, number, rank, expiresAtMs: Date.now() + HOUR_MS, providerInstanceId: `i-${jobId}-${number}-${rank}` };
			const { instanceId } = await seedInstance(this.#db, place);
			const client = new ControlClient({ baseUrl: this.url, log });
			const secret = { bootstrapSecret: bootstrapSecretOf(SECRET_KEY, instanceId), nonce: randomBytes(16).toString("base64url") };
			const json = { instanceId, ...secret, providerInstanceId: place.providerInstanceId, privateAddress: `10.0.0.${rank + 1}` };
			const terms = await client.call({ method: "POST", path: "/enroll", json, answer: enrollAnswer, signal });
			client.token = terms.token;
			const home = path.join(this.#folder, `${jobId}-${number}-${rank}`);
			await mkdir(home, { recursive: true });
			found.push({ rank, client, terms, home });
		}
		return found;
	}

	async close(): Promise<void> {
		this.#server.closeAllConnections();
		await new Promise((resolve) => this.#server.close(resolve));
		await this.objects.close();
	}

	#serve(request: IncomingMessage, response: ServerResponse): void {
		const cut = this.cut(request);
		if (cut === "before") return void request.socket.destroy();
		if (cut === "after") response.writeHead = () => response.destroy();
		const isJson = (type: string | undefined): boolean => type?.startsWith("application/json") ?? false;
		const count = (isManifest: boolean, bytes: number): void => {
			this.passed[isManifest ? "json" : "files"] += bytes;
		};
		request.on("data", (chunk: Buffer) => count(isJson(request.headers["content-type"]), chunk.length));
		const handler = async (asked: Request): Promise<Response> => {
			const answer = await this.#handler(asked);
			const [mine, theirs] = answer.body?.tee() ?? [null, null];
			if (mine)
				void mine
					.pipeTo(new WritableStream({ write: (chunk) => count(isJson(answer.headers.get("content-type") ?? ""), chunk.byteLength) }))
					.catch(() => {});
			return new Response(theirs, answer);
		};
		serveFetch(handler, request, response).catch(() => response.destroy());
	}
}

/** The provider reclaims the machines; the job waits for its next attempt. */
export async function interrupt(machines: readonly Machine[]): Promise<void> {
	const exit = { code: null, signal: "SIGTERM", error: null };
	const { signal } = new AbortController();
	for (const { client } of machines) await client.report("/exited", { exit, atMs: Date.now(), stoppedBy: "signalled" }, signal);
}
