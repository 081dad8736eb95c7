import process from "node:process";
import { afterAll, beforeAll, expect, it } from "vitest";
import { OPERATIONS } from "#server/contract/operations.ts";
import { store } from "#server/db/schema/store.ts";
import { hash32, seededRandom } from "#server/kernel/random.ts";
import { cases } from "#server/kernel/testing/deep.ts";
import { bootstrapSecretOf } from "#server/services/work/agent/bootstrap.ts";
import { aSpec, SECRET_KEY, seedInstance, seedJob } from "#server/services/work/agent/testing/seed.ts";
import type { Draw } from "./testing/fuzz/from-schema.ts";
import { type Callers, drawRequest, type FuzzRequest, restRequest } from "./testing/fuzz/requests.ts";
import { closeConnections, type FuzzReply, send } from "./testing/fuzz/send.ts";
import { startWholeServer, type WholeServer } from "./testing/fuzz/whole-server.ts";
import { addOneOfEach } from "./testing/one-of-each.ts";

/**
 * Requests generated from the contract, the pages' procedures and the agents' protocol, sent to every entry point of
 * one server: every request gets a response, and none is a server failure. `npm run test:deep` sends a million with a
 * new seed.
 */

const REQUESTS = cases(6_000, 1_000_000);
const SEED = process.env["SPILLWAY_TEST_SEED"] ?? "1";
/** Sequential in `npm test`, so that a run is reproducible; concurrent in `npm run test:deep`. */
const AT_ONCE = cases(1, 24);
/** In `npm run test:deep`, people also send the same write concurrently: one write in four. */
const COPIES = cases(1, 3);
const MACHINES = 3;

let server: WholeServer;
let base: URL;
let known: Draw["known"];
let callers: Callers;

beforeAll(async () => {
	server = await startWholeServer();
	base = new URL(server.url);
	const { world } = server;
	const ids = await addOneOfEach(world, "scientist");
	await world.post("/accounts", { email: "victim@example.test", name: "Victim", role: "finance", teams: [] });
	const { json: view } = await world.post("/views", { name: "failed", query: "view=failed", team: "research" }, { as: "scientist" });
	await world.database.db.insert(store).values(STORE);
	const machines = await Promise.all(Array.from({ length: MACHINES }, (_, i) => enroll(i)));
	const path = ["a", "weights.bin", "x".repeat(255), "x".repeat(256), ".."];
	known = {
		...{ id: [...Object.values(ids), "home", "aws", "cloud-month", "usr_victim", "tok_x"], siteId: ["home", "aws"], poolId: ["pool"] },
		...{ team: ["research", "vision", ""], name: ["default", "research", "train"], month: ["2026-01", "2026-11", "9999-12"] },
		...{ job: [ids.jobId], provider: ["aws", "slurm"], version: ["1"], email: ["a@example.test"], path, cursor: cursors() },
		...{ checkpointId: [`ckp_${"0".repeat(24)}`], artifactId: [ids.artifactId], from: ["2026-01-01"], to: ["2026-12-31"] },
		...{
			format: ["csv", "pdf", "json"],
			apiVersion: ["spillway/v1"],
			source: [POLICY],
			text: [JOB, POLICY, PIPELINE, ...RATES],
			duration: ["1h"],
		},
		...{ "job.id": [ids.jobId], "approval.id": [ids.approvalId], "artifact.id": [ids.artifactId], "pipeline.id": [ids.pipelineId] },
		...{ "site.id": ["home", "aws"], "budget.id": ["cloud-month"], "account.id": ["usr_victim"], "team.name": ["vision"] },
		...{
			"policy.name": ["default"],
			"policy.version": ["1"],
			"statement.month": ["2026-01"],
			"rates.poolId": ["pool"],
			"rates.siteId": ["home"],
		},
		...{ "template.id": [ids.templateId], "view.id": [String(view.id)], "store.id": [STORE.id, "embedded"], "trigger.id": [ids.triggerId] },
		...{ pipelineId: [ids.pipelineId], currency: ["EUR", "JPY", "USD"], date: ["2026-11-25"], query: ["view=failed&team=research"] },
		...{ group: ["ml", "constructor", "__proto__", "toString"], groups: ["ml", "constructor"], usdPerGiBMonth: ["0.023", "1e3", "-1"] },
		"*": ["x", "research", "default", "2026-11-01T00:00:00Z", "1h", ids.jobId, "us-east-1", "10.50"],
	};
	callers = { people: [...Object.values(world.tokens), world.tokens.platform, ""], machines: [...machines, ""] };
});
afterAll(async () => {
	closeConnections();
	await server?.close();
});

const JOB = "apiVersion: spillway/v1\nkind: Job\nmetadata: { name: x, team: research }\nspec: { command: [a], resources: { gpus: 1 } }\n";
const POLICY =
	"apiVersion: spillway/v1\nkind: Policy\nmetadata: { name: default }\nspec: { rules: [{ id: life, limit: { instanceHours: 1 } }] }\n";

const PIPELINE =
	"apiVersion: spillway/v1\nkind: Pipeline\nmetadata: { name: x, team: research }\nspec: { steps: [{ name: a, job: { command: [a] } }] }\n";
/** Exchange rates, in opposite order, and in an invalid form. */
const RATES = [
	"date,currency,rate\n2026-11-24,EUR,0.91\n2026-11-25,EUR,0.92\n2026-11-25,JPY,156\n",
	"date,currency,rate\r\n2026-11-25,JPY,157\r\n2026-11-25,EUR,0.93\r\n2026-11-24,EUR,0.94\r\n",
	"Date,USD,JPY,\n2026-11-25,1.0823,169.05,\n",
	"date,currency,rate\n2026-11-25,EUR,1,0823\n",
];
const STORE = {
	...{ id: "sto_fuzz", team: "research", name: "models", sealedSecret: null, isDefault: false, createdAt: new Date(0) },
	config: { kind: "s3" as const, provider: "AWS" as const, bucket: "models", region: "eu-west-1" },
};

/** Cursors of lists as written by the server, with times beyond every date. */
function cursors(): string[] {
	const values = [
		[0, "job_x"],
		[8.64e15, "job_x"],
		[8.64e15 + 1, "x"],
		[-1e300, ""],
		[1, "\u0000"],
		{},
		null,
		[Number.MAX_SAFE_INTEGER, 1],
	];
	return values.map((value) => Buffer.from(JSON.stringify(value)).toString("base64url"));
}

async function enroll(index: number): Promise<string> {
	const { db } = server.world.database;
	const jobId = await seedJob(db, aSpec());
	const providerInstanceId = `i-${index}`;
	const { instanceId } = await seedInstance(db, { jobId, number: 1, expiresAtMs: server.world.nowMs() + 3_600_000, providerInstanceId });
	const body = { instanceId, bootstrapSecret: bootstrapSecretOf(SECRET_KEY, instanceId), providerInstanceId, nonce: "n".repeat(32) };
	const answer = await fetch(`${server.url}/agent/v1/enroll`, { method: "POST", body: JSON.stringify(body) });
	const { token } = (await answer.json()) as { token: string };
	return token;
}

/** The request with this number; the same for every run with the seed. */
function requestOf(number: number): FuzzRequest {
	const random = seededRandom(hash32(`${SEED}/${number}`));
	const draw: Draw = { random, known, wrong: random.pick([0, 0.02, 0.15]) };
	// Every operation in turn, then any entry point.
	const operation = number % 4 === 0 ? OPERATIONS[(number / 4) % OPERATIONS.length] : undefined;
	return operation ? restRequest(operation, draw, random.pick(callers.people)) : drawRequest(draw, callers);
}

/** Why a response is wrong, or null. */
function problemWith(request: FuzzRequest, { status, headers, text }: FuzzReply): string | null {
	if (status >= 500) return `answered ${status}: ${text.slice(0, 500)}`;
	if (status === 405 && request.method !== "OPTIONS" && !headers["allow"] && !request.label.startsWith("trpc"))
		return "answered 405 without Allow";
	if (status === 0 || (status >= 400 && /\n\s+at .*\.ts:\d+/.test(text))) return `answered ${status} with a stack: ${text.slice(0, 300)}`;
	return null;
}

function reportOf(number: number, { label, method, path, body }: FuzzRequest, problem: string): string {
	return `seed ${SEED}, request ${number}, ${label}: ${method} ${path.slice(0, 300)}\n${body?.slice(0, 500)}\n${problem}`;
}

it(`${REQUESTS.toLocaleString("en-US")} generated requests: no 5xx, no hang, nothing logged as a failure`, {
	timeout: 24 * 3_600_000,
}, async () => {
	/** One per operation. */
	const problems = new Map<string, string>();
	const succeeded = new Map<string, number>();
	let next = 0;
	const worker = async (): Promise<void> => {
		while (next < REQUESTS && problems.size < 20) {
			const number = next++;
			const request = requestOf(number);
			const copies = request.method !== "GET" && number % 4 === 3 ? COPIES : 1;
			const sent = Array.from({ length: copies }, () => send(base, request).catch((error: unknown) => String(error)));
			for (const reply of await Promise.all(sent)) {
				const problem = typeof reply === "string" ? reply : problemWith(request, reply);
				if (problem !== null) problems.set(request.label, reportOf(number, request, problem));
				else if (typeof reply !== "string" && reply.status < 300) succeeded.set(request.label, (succeeded.get(request.label) ?? 0) + 1);
			}
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, worker));
	expect([...problems.values(), ...server.world.failures.map(String)]).toEqual([]);
	const reached = OPERATIONS.filter(({ id }) => succeeded.has(id)).length;
	expect(reached / OPERATIONS.length).toBeGreaterThan(0.4);
});
