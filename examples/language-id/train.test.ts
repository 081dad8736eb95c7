import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { withAbsoluteFiles } from "#cli/absolute-files.ts";
import { parseJobText } from "#server/domain/job-file.ts";

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "language-id-"));
});
afterEach(() => {
	rmSync(folder, { recursive: true, force: true });
});

interface Run {
	code: number | null;
	lines: string[];
	errors: string;
}

/** Runs the training to its end; `onLine` may stop it on the way. */
async function train(
	args: string[],
	options: {
		checkpoints?: string;
		env?: Record<string, string>;
		onLine?: (line: string, stop: (signal: NodeJS.Signals) => void) => void;
	} = {},
): Promise<Run> {
	const env = { ...process.env, SPILLWAY_CHECKPOINT_DIR: options.checkpoints ?? join(folder, "checkpoints"), ...options.env };
	const child = spawn(process.execPath, [join(import.meta.dirname, "train.mjs"), ...args], { env, cwd: folder });
	const lines: string[] = [];
	let errors = "";
	child.stderr.on("data", (chunk) => {
		errors += String(chunk);
	});
	const reader = createInterface({ input: child.stdout });
	reader.on("line", (line) => {
		lines.push(line);
		options.onLine?.(line, (signal) => child.kill(signal));
	});
	const code = await new Promise<number | null>((resolve, reject) => {
		child.on("error", reject);
		child.on("close", resolve);
	});
	return { code, lines, errors };
}

const QUICK = ["--epochs", "3", "--checkpoint-every", "30"];

/** A run that was not interrupted, and the folder with its checkpoints: trained once, because each has the same lines. */
let whole: Run;
const wholeFolder = mkdtempSync(join(tmpdir(), "language-id-"));
beforeAll(async () => {
	whole = await train(QUICK, { checkpoints: wholeFolder });
});
afterAll(() => rmSync(wholeFolder, { recursive: true, force: true }));

/** Gives a test the checkpoints of the whole run. */
const copyWhole = () => cpSync(wholeFolder, join(folder, "checkpoints"), { recursive: true });

interface StepLine {
	step: number;
	epoch: number;
	loss: number;
}
function stepLines(lines: string[]): StepLine[] {
	return lines.flatMap((line) => {
		const match = /^step (\d+) epoch (\d+) loss (\d+\.\d{4}) acc \d\.\d{3}$/.exec(line);
		return match ? [{ step: Number(match[1]), epoch: Number(match[2]), loss: Number(match[3]) }] : [];
	});
}

/** Starts a run, stops it with a signal after `lines` step lines, and leaves its checkpoints. */
function interruptAfter(lines: number, signal: NodeJS.Signals): Promise<Run> {
	let seen = 0;
	return train([...QUICK, "--step-delay-ms", "2"], {
		onLine: (line, stop) => {
			if (line.startsWith("step ") && ++seen === lines) stop(signal);
		},
	});
}

describe("training", () => {
	it("learns: the loss falls, steps only rise, and the test is far better than the 1 in 12 of guessing", () => {
		expect(whole.errors).toBe("");
		expect(whole.code).toBe(0);
		const steps = stepLines(whole.lines);
		expect(steps.map((s) => s.step)).toEqual([...steps.keys()].map((i) => (i + 1) * 20));
		expect(steps.at(-1)?.loss).toBeLessThan((steps[0]?.loss ?? 0) * 0.7);
		const accuracy = Number(/^done at step 324: test accuracy (0\.\d{4})$/.exec(whole.lines.at(-1) ?? "")?.[1]);
		expect(accuracy).toBeGreaterThan(0.4);
	});

	it("prints the same lines for the same seed, and different lines for another", async () => {
		const second = await train(QUICK, { checkpoints: join(folder, "b") });
		const other = await train([...QUICK, "--seed", "8"], { checkpoints: join(folder, "c") });
		expect(second.lines).toEqual(whole.lines);
		expect(stepLines(other.lines)).not.toEqual(stepLines(whole.lines));
	});

	it("prints the GPUs it was given", async () => {
		const run = await train(["--epochs", "1"], { env: { CUDA_VISIBLE_DEVICES: "3" } });
		expect(run.lines[0]).toBe("CUDA_VISIBLE_DEVICES=3");
	});

	it.each([
		[["--epochs", "many"], '--epochs is "many"'],
		[["--checkpoint-every", "0"], "--checkpoint-every"],
		[["--colour", "red"], "--colour"],
	])("rejects %j with exit code 2 and the usage", async (args, message) => {
		const run = await train(args);
		expect(run.code).toBe(2);
		expect(run.errors).toContain(message);
		expect(run.errors).toContain("usage: node train.mjs");
		expect(run.lines).toEqual([]);
	});
});

describe("an interrupted training", () => {
	it("saves on SIGTERM, exits with 143, and resumes with exactly the lines of an uninterrupted run", async () => {
		const first = await interruptAfter(5, "SIGTERM");
		expect(first.code).toBe(143);
		const stopped = Number(/^SIGTERM: saved at step (\d+), to be resumed$/.exec(first.lines.at(-1) ?? "")?.[1]);
		expect(stopped).toBeGreaterThanOrEqual(100);
		expect(stopped).toBeLessThan(324);

		const second = await train(QUICK);
		expect(second.code).toBe(0);
		expect(second.lines).toContain(`resumed from step ${stopped} (step-${String(stopped).padStart(8, "0")}.ckpt)`);
		expect([...stepLines(first.lines), ...stepLines(second.lines)]).toEqual(stepLines(whole.lines));
		expect(second.lines.at(-1)).toBe(whole.lines.at(-1));
	});

	it("loses only work after the last checkpoint when it is killed", async () => {
		const first = await interruptAfter(4, "SIGKILL");
		expect(first.code).toBeNull();
		const second = await train(QUICK);
		const resumed = Number(second.lines.flatMap((line) => /^resumed from step (\d+)/.exec(line)?.[1] ?? [])[0]);
		expect(resumed).toBeGreaterThanOrEqual(60);
		expect(resumed % 30).toBe(0);
		expect(stepLines(second.lines)).toEqual(stepLines(whole.lines).filter((s) => s.step > resumed));
		expect(second.lines.at(-1)).toBe(whole.lines.at(-1));
	});

	it("does not start again once it is done", async () => {
		copyWhole();
		const again = await train(QUICK);
		expect(again.code).toBe(0);
		expect(stepLines(again.lines)).toEqual([]);
		expect(again.lines.at(-1)).toBe(whole.lines.at(-1));
	});
});

describe("checkpoints", () => {
	const checkpoints = () => readdirSync(join(folder, "checkpoints")).sort();
	const newest = () => join(folder, "checkpoints", checkpoints().at(-1) ?? "");

	it.each([
		["torn", (path: string) => truncateSync(path, 5_000)],
		["empty", (path: string) => truncateSync(path, 0)],
		[
			"different in one byte",
			(path: string) => {
				const bytes = readFileSync(path);
				bytes.writeUInt8(bytes.readUInt8(bytes.length - 100) ^ 1, bytes.length - 100);
				writeFileSync(path, bytes);
			},
		],
	])("skips one that is %s and uses the previous one", async (_, spoil) => {
		copyWhole();
		expect(checkpoints()).toEqual(["step-00000300.ckpt", "step-00000324.ckpt"]);
		spoil(newest());
		const second = await train(QUICK);
		expect(second.lines.some((line) => line.startsWith("ignored checkpoint step-00000324.ckpt: "))).toBe(true);
		expect(second.lines).toContain("resumed from step 300 (step-00000300.ckpt)");
		expect(second.lines.at(-1)).toBe(whole.lines.at(-1));
	});

	it("does not resume from the run of another seed", async () => {
		await train(["--epochs", "1"]);
		const other = await train(["--epochs", "1", "--seed", "8"]);
		expect(other.lines).toContain("started from step 0");
		expect(other.lines.join("\n")).toContain("it is of a run with another seed");
	});

	it("keeps no half-written file and no more than two", () => {
		expect(readdirSync(wholeFolder)).toHaveLength(2);
	});
});

describe("job.yaml", () => {
	it("is a job as Spillway reads it, and its command finds the staged files", () => {
		const text = readFileSync(join(import.meta.dirname, "job.yaml"), "utf8");
		const job = parseJobText(withAbsoluteFiles(text, import.meta.dirname, "job.yaml"));
		expect(job).toMatchObject({ name: "language-id", team: "research", class: "burst" });
		const mount = job.data[0]?.mount ?? "";
		expect(job.command[1]).toBe(`${mount}/train.mjs`);
		expect(readdirSync(import.meta.dirname)).toContain("train.mjs");
	});
});
