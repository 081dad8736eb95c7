import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { sql } from "drizzle-orm";
import { handleHealth, isHealthPath } from "#server/api/health.ts";
import { handleRest, type RestRuntime } from "#server/api/rest/handler.ts";
import { checkAnswer } from "#server/api/testing/check-answer.ts";
import { openDoors } from "#server/auth/open-doors.ts";
import { TokenAuthenticator } from "#server/auth/tokens.ts";
import { account, team } from "#server/db/schema/account.ts";
import { pool, site } from "#server/db/schema/site.ts";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import type { JobFile } from "#server/domain/job-file.ts";
import { type Reason, reason } from "#server/domain/reasons.ts";
import type { Role } from "#server/domain/vocabulary.ts";
import { env } from "#server/env.ts";
import { attemptIdOf } from "#server/kernel/ids.ts";
import { fakeOffer } from "#server/providers/fake/fake-offers.ts";
import type { StorePort } from "#server/providers/store-port.ts";
import type { SiteTools } from "#server/services/capacity/site/tools.ts";
import { systemContext } from "#server/services/core/context.ts";
import { timingSchema } from "#server/services/core/timing.ts";
import { publishPolicy } from "#server/services/governance/policy/publish.ts";
import { issueToken } from "#server/services/governance/token/issue.ts";
import { ChangeFeed } from "#server/services/notification/changes/feed.ts";
import { refreshOffers } from "#server/services/pricing/offer/refresh.ts";
import { markRunning } from "#server/services/work/attempt/advance.ts";
import { appendLogs } from "#server/services/work/attempt/append-logs.ts";
import { finishAttempt } from "#server/services/work/attempt/finish.ts";
import { requestStop } from "#server/services/work/attempt/request-stop.ts";
import { placeHome } from "#server/services/work/job/place-home.ts";

const PEOPLE = {
	platform: { role: "platform", teams: ["research", "vision"] },
	scientist: { role: "data_scientist", teams: ["research"] },
	stranger: { role: "data_scientist", teams: ["vision"] },
	finance: { role: "finance", teams: [] },
} satisfies Record<string, { role: Role; teams: string[] }>;
export type Person = keyof typeof PEOPLE;

const POLICY = `apiVersion: spillway/v1
kind: Policy
metadata: { name: default }
spec:
  rules:
    - id: burst-on-wait
      burst: { after: { forecastWait: 10s } }
    - id: life
      limit: { instanceHours: 1 }
  budgets:
    - { id: cloud-month, scope: "true", period: month, capUsd: 1000, atCap: hold }
`;

export interface Reply {
	status: number;
	headers: Headers;
	text: string;
	/** Parsed; undefined when it is not JSON. */
	// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every form
	json: any;
}

export interface CallOptions {
	as?: Person | null;
	token?: string;
	body?: unknown;
	headers?: Record<string, string>;
}

/** What the server's process can reach; nothing by default. */
interface Tools {
	siteTools?: SiteTools;
	storePort?: StorePort;
}

/** The REST API over its own database, on a real port, with four people; the control loop is played by hand. */
export class RestWorld {
	url = "";
	readonly database: TestDatabase;
	readonly tokens: Record<Person, string>;
	/** The failures that the server logged as its own. */
	readonly failures: unknown[];
	/** Added to the server's clock. */
	shiftMs = 0;
	/** State shared by the server's requests. */
	readonly runtime: RestRuntime;
	readonly #server: Server;
	readonly #shutdown: AbortController;

	private constructor(database: TestDatabase, tokens: Record<Person, string>, tools: Tools) {
		this.database = database;
		this.tokens = tokens;
		this.failures = [];
		this.#shutdown = new AbortController();
		const authenticator = new TokenAuthenticator(database.db);
		this.runtime = {
			env: env(),
			connection: database,
			clock: { nowMs: () => this.nowMs() },
			timing: timingSchema.parse({}),
			changes: new ChangeFeed(database.sql, this.#shutdown.signal, { nowMs: () => this.nowMs() }),
			shutdown: this.#shutdown,
			siteTools: tools.siteTools ?? null,
			startTrace: null,
			storePort: tools.storePort ?? null,
			logError: (_, error) => void this.failures.push(error),
			authenticate: (token, nowMs) => authenticator.actorOf(token, nowMs),
			openDoors: openDoors({ env: env(), db: database.db, clock: { nowMs: () => this.nowMs() } }),
		};
		const rt = this.runtime;
		this.#server = createServer((req, res) => void (isHealthPath(req.url ?? "") ? handleHealth(rt, req, res) : handleRest(rt, req, res)));
	}

	static async open(tools: Tools = {}): Promise<RestWorld> {
		const database = await createTestDatabase();
		const { db } = database;
		const nowMs = Date.now();
		const at = new Date(nowMs);
		await db.insert(team).values([{ name: "research" }, { name: "vision" }]);
		const tokens: Partial<Record<Person, string>> = {};
		for (const [name, { role, teams }] of Object.entries(PEOPLE)) {
			const id = `usr_${name}`;
			await db.insert(account).values({ id, email: `${name}@example.test`, name, role, teams, createdAt: at });
			tokens[name as Person] = (await issueToken(db, { accountId: id, name: "test", nowMs })).token;
		}
		await db.insert(site).values([
			{ id: "home", name: "home", provider: "local", settings: {}, healthy: true },
			{ id: "aws", name: "aws", provider: "aws", settings: { regions: ["us-east-1"] }, healthy: true },
		]);
		await db.insert(pool).values({
			...{ id: "pool", siteId: "home", accelerator: "L40S-48GB", nodes: 1, gpusPerNode: 4, unavailableSlots: [] },
			...{ microUsdPerGpuHour: 1_000_000n, wattsPerGpu: 300, ownedSince: at },
		});
		const system = systemContext(db, { nowMs: () => nowMs }, "seed");
		await publishPolicy(system, { name: "default", message: "test", source: POLICY });
		await refreshOffers(db, [fakeOffer({ priceObservedAtMs: nowMs })], nowMs);
		const world = new RestWorld(database, tokens as Record<Person, string>, tools);
		await world.#listen();
		return world;
	}

	async #listen(): Promise<void> {
		this.#server.listen(0, "127.0.0.1");
		await once(this.#server, "listening");
		this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
	}

	nowMs(): number {
		return Date.now() + this.shiftMs;
	}

	async call(method: string, path: string, options: CallOptions = {}): Promise<Reply> {
		const { as = "platform", body } = options;
		const token = options.token ?? (as === null ? null : this.tokens[as]);
		const response = await fetch(`${this.url}${path}`, {
			method,
			headers: {
				...(token === null ? {} : { authorization: `Bearer ${token}` }),
				...(body === undefined ? {} : { "content-type": "application/json" }),
				...options.headers,
			},
			...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
		});
		const text = await response.text();
		const reply: Reply = { status: response.status, headers: response.headers, text, json: parsed(text) };
		checkAnswer(method, path, reply);
		return reply;
	}

	get(path: string, options?: CallOptions): Promise<Reply> {
		return this.call("GET", `/api/v1${path}`, options);
	}

	post(path: string, body: unknown, options?: CallOptions): Promise<Reply> {
		return this.call("POST", `/api/v1${path}`, { ...options, body });
	}

	/** @returns the job's id */
	async submit(changes: Parameters<typeof aJob>[0] = {}): Promise<string> {
		const { status, json } = await this.post("/jobs", aJob(changes));
		if (status !== 201) throw new Error(`not submitted: ${JSON.stringify(json)}`);
		return String(json.id);
	}

	/** Starts attempt `number` of a job on slot `number` at home. */
	async start(jobId: string, number = 1): Promise<string> {
		const nowMs = this.nowMs();
		await this.database.db.transaction(async (tx) => {
			const facts = { jobId, attemptNo: number, siteId: "home", provider: "local" as const, poolId: "pool", slots: [number - 1] };
			const placed = await placeHome(tx, { ...facts, reason: reason("placed_home", { gpus: 1 }), nowMs });
			if (!placed) throw new Error(`attempt ${number} of ${jobId} was not placed`);
			await markRunning(tx, { attemptId: placed.attemptId, atMs: nowMs });
		});
		return attemptIdOf(jobId, number);
	}

	async log(attemptId: string, ...texts: string[]): Promise<void> {
		const lines = texts.map((text) => ({ atMs: this.nowMs(), stream: "stdout" as const, text }));
		await this.database.db.transaction((tx) => appendLogs(tx, { attemptId, lines }));
	}

	/** The attempt ends: on its own with an exit code, or by request for this reason. */
	async end(attemptId: string, how: { code: number } | { stop: Reason }): Promise<void> {
		const atMs = this.nowMs();
		await this.database.db.transaction(async (tx) => {
			if ("stop" in how) await requestStop(tx, { attemptId, reason: how.stop, atMs });
			await finishAttempt(tx, { attemptId, exit: { code: "code" in how ? how.code : 143, signal: null, error: null }, atMs });
		});
	}

	/** Rows of every table that a request can write to. */
	async written(): Promise<Record<string, number>> {
		const [row] = await this.database.db.execute<Record<string, number>>(sql`
			select (select count(*) from job)::int as jobs, (select count(*) from event)::int as events, (select count(*) from audit)::int as audits,
				(select count(*) from idempotency_key)::int as keys, (select count(*) from attempt)::int as attempts,
				(select count(*) from job where cancel_requested_at is not null)::int as cancels`);
		return { ...row };
	}

	async close(): Promise<void> {
		this.#shutdown.abort();
		this.#server.closeAllConnections();
		await new Promise((resolve) => this.#server.close(resolve));
		await this.database.drop();
	}
}

/** A job document of `research`, with changes. */
export function aJob(changes: { name?: string; team?: string; spec?: Partial<JobFile["spec"]> } = {}): JobFile {
	return {
		apiVersion: "spillway/v1",
		kind: "Job",
		metadata: { name: changes.name ?? "train", team: changes.team ?? "research" },
		spec: { command: ["true"], resources: { gpus: 1 }, ...changes.spec },
	};
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
