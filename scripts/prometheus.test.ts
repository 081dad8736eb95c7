// The alert rules and dashboards of deploy/: promtool accepts and tests the rules, every metric that they use exists, and every
// alert has a runbook.
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

const root = path.resolve(import.meta.dirname, "..");
const read = (file: string): string => readFileSync(path.join(root, file), "utf8");
const hasPromtool = spawnSync("sh", ["-c", "command -v promtool"]).status === 0;
const promtool = (...args: string[]) => spawnSync("promtool", args, { cwd: root, encoding: "utf8" });

const RULES = "deploy/prometheus/alerts.yaml";
const SOURCES = ["server/api/metrics.ts", "server/api/database-metrics.ts", "server/services/core/process-metrics.ts"];
const METRICS = new Set(
	[
		...SOURCES.map(read)
			.join("\n")
			.matchAll(/"(spillway_\w+)"/g),
	].map((m) => m[1] ?? ""),
);
const unknownMetrics = (text: string): string[] =>
	[...text.matchAll(/\bspillway_\w+/g)]
		.map(([name]) => name)
		.filter((name) => !METRICS.has(name.replace(/_(bucket|count|sum)$/, "")) && !METRICS.has(name));

const rules = z
	.object({
		groups: z.array(
			z.object({
				rules: z.array(
					z.object({ alert: z.string(), expr: z.string(), annotations: z.object({ summary: z.string(), runbook: z.string() }) }),
				),
			}),
		),
	})
	.parse(parse(read(RULES)))
	.groups.flatMap((group) => group.rules);

describe("the alert rules", () => {
	it("use metrics that exist", () => {
		expect(METRICS.size).toBeGreaterThan(20);
		expect(unknownMetrics(rules.map((rule) => rule.expr).join("\n"))).toEqual([]);
	});
	it.each(rules)("$alert has a runbook and a test that fires it", ({ alert, annotations }) => {
		expect(annotations.runbook).toBe(`docs/operate.md#${alert.toLowerCase()}`);
		expect(read("docs/operate.md")).toContain(`### ${alert}\n`);
		expect(read("deploy/prometheus/alerts.test.yaml")).toContain(
			`alertname: ${alert}\n        eval_time: 45m\n        exp_alerts:\n          - exp_labels`,
		);
	});
	it("are valid, and pass their unit tests", (test) => {
		if (!hasPromtool) return test.skip("promtool is not installed (Debian: prometheus)");
		for (const args of [
			["check", "rules", RULES],
			["test", "rules", "deploy/prometheus/alerts.test.yaml"],
		]) {
			const { status, stdout, stderr } = promtool(...args);
			expect(`${stdout}${stderr}`).toContain("SUCCESS");
			expect(status).toBe(0);
		}
	});
});

describe("the dashboards", () => {
	const board = z.object({
		uid: z.string(),
		title: z.string(),
		panels: z.array(z.object({ id: z.number(), title: z.string(), targets: z.array(z.object({ expr: z.string() })).min(1) })).min(4),
	});
	const files = globSync("deploy/grafana/*.json", { cwd: root }).sort();
	it("are there", () => expect(files.length).toBeGreaterThan(1));
	it.each(files)("%s uses metrics that exist, and queries that Prometheus parses", (file) => {
		const { panels } = board.parse(JSON.parse(read(file)));
		const queries = panels.flatMap((panel) => panel.targets.map((target) => target.expr));
		expect(unknownMetrics(queries.join("\n"))).toEqual([]);
		expect(new Set(panels.map((panel) => panel.id)).size).toBe(panels.length);
		if (!hasPromtool) return;
		const text = JSON.stringify({ groups: [{ name: "queries", rules: queries.map((expr, i) => ({ record: `query:${i}`, expr })) }] });
		const folder = mkdtempSync(path.join(os.tmpdir(), "spillway-queries-"));
		onTestFinished(() => rmSync(folder, { recursive: true }));
		writeFileSync(path.join(folder, "queries.json"), text);
		const { stderr, status } = promtool("check", "rules", path.join(folder, "queries.json"));
		expect(stderr).toBe("");
		expect(status).toBe(0);
	});
});
