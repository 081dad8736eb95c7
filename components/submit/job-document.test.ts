import { describe, expect, it } from "vitest";
import { parseJobDocument, parseJobText } from "#server/domain/job-file.ts";
import { jobDocument } from "./job-document.ts";
import { jobYaml } from "./job-yaml.ts";

const MINIMAL = { apiVersion: "spillway/v1", kind: "Job", metadata: { name: "a", team: "risk" }, spec: { command: ["true"] } };
const FULL = {
	apiVersion: "spillway/v1",
	kind: "Job",
	metadata: { name: "fraud-v7", team: "risk", project: "fraud", labels: { pipeline: "nightly", "1": "007" } },
	spec: {
		class: "batch_inference",
		image: "ghcr.io/acme/train:1.2",
		command: ["python", "train.py", "--name", 'it\'s: "quoted" #1\nsecond line', ""],
		env: { SEED: "7", FLAG: "true", EMPTY: "", LONG: "x".repeat(200) },
		nodes: 2,
		resources: { gpus: 8, accelerators: ["H100-80GB", "A100-80GB"], cpus: 96, memoryGiB: 900.5 },
		duration: { estimate: "1h30m", max: "12h" },
		deadline: "2026-12-01T08:00:00Z",
		priority: 70,
		critical: true,
		checkpoint: { path: "/checkpoints", interval: "10m" },
		data: [
			{ uri: "s3://acme/claims", sizeGiB: 500, mount: "/data", residency: ["eu"] },
			{ uri: "file:///more", mount: "/more" },
		],
	},
};

describe("job file", () => {
	it.each([
		["the smallest", MINIMAL],
		["with every field", FULL],
	])("round-trips the job: %s", (_, file) => {
		const spec = parseJobDocument(file);
		expect(parseJobDocument(jobDocument(spec))).toEqual(spec);
		expect(parseJobText(jobYaml(spec))).toEqual(spec);
	});

	it("omits defaults", () => {
		expect(jobDocument(parseJobDocument(MINIMAL))).toEqual({
			...MINIMAL,
			spec: { class: "burst", command: ["true"], resources: { gpus: 1 } },
		});
	});

	it("writes short values on one line", () => {
		const yaml = jobYaml(parseJobDocument(FULL));
		expect(yaml).toContain("  duration: { estimate: 1h30m, max: 12h }\n");
		expect(yaml).toContain("  resources: { gpus: 8, accelerators: [ H100-80GB, A100-80GB ], cpus: 96, memoryGiB: 900.5 }\n");
	});
});
