import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, it } from "vitest";

const here = import.meta.dirname;
const work = mkdtempSync(path.join(tmpdir(), "spillway-example-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));

const run = (script: string, args: string[], env: Record<string, string>) =>
	execFileSync(process.execPath, [path.join(here, script), ...args], { cwd: work, env: { ...process.env, ...env }, encoding: "utf8" });

it("prepares, trains, evaluates and keeps the best model", () => {
	const names = path.join(work, "names");
	run("prepare.mjs", [path.join(here, "../language-id")], { SPILLWAY_OUTPUT_NAMES: names });
	const losses = ["0.1", "10"].map((rate) => {
		const text = run("train.mjs", [names, "--rate", rate, "--epochs", "3", "--limit", "200"], {
			SPILLWAY_OUTPUT_MODEL: path.join(work, "models", rate),
		});
		return Number(/epoch 3 loss=([\d.]+)/.exec(text)?.[1]);
	});
	expect(losses[1]).toBeLessThan(losses[0] ?? 0);
	run("evaluate.mjs", ["models", "names"], { SPILLWAY_OUTPUT_BEST: path.join(work, "best") });
	const report = JSON.parse(readFileSync(path.join(work, "best/report.json"), "utf8")) as { results: { rate: number; accuracy: number }[] };
	expect(report.results[0]).toBeDefined();
	expect(report.results[0]?.accuracy).toBeGreaterThan(0.2);
	expect(existsSync(path.join(work, "best/model.json"))).toBe(true);
});
