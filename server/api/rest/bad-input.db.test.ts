import { request } from "node:http";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { DOORS } from "../edge/limits.ts";
import { aJob, type Reply, RestWorld } from "../testing/rest-world.ts";

const BODY_BYTES_MAX = DOORS.rest.bodyBytes;

let world: RestWorld;
let before: Record<string, number>;
let jobId: string;
beforeAll(async () => {
	world = await RestWorld.open();
	jobId = await world.submit();
});
afterAll(() => world.close());
beforeEach(async () => {
	before = await world.written();
});
afterEach(async () => {
	expect(await world.written()).toEqual(before);
	expect(world.failures.splice(0)).toEqual([]);
});

function expectProblem(answer: Reply, status: number, ...parts: string[]): void {
	expect(answer.status, answer.text).toBe(status);
	expect(answer.headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
	expect(answer.json).toMatchObject({ type: "about:blank", status, title: expect.any(String), detail: expect.any(String) });
	expect(answer.json.requestId).toBe(answer.headers.get("x-request-id"));
	for (const part of parts) expect(answer.text).toContain(part);
}

const spec = (changes: Record<string, unknown>): unknown => ({ ...aJob(), spec: { ...aJob().spec, ...changes } });
const metadata = (changes: Record<string, unknown>): unknown => ({ ...aJob(), metadata: { ...aJob().metadata, ...changes } });
const data = (mount: string): unknown => spec({ data: [{ uri: "s3://bucket", mount }] });

describe("a wrong job is rejected with its field, the value and what is allowed", () => {
	const cases: [string, unknown, string[]][] = [
		["an unknown field", spec({ gpu: 1 }), ["spec.gpu", "is not a known field"]],
		[
			"an unknown field, nearly right",
			{ ...aJob(), spec: { ...aJob().spec, resources: { gpuz: 1 } } },
			["spec.resources.gpuz", "Did you mean gpus?"],
		],
		["negative GPUs", spec({ resources: { gpus: -1 } }), ["spec.resources.gpus", "must be at least 1, not -1"]],
		["no GPUs", spec({ resources: { gpus: 0 } }), ["spec.resources.gpus", "must be at least 1, not 0"]],
		["too many GPUs", spec({ resources: { gpus: 17 } }), ["spec.resources.gpus", "must be at most 16, not 17"]],
		["fractional GPUs", spec({ resources: { gpus: 1.5 } }), ["spec.resources.gpus", "must be a whole number, not 1.5"]],
		["GPUs as a text", spec({ resources: { gpus: "2" } }), ["spec.resources.gpus", String.raw`must be a number, not \"2\"`]],
		["6 parsecs", spec({ duration: { max: "6 parsecs" } }), ["spec.duration.max", "6 parsecs", "90s, 15m, 6h"]],
		["a negative duration", spec({ duration: { max: "-5m" } }), ["spec.duration.max", "-5m"]],
		["a duration without a unit", spec({ duration: { estimate: 90 } }), ["spec.duration.estimate", "with a unit"]],
		["an estimate above the maximum", spec({ duration: { estimate: "2h", max: "1h" } }), ["spec.duration.estimate", "longer than max"]],
		["a name with a control character", metadata({ name: "a\u001b[31mb" }), ["metadata.name", "1 to 63 letters", String.raw`\\u001b`]],
		["a name with a line break", metadata({ name: "a\nb" }), ["metadata.name"]],
		["no name", metadata({ name: "" }), ["metadata.name"]],
		["a team that does not exist", metadata({ team: "nobody" }), ["metadata.team", "nobody", "research, vision"]],
		["a mount that escapes", data("../../etc"), ["spec.data.0.mount", "must not contain"]],
		["a mount that escapes from within", data("/data/../../etc"), ["spec.data.0.mount"]],
		["a checkpoint path that escapes", spec({ checkpoint: { path: "a/../../b" } }), ["spec.checkpoint.path"]],
		["a shell metacharacter in an env name", spec({ env: { "A;rm -rf /": "1" } }), ["spec.env", "letters, digits and _"]],
		["a substitution in an env name", spec({ env: { "$(id)": "1" } }), ["spec.env", "letters, digits and _"]],
		["Spillway's own env", spec({ env: { SPILLWAY_TOKEN: "x" } }), ["spec.env.SPILLWAY_TOKEN", "set by Spillway"]],
		["NUL in a command", spec({ command: ["a\u0000b"] }), ["spec.command.0", "NUL"]],
		["no command", spec({ command: [] }), ["spec.command"]],
		["a class that is none", spec({ class: "vip" }), ["spec.class", "vip", "baseline"]],
		["a deadline that is none", spec({ deadline: "2026-02-30T00:00:00Z" }), ["spec.deadline", "2026-02-30"]],
		["a priority beyond", spec({ priority: 101 }), ["spec.priority", "must be at most 100, not 101"]],
		["another kind", { ...aJob(), kind: "Pod" }, ["kind", "Job"]],
		["a list", [aJob()], ["must be a set of fields"]],
		["nothing but null", null, ["must be a job"]],
		["an empty batch", { items: [] }, ["items", "1 to 1000"]],
		["a batch of too many", { items: Array.from({ length: 1_001 }, () => 1) }, ["items", "1 to 1000"]],
	];
	for (const path of ["/jobs", "/quotes"])
		it.each(path === "/jobs" ? cases : cases.slice(0, -2).filter(([name]) => !name.startsWith("a team")))(
			`${path}: %s`,
			async (_, body, parts) => {
				expectProblem(await world.post(path, body), 400, ...parts);
			},
		);

	it("broken JSON and broken YAML", async () => {
		expectProblem(await world.post("/jobs", '{"apiVersion": '), 400, "not JSON");
		const yaml = "apiVersion: spillway/v1\nkind: Job\nmetadata: { name: x, team: research }\nspec:\n  command: [a\n";
		expectProblem(await world.post("/jobs", yaml, { headers: { "content-type": "application/yaml" } }), 400, '"line":');
		const wrong = "apiVersion: spillway/v1\nkind: Job\nmetadata: { name: x, team: research }\nspec:\n  command: [a]\n  gpus: 2\n";
		expectProblem(await world.post("/jobs", wrong, { headers: { "content-type": "application/yaml" } }), 400, "spec.gpus", '"line":6');
		expectProblem(await world.call("POST", "/api/v1/jobs"), 400, "must be a job");
	});

	it("keys of an object's prototype", async () => {
		const text = JSON.stringify(aJob()).replace('"command"', '"__proto__":{"polluted":1},"command"');
		expectProblem(await world.post("/jobs", text), 400, "__proto__");
		expect(({} as Record<string, unknown>).polluted).toBeUndefined();
	});
});

describe("a body that is too large", () => {
	it("is rejected by its declared length before it is read", async () => {
		const answer = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
			const req = request(`${world.url}/api/v1/jobs`, {
				method: "POST",
				headers: {
					authorization: `Bearer ${world.tokens.platform}`,
					"content-length": BODY_BYTES_MAX + 1,
					"content-type": "application/json",
				},
			});
			req.on("response", (res) => {
				let text = "";
				res.on("data", (chunk) => {
					text += chunk;
				});
				res.on("end", () => {
					resolve({ status: res.statusCode, text });
					req.destroy();
				});
			});
			req.on("error", reject);
			req.write("{");
		});
		expect(answer.status).toBe(413);
		expect(JSON.parse(answer.text)).toMatchObject({ code: "payload_too_large", detail: "The body is larger than 8 MiB." });
	});

	it("is rejected while it arrives when its length is not declared", async () => {
		const status = await new Promise<number | undefined>((resolve, reject) => {
			const req = request(`${world.url}/api/v1/jobs`, {
				method: "POST",
				headers: { authorization: `Bearer ${world.tokens.platform}`, "transfer-encoding": "chunked" },
			});
			let answered = false;
			req.on("response", (res) => {
				answered = true;
				res.resume();
				resolve(res.statusCode);
			});
			req.on("error", (error) => {
				// The server disconnects after it has responded.
				if (!answered) reject(error);
			});
			const chunk = Buffer.alloc(1024 * 1024, 0x20);
			for (let sent = 0; sent <= BODY_BYTES_MAX; sent += chunk.length) req.write(chunk);
		});
		expect(status).toBe(413);
	});
});

describe("an invalid query or path", () => {
	const broken = Buffer.from(JSON.stringify([1e300, "job_x"])).toString("base64url");
	const nul = Buffer.from(JSON.stringify([0, "\u0000"])).toString("base64url");
	it.each([
		["/jobs?stat=queued", ["stat", "known: state"]],
		["/jobs?state=done", ["state", "queued"]],
		["/jobs?class=vip", ["class"]],
		["/jobs?limit=0", ["limit"]],
		["/jobs?limit=501", ["limit"]],
		["/jobs?limit=ten", ["limit", "ten", "whole number"]],
		["/jobs?limit=1.5", ["limit", "1.5"]],
		["/jobs?cursor=nonsense", ["cursor", "nextCursor"]],
		[`/jobs?cursor=${broken}`, ["cursor"]],
		[`/jobs?cursor=${nul}`, ["cursor"]],
		["/jobs?q=%00", ["q"]],
		["/jobs?team=%00", ["team"]],
		["/jobs?site=%00", ["site"]],
		[`/jobs?q=${"x".repeat(200)}`, ["q"]],
		["/instances?state=gone", ["state"]],
		["/instances?job=%00", ["job"]],
		["/instances?cursor=x", ["cursor"]],
		["/offers?gpus=-1", ["gpus"]],
		["/offers?colour=red", ["colour", "known: gpus"]],
		["/spend?groupBy=mood", ["groupBy", "mood", "team"]],
		["/spend?from=yesterday", ["from", "yesterday", "2026-11-01"]],
		["/spend?from=2026-13-45", ["from"]],
		["/spend?from=2026-02-01&to=2026-01-01", ["from"]],
	] as [string, string[]][])("GET %s", async (path, parts) => {
		expectProblem(await world.get(path), 400, ...parts);
	});

	it.each([
		"?attempt=0",
		"?attempt=999999999999999",
		"?after=-1",
		"?after=999999999999999",
		"?tail=0",
		"?limit=100000",
		"?follow=1&attempt=x",
		"?lines=3",
	])("GET /jobs/{id}/logs%s", async (query) => {
		const answer = await world.get(`/jobs/${jobId}/logs${query}`);
		expect([400, 404]).toContain(answer.status);
		expectProblem(answer, answer.status);
	});

	it("an impossible job, policy or path", async () => {
		for (const path of [
			"/jobs/%00",
			"/jobs/%ff",
			"/jobs/..%2f..%2fetc",
			`/jobs/${"x".repeat(500)}`,
			"/policies/%00",
			"/jobs/x/logs",
			"/jobs/'%20or%201=1",
		]) {
			const answer = await world.get(path);
			expect([400, 404], path).toContain(answer.status);
			expectProblem(answer, answer.status);
		}
	});

	it("an invalid Idempotency-Key", async () => {
		for (const key of ["", "with space", "x".repeat(129)])
			expectProblem(await world.post("/jobs", aJob(), { headers: { "idempotency-key": key } }), 400, "Idempotency-Key");
	});
});

describe("arbitrary input", () => {
	const words = fc.constantFrom(
		"apiVersion",
		"kind",
		"metadata",
		"spec",
		"items",
		"command",
		"resources",
		"gpus",
		"env",
		"data",
		"name",
		"team",
		"duration",
		"max",
	);
	const tree = fc.letrec<{ value: unknown }>((tie) => ({
		value: fc.oneof(
			{ depthSize: "small" },
			fc.oneof(
				fc.string({ unit: "binary" }),
				fc.integer(),
				fc.double(),
				fc.boolean(),
				fc.constant(null),
				fc.constantFrom("spillway/v1", "Job", "research", "1h"),
			),
			fc.array(tie("value"), { maxLength: 4 }),
			fc.dictionary(fc.oneof(words, fc.string()), tie("value"), { maxKeys: 5 }),
		),
	})).value;
	/** A whole job with one part replaced by an arbitrary value. */
	const nearlyJob = fc.tuple(fc.constantFrom("metadata", "spec"), words, tree).map(([part, field, value]) => {
		const job = aJob() as unknown as Record<string, Record<string, unknown>>;
		return { ...job, [part]: { ...job[part], [field]: value } };
	});

	it("as a body never gives 5xx, and rejected input is not written", async () => {
		await fc.assert(
			fc.asyncProperty(fc.constantFrom("/jobs", "/quotes"), fc.oneof(tree, nearlyJob), async (path, body) => {
				const jobsBefore = await world.written();
				const answer = await world.post(path, body ?? null);
				expect(answer.status, answer.text).toBeLessThan(500);
				if (answer.status >= 400) expect(await world.written()).toEqual(jobsBefore);
				else if (path === "/jobs") before = await world.written();
			}),
			{ numRuns: 150 },
		);
	});

	it("as text, query or path never gives 5xx", async () => {
		const anywhere = fc.oneof(
			fc.string({ unit: "binary" }).map((text) => world.post("/quotes", `${text} `)),
			fc.string({ unit: "binary" }).map((text) => world.get(`/jobs?q=${encodeURIComponent(text.toWellFormed())}`)),
			fc.string().map((text) => world.get(`/jobs?cursor=${Buffer.from(text).toString("base64url")}`)),
			fc.string({ unit: "binary", minLength: 1 }).map((text) => world.get(`/jobs/${encodeURIComponent(text.toWellFormed())}`)),
			fc
				.tuple(fc.constantFrom("limit", "state", "site", "team"), fc.string())
				.map(([name, text]) => world.get(`/jobs?${name}=${encodeURIComponent(text.toWellFormed())}`)),
		);
		await fc.assert(
			fc.asyncProperty(anywhere, async (answering) => {
				const answer = await answering;
				expect(answer.status, answer.text).toBeLessThan(500);
			}),
			{ numRuns: 150 },
		);
	});
});
