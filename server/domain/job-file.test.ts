import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SpillwayError } from "../kernel/errors.ts";
import { HOUR_MS, MINUTE_MS } from "../kernel/units.ts";
import { parseJobDocument, parseJobText } from "./job-file.ts";
import { JOB_LIMITS } from "./job-schema.ts";
import { MAX_PROBLEMS } from "./schema/problems.ts";

const HEAD = "apiVersion: spillway/v1\nkind: Job\nmetadata: { name: a, team: t }\nspec:\n  command: [x]\n";
/** Lines of `spec` start at line 6, column 3. */
const withSpec = (...lines: string[]) => HEAD + lines.map((line) => `  ${line}\n`).join("");

const DESIGN = `apiVersion: spillway/v1
kind: Job
metadata: { name: fraud-v7, team: risk, project: fraud, labels: { pipeline: nightly } }
spec:
  class: burst
  image: ghcr.io/acme/train:1.2      # optional on the local site
  command: ["python", "train.py", "--epochs", "10"]
  env: { SEED: "7" }
  nodes: 1
  resources: { gpus: 8, accelerators: [H100-80GB, A100-80GB], cpus: 96, memoryGiB: 900 }
  duration: { estimate: 6h, max: 12h }
  deadline: 2026-12-01T08:00:00Z
  priority: 50                        # 0..100
  critical: false                     # true: failover to a second region
  checkpoint: { path: /checkpoints, interval: 15m }
  data: [{ uri: s3://acme/claims, sizeGiB: 500, mount: /data, residency: [eu] }]
`;

/** The problems as `line:column path message`. */
function problemsOf(run: () => unknown): string[] {
	try {
		run();
	} catch (error) {
		if (error instanceof SpillwayError) return error.fields.map((f) => `${f.line ?? "-"}:${f.column ?? "-"} ${f.path} ${f.message}`);
		throw error;
	}
	return [];
}

describe("the example job of the design", () => {
	it("is read with every field", () => {
		expect(parseJobText(DESIGN)).toEqual({
			name: "fraud-v7",
			team: "risk",
			project: "fraud",
			labels: { pipeline: "nightly" },
			class: "burst",
			image: "ghcr.io/acme/train:1.2",
			command: ["python", "train.py", "--epochs", "10"],
			env: { SEED: "7" },
			nodes: 1,
			resources: { gpus: 8, accelerators: ["H100-80GB", "A100-80GB"], cpus: 96, memoryGiB: 900 },
			duration: { estimateMs: 6 * HOUR_MS, maxMs: 12 * HOUR_MS },
			deadlineMs: Date.UTC(2026, 11, 1, 8),
			priority: 50,
			critical: false,
			checkpoint: { path: "/checkpoints", intervalMs: 15 * MINUTE_MS },
			data: [{ uri: "s3://acme/claims", sizeGiB: 500, mount: "/data", residency: ["eu"] }],
		});
	});

	it("needs only a name, a team and a command", () => {
		expect(parseJobText(HEAD)).toEqual({
			name: "a",
			team: "t",
			project: null,
			labels: {},
			class: "burst",
			image: null,
			command: ["x"],
			env: {},
			nodes: 1,
			resources: { gpus: 1, accelerators: [], cpus: null, memoryGiB: null },
			duration: { estimateMs: null, maxMs: null },
			deadlineMs: null,
			priority: 50,
			critical: false,
			checkpoint: null,
			data: [],
		});
	});

	it("is the same as JSON, and with Windows line ends", () => {
		const json = JSON.stringify({ apiVersion: "spillway/v1", kind: "Job", metadata: { name: "a", team: "t" }, spec: { command: ["x"] } });
		expect(parseJobText(json)).toEqual(parseJobText(HEAD));
		expect(parseJobDocument(JSON.parse(json))).toEqual(parseJobText(HEAD));
		expect(parseJobText(HEAD.replaceAll("\n", "\r\n"))).toEqual(parseJobText(HEAD));
	});
});

const WRONG: [line: string, want: string][] = [
	[
		"gpsu: 2",
		"6:3 spec.gpsu is not a known field. Use one of: class, image, command, env, secrets, nodes, interconnect, resources, throughput, scaling, duration, deadline, priority, critical, approvalAboveUsd, notify, checkpoint, data, mounts, outputs, metrics.",
	],
	["resources: { gpsu: 2 }", "6:16 spec.resources.gpsu is not a known field. Did you mean gpus?"],
	["prioritty: 2", "6:3 spec.prioritty is not a known field. Did you mean priority?"],
	["data: [{ uri: s3://a, mount: /d, sizeGb: 5 }]", "6:36 spec.data.0.sizeGb is not a known field. Did you mean sizeGiB?"],
	[
		"class: brust",
		'6:10 spec.class must be one of baseline, burst, experimental, sensitive, batch_inference, not "brust". Did you mean burst?',
	],
	["resources: { gpus: -1 }", "6:22 spec.resources.gpus must be at least 1, not -1"],
	["resources: { gpus: 1.5 }", "6:22 spec.resources.gpus must be a whole number, not 1.5"],
	["resources: { gpus: 17 }", "6:22 spec.resources.gpus must be at most 16, not 17"],
	["nodes: many", '6:10 spec.nodes must be a number, not "many"'],
	[
		"duration: { max: 12 }",
		"6:20 spec.duration.max must be a duration with a unit, for example 90s, 15m or 6h, not 12. Write 12s, 12m or 12h.",
	],
	[
		"duration: { max: 6 parsecs }",
		'6:20 spec.duration.max "6 parsecs" is not a duration. Use for example 90s, 15m, 6h or 1h30m, at most 90d',
	],
	["duration: { max: 0s }", '6:20 spec.duration.max "0s" is not a duration. Use for example 90s, 15m, 6h or 1h30m, at most 90d'],
	["duration: { max: 91d }", '6:20 spec.duration.max "91d" is not a duration. Use for example 90s, 15m, 6h or 1h30m, at most 90d'],
	["duration: { estimate: 2h, max: 1h }", "6:25 spec.duration.estimate must not be longer than max"],
	["deadline: tomorrow", '6:13 spec.deadline "tomorrow" is not a timestamp with a time zone. Use for example 2026-12-01T08:00:00Z'],
	[
		"deadline: 2026-02-30T00:00:00Z",
		'6:13 spec.deadline "2026-02-30T00:00:00Z" is not a timestamp with a time zone. Use for example 2026-12-01T08:00:00Z',
	],
	[
		"deadline: 2026-02-28T10:00:00",
		'6:13 spec.deadline "2026-02-28T10:00:00" is not a timestamp with a time zone. Use for example 2026-12-01T08:00:00Z',
	],
	["priority: 101", "6:13 spec.priority must be at most 100, not 101"],
	["critical: perhaps", '6:13 spec.critical must be true or false, not "perhaps"'],
	["checkpoint: { path: ../up }", '6:23 spec.checkpoint.path must not contain ".." or control characters'],
	["checkpoint: { path: /c, interval: 10ms }", "6:37 spec.checkpoint.interval must be at least 1s, so that the job makes progress"],
	[
		"data: [{ uri: claims, mount: /d }]",
		'6:17 spec.data.0.uri needs a scheme, for example s3://bucket/path or file:///folder, not "claims"',
	],
	['data: [{ uri: "file:./in", mount: /d }]', "6:17 spec.data.0.uri must be absolute, for example file:///data/in"],
	["data: [{ uri: s3://a, mount: /d/../../etc }]", '6:32 spec.data.0.mount must not contain ".." or control characters'],
	['data: [{ uri: "s3://a\\nb", mount: /d }]', "6:17 spec.data.0.uri must not contain control characters"],
	[
		"data: [{ uri: s3://a, mount: /d }, { uri: s3://b, mount: /d }]",
		"6:9 spec.data has two data sets with the same mount. Give each its own",
	],
	["env: { 'A;rm -rf /': x }", "6:10 spec.env.A;rm -rf / must be letters, digits and _, and not start with a digit"],
	["env: { SPILLWAY_TOKEN: x }", "6:10 spec.env.SPILLWAY_TOKEN is set by Spillway, like every SPILLWAY_* variable"],
	["env: { A: }", "6:13 spec.env.A is empty: must be text of at most 32768 characters without NUL, a number, true or false"],
	["env: { A: 1.10 }", '6:13 spec.env.A is read by YAML as 1.1. Quote it: "1.10"'],
	["env: { A: 12345678901234567890 }", '6:13 spec.env.A is read by YAML as 12345678901234567000. Quote it: "12345678901234567890"'],
	["env: { A: True }", '6:13 spec.env.A is read by YAML as true. Quote it: "True"'],
	["env: { __proto__: x }", "6:10 spec.env.__proto__ is a reserved name. Rename it."],
	['image: "a\\nb"', "6:10 spec.image must not contain control characters"],
	['env: { A: "\\ud800" }', "6:13 spec.env.A must not contain NUL or broken Unicode characters"],
	["image: !secret x", "6:10  Invalid YAML: Unresolved tag: !secret"],
	["nodes: 1\n  nodes: 2", "7:3  Invalid YAML: the key nodes appears twice"],
];

describe("a wrong field", () => {
	it.each(WRONG)("%s", (line, want) => {
		expect(problemsOf(() => parseJobText(withSpec(line)))).toEqual([want]);
	});

	it("in metadata: a control character, a name that is too long, a missing field", () => {
		const named = (name: string) =>
			problemsOf(() => parseJobText(`apiVersion: spillway/v1\nkind: Job\nmetadata: { name: ${name}, team: t }\nspec: { command: [x] }`));
		expect(named('"a\\u0007b"')[0]).toMatch(/^3:19 metadata\.name must be 1 to 63 letters/);
		expect(named("a".repeat(64))[0]).toMatch(/^3:19 metadata\.name must be 1 to 63 letters/);
		expect(problemsOf(() => parseJobText("apiVersion: spillway/v1\nkind: Job\nmetadata: { name: a }\nspec: {}"))).toEqual([
			"3:11 metadata.team is required",
			"4:7 spec.command is required",
		]);
	});

	it("all of them are reported at once", () => {
		expect(problemsOf(() => parseJobText(withSpec("nodes: 0", "priority: -1", "gpus: 3"))).map((p) => p.split(" ")[1])).toEqual([
			"spec.nodes",
			"spec.priority",
			"spec.gpus",
		]);
	});

	it("takes numbers and true and false as environment values as they are written", () => {
		expect(parseJobText(withSpec('env: { A: 7, B: 0.5, C: true, D: "007" }')).env).toEqual({ A: "7", B: "0.5", C: "true", D: "007" });
	});
});

describe("a document of another kind", () => {
	it.each([null, undefined, 5, "x", [], { apiVersion: 1n }])("that is not a job is rejected: %s", (document) => {
		expect(() => parseJobDocument(document)).toThrow(SpillwayError);
	});

	it("that contains itself is rejected", () => {
		const loop: Record<string, unknown> = {};
		loop["kind"] = loop;
		expect(() => parseJobDocument(loop)).toThrow(SpillwayError);
	});

	it("with a key that objects drop is rejected rather than shortened", () => {
		const text =
			'{"apiVersion":"spillway/v1","kind":"Job","metadata":{"name":"a","team":"t"},"spec":{"command":["x"],"env":{"__proto__":"x"}}}';
		expect(problemsOf(() => parseJobDocument(JSON.parse(text)))).toEqual(["-:- spec.env.__proto__ is a reserved name. Rename it."]);
	});
});

describe("bounds", () => {
	it("on the length of the text", () => {
		const long = () => parseJobText("x".repeat(JOB_LIMITS.documentBytes + 1));
		expect(long).toThrow(expect.objectContaining({ code: "payload_too_large" }));
	});

	it.each([
		["brackets", "[".repeat(10_000)],
		["open maps", "{a: ".repeat(5_000)],
		["dashes", "- ".repeat(9_000)],
		["quotes", '"'.repeat(JOB_LIMITS.documentBytes)],
		["commas", `[${",".repeat(JOB_LIMITS.documentBytes - 1)}`],
		["keys", Array.from({ length: 20_000 }, (_, i) => `k${i}: 1`).join("\n")],
		["aliases", `a: &a [x, x, x]\nb: &b [${"*a,".repeat(60)}]\nc: [${"*b,".repeat(60)}]`],
	])("on the cost of parsing a text of %s", (_what, text) => {
		const problems = problemsOf(() => parseJobText(text));
		expect(problems.length).toBeGreaterThan(0);
		expect(problems.length).toBeLessThanOrEqual(MAX_PROBLEMS);
	});

	it.each([
		["environment entries", `env: { ${Array.from({ length: 201 }, (_, i) => `A${i}: x`).join(", ")} }`],
		["data sets", `data: [${Array.from({ length: 65 }, (_, i) => `{ uri: s3://a, mount: /d${i} }`).join(", ")}]`],
		["accelerators", `resources: { accelerators: [${Array.from({ length: 33 }, (_, i) => `G${i}`).join(", ")}] }`],
	])("on the number of %s", (_what, line) => {
		expect(problemsOf(() => parseJobText(withSpec(line)))).toHaveLength(1);
	});
});

describe("any text", () => {
	const edit = fc.record({
		at: fc.nat(2_000),
		cut: fc.nat(10),
		put: fc.oneof(
			fc.string({ maxLength: 5 }),
			fc.constantFrom(
				"*",
				"&a ",
				"'",
				'"',
				"{",
				"}",
				"[",
				"]",
				":",
				"\n",
				"\t",
				"- ",
				"|",
				"!!binary ",
				"null",
				"\ud800",
				"\u0000",
				"-1",
				"1e999",
				".nan",
			),
		),
	});
	const mutated = fc
		.array(edit, { minLength: 1, maxLength: 4 })
		.map((edits) => edits.reduce((t, e) => t.slice(0, e.at % t.length) + e.put + t.slice((e.at % t.length) + e.cut), DESIGN));

	it("gives a job within every bound, or a SpillwayError that says what to do", () => {
		fc.assert(
			fc.property(fc.oneof(mutated, fc.string({ unit: "binary", maxLength: 300 })), (text) => {
				try {
					const job = parseJobText(text);
					expect(job.resources.gpus).toBeGreaterThanOrEqual(1);
					expect(job.nodes).toBeLessThanOrEqual(JOB_LIMITS.nodes);
					expect(job.duration.maxMs ?? 1).toBeGreaterThan(0);
					expect(JSON.stringify(job).includes("\\u0000")).toBe(false);
				} catch (error) {
					if (!(error instanceof SpillwayError)) throw error;
					expect(error.fix).toBeTruthy();
					expect(error.fields.length).toBeGreaterThan(0);
				}
			}),
			{ numRuns: 400 },
		);
	});

	it("does the same as a parsed document", () => {
		fc.assert(
			fc.property(fc.object({ maxDepth: 3, withBigInt: true, withDate: true, withNullPrototype: true }), (spec) => {
				expect(() => parseJobDocument({ apiVersion: "spillway/v1", kind: "Job", metadata: { name: "a", team: "t" }, spec })).toThrow(
					SpillwayError,
				);
			}),
		);
	});
});

it("reads declared speeds and requirements on the GPU", () => {
	const spec = parseJobDocument({
		apiVersion: "spillway/v1",
		kind: "Job",
		metadata: { name: "a", team: "risk" },
		spec: { command: ["true"], resources: { gpuMemoryGiB: 40, bf16: true }, throughput: { "H100-80GB": 3.1, "A100-80GB": 1.6 } },
	});
	expect(spec.resources).toMatchObject({ gpuMemoryGiB: 40, bf16: true });
	expect(spec.throughput).toEqual({ "H100-80GB": 3.1, "A100-80GB": 1.6 });
});

it("keeps interconnect: high, and accepts no other word", () => {
	const document = (interconnect: string) => ({
		...{ apiVersion: "spillway/v1", kind: "Job", metadata: { name: "a", team: "risk" } },
		spec: { command: ["true"], nodes: 2, interconnect },
	});
	expect(parseJobDocument(document("high")).interconnect).toBe("high");
	expect(parseJobDocument(document("any")).interconnect).toBeUndefined();
	expect(() => parseJobDocument(document("fast"))).toThrow(/interconnect/);
});
