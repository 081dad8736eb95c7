import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { playJobs } from "#server/api/testing/play-jobs.ts";
import { RestWorld } from "#server/api/testing/rest-world.ts";

const PYTHON = "/usr/bin/python3";
const hasPython = existsSync(PYTHON);
const SOURCE = path.join(import.meta.dirname, "python/src");

let world: RestWorld;
let stop: () => Promise<void>;
let folder: string;
beforeAll(async () => {
	[world, folder] = await Promise.all([RestWorld.open(), mkdtemp(path.join(os.tmpdir(), "spillway-tools-"))]);
	stop = playJobs(world);
});
afterAll(async () => {
	await stop();
	await world.close();
	await rm(folder, { recursive: true, force: true });
});

const load = async (file: string): Promise<unknown> => parse(await readFile(path.join(import.meta.dirname, file), "utf8"));

async function run(program: string, args: string[], env: Record<string, string>): Promise<{ code: number; out: string; err: string }> {
	const base = {
		...process.env,
		PATH: "/usr/bin:/bin",
		SPILLWAY_URL: world.url,
		SPILLWAY_TOKEN: world.tokens.scientist,
		PYTHONDONTWRITEBYTECODE: "1",
	};
	const options = { cwd: folder, env: { ...base, PYTHONPATH: SOURCE, ...env } };
	const ran = promisify(execFile)(program, args, options).then(({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }));
	return ran.catch(({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, out: stdout, err: stderr }));
}

/** The metadata syntax of GitHub, as far as the action uses it. */
const actionSchema = z.strictObject({
	name: z.string(),
	description: z.string().max(125),
	author: z.string(),
	inputs: z.record(
		z.string().regex(/^[a-z-]+$/),
		z.union([
			z.strictObject({ description: z.string(), required: z.literal(true) }),
			z.strictObject({ description: z.string(), required: z.literal(false), default: z.string() }),
		]),
	),
	outputs: z.record(z.string(), z.strictObject({ description: z.string(), value: z.string() })),
	runs: z.strictObject({
		using: z.literal("composite"),
		steps: z.tuple([z.strictObject({ id: z.string(), shell: z.literal("bash"), env: z.record(z.string(), z.string()), run: z.string() })]),
	}),
});

describe("the GitHub Action", () => {
	it("has the form of a composite action, uses every input, and reads none as shell code", async () => {
		const { inputs, outputs, runs } = actionSchema.parse(await load("github-action/action.yml"));
		const [step] = runs.steps;
		const used = [
			...Object.values(step.env)
				.join(" ")
				.matchAll(/\$\{\{ inputs\.([a-z-]+) \}\}/g),
		].map((m) => m[1]);
		expect(used.sort()).toEqual(Object.keys(inputs).sort());
		expect(step.run).not.toContain("${{");
		expect(outputs["job-id"]?.value).toBe(`\${{ steps.${step.id}.outputs.job-id }}`);
	});

	it.skipIf(!hasPython)("runs a job (skipped without python3)", async () => {
		const { inputs, runs } = actionSchema.parse(await load("github-action/action.yml"));
		const [step] = runs.steps;
		const given: Record<string, string> = {
			command: "python train.py $(id)",
			team: "research",
			env: "LINES=hello\nEXIT=0",
			outputs: "model=out",
		};
		const inputOf = (name: string): string => given[name] ?? (inputs[name] as { default?: string } | undefined)?.default ?? "";
		const settings = ["PYTHONPATH", "SPILLWAY_URL", "SPILLWAY_TOKEN"];
		const env = Object.fromEntries(
			Object.entries(step.env)
				.filter(([name]) => !settings.includes(name))
				.map(([name, value]) => [name, value.replace(/\$\{\{ inputs\.([a-z-]+) \}\}/g, (_, input: string) => inputOf(input))]),
		);
		const output = path.join(folder, "github-output");
		const ran = await run("/bin/bash", ["-e", "-c", step.run], { ...env, GITHUB_OUTPUT: output });
		expect(ran).toMatchObject({ code: 0, out: "hello\n" });
		const id = /^job-id=(job_\w{26})\n$/.exec(await readFile(output, "utf8"))?.[1];
		expect((await world.get(`/jobs/${id}`)).json).toMatchObject({ state: "succeeded", spec: { command: ["python", "train.py", "$(id)"] } });
		expect(await run("/bin/bash", ["-e", "-c", step.run], { ...env, INPUT_ENV: "EXIT=3" })).toMatchObject({ code: 1 });
	});
});

const componentSchema = z.strictObject({
	name: z.string(),
	description: z.string(),
	inputs: z.array(
		z.strictObject({ name: z.string(), type: z.enum(["String", "Integer"]), default: z.string().optional(), description: z.string() }),
	),
	outputs: z.array(z.strictObject({ name: z.string(), type: z.literal("String"), description: z.string() })),
	implementation: z.strictObject({
		container: z.strictObject({
			image: z.string(),
			command: z.array(z.string()),
			args: z.array(z.union([z.string(), z.strictObject({ inputValue: z.string() }), z.strictObject({ outputPath: z.string() })])),
		}),
	}),
});

describe("the Kubeflow component", () => {
	it.skipIf(!hasPython)("passes every input to the job, and writes its id (skipped without python3)", async () => {
		const { inputs, outputs, implementation } = componentSchema.parse(await load("kubeflow/component.yaml"));
		const { command, args } = implementation.container;
		const passed = args.flatMap((arg) => (typeof arg === "object" && "inputValue" in arg ? [arg.inputValue] : []));
		expect(passed.sort()).toEqual(inputs.map(({ name }) => name).sort());
		const given: Record<string, string> = { command: "python train.py", team: "research", job_name: "from-kubeflow" };
		const idFile = path.join(folder, "outputs", outputs[0]?.name ?? "");
		const words = args.map((arg) => {
			if (typeof arg === "string") return arg;
			if ("outputPath" in arg) return idFile;
			return given[arg.inputValue] ?? inputs.find(({ name }) => name === arg.inputValue)?.default ?? "";
		});
		const [program = "", ...rest] = command;
		expect(program).toBe("python3");
		expect(await run(PYTHON, [...rest, ...words], {})).toMatchObject({ code: 0, out: "done\n" });
		expect((await world.get(`/jobs/${await readFile(idFile, "utf8")}`)).json).toMatchObject({ name: "from-kubeflow", state: "succeeded" });
	});
});
