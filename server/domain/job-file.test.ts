import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SpillwayError } from "../kernel/errors.ts";
import { HOUR_MS, MINUTE_MS } from "../kernel/units.ts";
import { JOB_LIMITS, parseJobDocument, parseJobText } from "./job-file.ts";
import { MOST_PROBLEMS } from "./job-file-problems.ts";

const HEAD = "apiVersion: spillway/v1\nkind: Job\nmetadata: { name: a, team: t }\nspec:\n  command: [x]\n";
/** Lines of `spec` begin in line 6, column 3. */
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
  checkpoint: { path: /checkpoints, uri: s3://acme-ckpt/fraud-v7, interval: 15m }
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

describe("the job of the design", () => {
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
			checkpoint: { path: "/checkpoints", uri: "s3://acme-ckpt/fraud-v7", intervalMs: 15 * MINUTE_MS },
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

const UNIT = "a length of time needs a unit, for example 90s, 15m or 6h";
const LENGTH = "is not a length of time; write for example 90s, 15m, 6h or 1h30m, at most 90d";
const POINT = "is not a point in time; write for example 2026-12-01T08:00:00Z";
const WRONG: [line: string, want: string][] = [
	[
		"gpsu: 2",
		"6:3 spec.gpsu there is no such field. There are: class, image, command, env, nodes, resources, duration, deadline, priority, critical, checkpoint, data.",
	],
	["resources: { gpsu: 2 }", "6:16 spec.resources.gpsu there is no such field. Did you mean gpus?"],
	["prioritty: 2", "6:3 spec.prioritty there is no such field. Did you mean priority?"],
	["data: [{ uri: s3://a, mount: /d, sizeGb: 5 }]", "6:36 spec.data.0.sizeGb there is no such field. Did you mean sizeGiB?"],
	[
		"class: brust",
		'6:10 spec.class Invalid option: expected one of "baseline"|"burst"|"experimental"|"sensitive"|"batch_inference", got "brust"',
	],
	["resources: { gpus: -1 }", "6:22 spec.resources.gpus Too small: expected number to be >=1, got -1"],
	[
		"resources: { gpus: 1.5 }",
		"6:22 spec.resources.gpus gpus must be a whole number: fractions of a GPU, CPU or node cannot be had, got 1.5",
	],
	["resources: { gpus: 17 }", "6:22 spec.resources.gpus Too big: expected number to be <=16, got 17"],
	["nodes: many", '6:10 spec.nodes Invalid input: expected number, received string, got "many"'],
	["duration: { max: 12 }", `6:20 spec.duration.max ${UNIT}, got 12`],
	["duration: { max: 6 parsecs }", `6:20 spec.duration.max "6 parsecs" ${LENGTH}`],
	["duration: { max: 0s }", `6:20 spec.duration.max "0s" ${LENGTH}`],
	["duration: { max: 91d }", `6:20 spec.duration.max "91d" ${LENGTH}`],
	["duration: { estimate: 2h, max: 1h }", "6:25 spec.duration.estimate estimate is longer than max"],
	["deadline: tomorrow", `6:13 spec.deadline "tomorrow" ${POINT}`],
	["deadline: 2026-02-30T00:00:00Z", `6:13 spec.deadline "2026-02-30T00:00:00Z" ${POINT}`],
	["deadline: 2026-02-28T10:00:00", `6:13 spec.deadline "2026-02-28T10:00:00" ${POINT}`],
	["priority: 101", "6:13 spec.priority Too big: expected number to be <=100, got 101"],
	["critical: perhaps", '6:13 spec.critical Invalid input: expected boolean, received string, got "perhaps"'],
	["checkpoint: { path: ../up }", '6:23 spec.checkpoint.path a path must not contain ".." or control characters'],
	["checkpoint: { path: /c, interval: 10ms }", "6:37 spec.checkpoint.interval must be at least 1s, so that the job still gets to work"],
	[
		"data: [{ uri: claims, mount: /d }]",
		'6:17 spec.data.0.uri uri needs a scheme, for example s3://bucket/path or file:./folder, got "claims"',
	],
	["data: [{ uri: s3://a, mount: /d/../../etc }]", '6:32 spec.data.0.mount a path must not contain ".." or control characters'],
	['data: [{ uri: "s3://a\\nb", mount: /d }]', "6:17 spec.data.0.uri must not contain control characters"],
	["data: [{ uri: s3://a, mount: /d }, { uri: s3://b, mount: /d }]", "6:9 spec.data two data sets have the same mount; each needs its own"],
	["env: { 'A;rm -rf /': x }", "6:10 spec.env.A;rm -rf / an environment name is letters, digits and _, not beginning with a digit"],
	["env: { SPILLWAY_TOKEN: x }", "6:10 spec.env.SPILLWAY_TOKEN SPILLWAY_* and CUDA_VISIBLE_DEVICES are set by Spillway"],
	[
		"env: { A: }",
		`6:13 spec.env.A a value is a text of at most ${JOB_LIMITS.partCharacters} characters without NUL, a number, or true or false, got null`,
	],
	["env: { A: 1.10 }", '6:13 spec.env.A 1.10 would be read as 1.1; write it in quotes: "1.10"'],
	[
		"env: { A: 12345678901234567890 }",
		'6:13 spec.env.A 12345678901234567890 would be read as 12345678901234567000; write it in quotes: "12345678901234567890"',
	],
	["env: { A: True }", '6:13 spec.env.A True would be read as true; write it in quotes: "True"'],
	["env: { __proto__: x }", "6:10 spec.env.__proto__ this name cannot be used"],
	['image: "a\\nb"', "6:10 spec.image must not contain control characters"],
	['env: { A: "\\ud800" }', "6:13 spec.env.A must not contain NUL or broken Unicode characters"],
	["image: !secret x", "6:10  the YAML cannot be read: Unresolved tag: !secret"],
	["nodes: 1\n  nodes: 2", "7:3  the YAML cannot be read: the key nodes is there twice"],
];

describe("a wrong field", () => {
	it.each(WRONG)("%s", (line, want) => {
		expect(problemsOf(() => parseJobText(withSpec(line)))).toEqual([want]);
	});

	it("in metadata: a control character, a name that is too long, what is missing", () => {
		const named = (name: string) =>
			problemsOf(() => parseJobText(`apiVersion: spillway/v1\nkind: Job\nmetadata: { name: ${name}, team: t }\nspec: { command: [x] }`));
		expect(named('"a\\u0007b"')[0]).toMatch(/^3:19 metadata\.name name must be 1 to 63 letters/);
		expect(named("a".repeat(64))[0]).toMatch(/^3:19 metadata\.name name must be 1 to 63 letters/);
		expect(problemsOf(() => parseJobText("apiVersion: spillway/v1\nkind: Job\nmetadata: { name: a }\nspec: {}"))).toEqual([
			"3:11 metadata.team is required",
			"4:7 spec.command is required",
		]);
	});

	it("all are named at once", () => {
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

describe("a document from elsewhere", () => {
	it.each([null, undefined, 5, "x", [], { apiVersion: 1n }])("that is no job is refused: %s", (document) => {
		expect(() => parseJobDocument(document)).toThrow(SpillwayError);
	});

	it("that contains itself is refused", () => {
		const loop: Record<string, unknown> = {};
		loop["kind"] = loop;
		expect(() => parseJobDocument(loop)).toThrow(SpillwayError);
	});

	it("with a key that objects drop is refused rather than shortened", () => {
		const text =
			'{"apiVersion":"spillway/v1","kind":"Job","metadata":{"name":"a","team":"t"},"spec":{"command":["x"],"env":{"__proto__":"x"}}}';
		expect(problemsOf(() => parseJobDocument(JSON.parse(text)))).toEqual(["-:- spec.env.__proto__ this name cannot be used"]);
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
	])("on what a text of %s can cost", (_what, text) => {
		const problems = problemsOf(() => parseJobText(text));
		expect(problems.length).toBeGreaterThan(0);
		expect(problems.length).toBeLessThanOrEqual(MOST_PROBLEMS);
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

	it("gives a job that is within every bound, or a SpillwayError that says what to do", () => {
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

	it("and any document, likewise", () => {
		fc.assert(
			fc.property(fc.object({ maxDepth: 3, withBigInt: true, withDate: true, withNullPrototype: true }), (spec) => {
				expect(() => parseJobDocument({ apiVersion: "spillway/v1", kind: "Job", metadata: { name: "a", team: "t" }, spec })).toThrow(
					SpillwayError,
				);
			}),
		);
	});
});
