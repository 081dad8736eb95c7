import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";

const root = path.resolve(import.meta.dirname, "..");
const examples = path.join(root, "examples/simulate");
const folder = mkdtempSync(path.join(os.tmpdir(), "spillway-simulate-"));
afterAll(() => rmSync(folder, { recursive: true }));

function spillway(...args: string[]): Promise<{ code: number; out: string; err: string }> {
	// An invalid address and token: this command uses no server.
	const env = { ...process.env, SPILLWAY_URL: "nowhere", SPILLWAY_TOKEN: "" };
	return new Promise((resolve) => {
		execFile(process.execPath, [path.join(root, "cli/spillway.mjs"), "simulate", ...args], { env, cwd: folder }, (error, out, err) => {
			resolve({ code: error === null ? 0 : Number(error.code), out, err });
		});
	});
}

const trace = path.join(examples, "trace.csv");
const scenario = path.join(examples, "own-prices.yaml");
const sound = ["--trace", trace, "--scenario", scenario];

// Every case starts two processes, which takes seconds on a busy machine.
describe("spillway simulate", () => {
	it("prints the strategies side by side, with the clock's figures on stderr", async () => {
		const { code, out, err } = await spillway(...sound, "--strategy", "owned_fifo", "--policy", path.join(examples, "policy.yaml"));
		expect([code, err]).toEqual([0, expect.stringMatching(/^owned_fifo: [\d,]+ decisions in .* s \([\d,]+ a second\)\nspillway: .*\n$/)]);
		expect(out).toMatch(/^owned_fifo +230 /m);
		expect(out).toMatch(/^spillway +230 /m);
	});
	it("prints and writes the same JSON for the same seed, and other JSON for another", async () => {
		const json = [...sound, "--strategy", "eager_spot", "--json"];
		const [once, again, other] = await Promise.all([
			spillway(...json, "--out", "report.json"),
			spillway(...json),
			spillway(...json, "--seed", "8"),
		]);
		expect([once.code, once.err]).toEqual([0, ""]);
		expect(again.out).toBe(once.out);
		expect(readFileSync(path.join(folder, "report.json"), "utf8")).toBe(once.out);
		expect(other.out).not.toBe(once.out);
		expect(JSON.parse(once.out)).toMatchObject({
			kind: "SimulationReport",
			seed: 7,
			runs: [{ policy: null, report: { strategy: "eager_spot", jobsDone: 230 } }],
		});
	});
	it("reports problems in plain words, with exit code 2 and nothing on stdout", async () => {
		const file = (name: string, text: string): string => {
			writeFileSync(path.join(folder, name), text);
			return path.join(folder, name);
		};
		const cases: [string[], string][] = [
			[["--scenario", scenario], "--trace is missing"],
			[["--trace", file("bad.csv", "job_id,submit_s,duration_s,gpus\n1,0,NaN,1\n"), "--scenario", scenario], 'line 2: duration_s is "NaN"'],
			[[...sound, "--policy", file("p.yaml", "kind: Policy\nspec: 3\n")], "line 1, column 1: apiVersion is required"],
			[[...sound, "--out", folder], "it is a directory"],
		];
		const answers = await Promise.all(cases.map(([args]) => spillway(...args)));
		expect(answers.map(({ code, out }) => [code, out])).toEqual(cases.map(() => [2, ""]));
		for (const [i, { err }] of answers.entries()) expect(err).toContain(cases[i]?.[1]);
	});
	it("skips bad rows when lenient", async () => {
		writeFileSync(path.join(folder, "some.csv"), "job_id,submit_s,duration_s,gpus\n1,0,60,1\n2,x,60,1\n");
		const { code, out } = await spillway("--trace", "some.csv", "--scenario", scenario, "--strategy", "owned_fifo", "--lenient");
		expect([code, out]).toEqual([0, expect.stringContaining("1 row of the trace left out: not readable.")]);
	});
});
