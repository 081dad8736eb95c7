import { describe, expect, it } from "vitest";
import { parseJobText } from "#server/domain/job-file.ts";
import { applySuggestion } from "./apply-suggestion.ts";

const FILE = `apiVersion: spillway/v1
kind: Job
metadata: { name: fraud-v7, team: risk } # the team that pays
spec:
  command: ["python", "train.py"]
  nodes: 2
  resources: { gpus: 4, accelerators: [H100-80GB] }
  duration: { estimate: 6h, max: 12h }
`;

describe("apply suggestion", () => {
	it("sets its fields in the job file and keeps the rest", () => {
		const text = applySuggestion(FILE, [
			{ path: ["resources", "accelerators"], value: ["H100-80GB", "A100-80GB"] },
			{ path: ["checkpoint"], value: { path: "/checkpoints", interval: "15m" } },
			{ path: ["nodes"], value: 1 },
			{ path: ["deadline"], value: "2026-12-01T08:00:00.000Z" },
			{ path: ["duration", "estimate"], value: "12h" },
		]);
		expect(text).toContain("# the team that pays");
		const spec = parseJobText(FILE);
		expect(parseJobText(text ?? "")).toEqual({
			...spec,
			nodes: 1,
			resources: { ...spec.resources, accelerators: ["H100-80GB", "A100-80GB"] },
			duration: { ...spec.duration, estimateMs: 12 * 3_600_000 },
			checkpoint: { path: "/checkpoints", intervalMs: 900_000 },
			deadlineMs: Date.UTC(2026, 11, 1, 8),
		});
		expect(applySuggestion("a: [", [{ path: ["nodes"], value: 1 }])).toBeNull();
	});
});
