import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { type Ran, type RunOptions, runCommand } from "#cli/testing/run-command.ts";
import { reason } from "#server/domain/reasons.ts";
import { aJob, RestWorld } from "../testing/rest-world.ts";

const COMMAND = path.resolve(import.meta.dirname, "../../../cli/spillway.mjs");

let world: RestWorld;
let folder: string;
beforeAll(async () => {
	world = await RestWorld.open();
	folder = mkdtempSync(path.join(os.tmpdir(), "spillway-cli-"));
	writeFileSync(path.join(folder, "token"), `${world.tokens.platform}\n`, { mode: 0o600 });
});
afterAll(() => world.close());

const environment = () => ({ SPILLWAY_TOKEN: "", SPILLWAY_TEAM: "", SPILLWAY_URL: world.url, SPILLWAY_HOME: folder });

function spillway(args: string[], { env, ...options }: RunOptions = {}): Promise<Ran> {
	return runCommand(args, { cwd: folder, env: { ...environment(), ...env }, ...options });
}

interface ProcessOptions {
	stdin?: string;
	/** Called with the output so far, whenever it grows. */
	onOutput?: (out: string, child: ReturnType<typeof spawn>) => void;
}

/** In a process, for what only a process has: streams, signals and exit code. */
function spillwayProcess(args: string[], { stdin = "", onOutput }: ProcessOptions = {}): Promise<Ran> {
	const child = spawn(process.execPath, [COMMAND, ...args], { cwd: folder, env: { ...process.env, ...environment() } });
	let [out, err] = ["", ""];
	child.stdout.on("data", (chunk) => {
		out += chunk;
		onOutput?.(out + err, child);
	});
	child.stderr.on("data", (chunk) => {
		err += chunk;
		onOutput?.(out + err, child);
	});
	child.stdin.end(stdin);
	return new Promise((resolve) => child.on("close", (code) => resolve({ code: code ?? -1, out, err })));
}

/** Nothing on stdout, one line on stderr, and the token nowhere. */
function expectRefused(ran: Ran, code: number, ...parts: string[]): void {
	expect(ran, ran.err).toMatchObject({ code, out: "" });
	expect(ran.err).toMatch(/^spillway: [^\n]+\n$/);
	for (const part of parts) expect(ran.err).toContain(part);
	for (const token of Object.values(world.tokens)) expect(ran.err).not.toContain(token);
}

describe("submit", () => {
	it("a command with its flags becomes the job", async () => {
		const flags = ["--team", "research", "--gpus", "2", "--class", "experimental", "--estimate", "40s", "--max", "10m", "--priority", "70"];
		const more = ["--env", "SEED=7", "--env", "EMPTY=", "--checkpoint", "ckpt", "--accelerator", "L40S-48GB", "--workdir"];
		const ran = await spillwayProcess(["submit", ...flags, ...more, "--", "node", "train.mjs", "--epochs", "3"]);
		expect(ran.err).toMatch(/^Follow it with: spillway logs -f job_/);
		const [, id] = /^(job_\w{26}) {2}train {2}queued\n$/.exec(ran.out) ?? [];
		expect((await world.get(`/jobs/${id}`)).json).toMatchObject({
			...{ name: "train", team: "research", class: "experimental", gpus: 2, priority: 70, state: "queued" },
			spec: {
				command: ["node", "train.mjs", "--epochs", "3"],
				env: { SEED: "7", EMPTY: "" },
				resources: { gpus: 2, accelerators: ["L40S-48GB"] },
				duration: { estimateMs: 40_000, maxMs: 600_000 },
				checkpoint: { path: "ckpt" },
				data: [{ uri: pathToFileURL(folder).href, mount: "." }],
			},
		});
	});

	it("addresses file: relative to the file's folder, and flags override the file", async () => {
		const file = path.join(folder, "job.yaml");
		const { metadata, ...rest } = aJob({ name: "from-file", spec: { command: ["true"], data: [{ uri: "file:token", mount: "x" }] } });
		writeFileSync(file, stringify({ ...rest, metadata: { name: metadata.name } }));
		const ran = await spillway(["submit", "-f", file, "--gpus", "3", "--json"], { env: { SPILLWAY_TEAM: "vision" } });
		expect(ran).toMatchObject({ code: 0, err: "" });
		const answer = JSON.parse(ran.out);
		expect(answer).toEqual({ id: expect.any(String), state: "queued", name: "from-file" });
		const job = (await world.get(`/jobs/${answer.id}`)).json;
		expect(job).toMatchObject({ team: "vision", gpus: 3, spec: { data: [{ uri: pathToFileURL(path.join(folder, "token")).href }] } });
	});

	it("--count submits that many under numbered names, from stdin too", async () => {
		const ran = await spillwayProcess(["submit", "-f", "-", "--count", "3"], { stdin: stringify(aJob({ name: "counted" })) });
		expect(ran.out.split("\n").map((line) => line.split("  ")[1])).toEqual(["counted-1", "counted-2", "counted-3", undefined]);
		expect((await world.get("/jobs?q=counted")).json.items).toHaveLength(3);
	});

	it("--wait ends with the job's outcome", async () => {
		for (const [name, exitCode, code] of [
			["waits-well", 0, 0],
			["waits-ill", 3, 1],
		] as const) {
			let started = false;
			const ran = await spillway(["submit", "--wait", "--team", "research", "--name", name, "--", "true"], {
				onOutput: (text) => {
					const id = /(job_\w{26}) submitted/.exec(text)?.[1];
					if (id === undefined || started) return;
					started = true;
					void world.start(id).then((attempt) => world.end(attempt, { code: exitCode }));
				},
			});
			expect(ran.code, ran.err).toBe(code);
			expect(ran.out).toMatch(
				new RegExp(`^job_\\w{26}  ${name}  ${code === 0 ? "succeeded" : "failed"} after \\d+s {2}.+exit code ${exitCode}\\.\n$`),
			);
		}
	});

	it("--follow prints the log through an interruption, and --json its lines", async () => {
		let started = false;
		const ran = await spillway(["submit", "--follow", "--json", "--team", "research", "--name", "followed", "--", "true"], {
			onOutput: (text) => {
				const id = /"id":"(job_\w{26})"/.exec(text)?.[1];
				if (id === undefined || started) return;
				started = true;
				void (async () => {
					const first = await world.start(id, 1);
					await world.log(first, "before");
					await world.end(first, { stop: reason("spot_interruption") });
					const second = await world.start(id, 2);
					await world.log(second, "after");
					await world.end(second, { code: 0 });
				})();
			},
		});
		expect(ran).toMatchObject({ code: 0, err: "" });
		const lines = ran.out
			.trimEnd()
			.split("\n")
			.map((line) => JSON.parse(line));
		expect(lines).toMatchObject([{ name: "followed" }, ...[...lines.slice(1, -1)].map(() => ({ stream: "stdout" })), { end: true }]);
		expect(
			lines
				.map((l) => l.text)
				.filter(Boolean)
				.at(-1),
		).toBe("after");
	});

	it("Ctrl-C ends the waiting with 130 and leaves the job", async () => {
		let interrupted = false;
		const ran = await spillwayProcess(["submit", "--wait", "--team", "research", "--name", "left", "--", "true"], {
			onOutput: (text, child) => {
				if (!interrupted && text.includes("left queued")) interrupted = child.kill("SIGINT");
			},
		});
		expect(ran.code).toBe(130);
		expect(ran.err).toMatch(/Interrupted; 1 job goes on: job_/);
		expect((await world.get("/jobs?q=left")).json.items).toMatchObject([{ state: "queued" }]);
	});
});

describe("prints one line for wrong input, and writes nothing", () => {
	const job = ["--team", "research", "--", "true"];
	const cases: [string, string[], string[]][] = [
		["negative GPUs", ["submit", "--gpus", "-1", ...job], ["--gpus", "must be at least 1, not -1"]],
		["fractional GPUs", ["submit", "--gpus", "1.5", ...job], ["--gpus", "must be a whole number, not 1.5"]],
		["GPUs in words", ["submit", "--gpus", "two", ...job], ["--gpus", '"two" is not a number']],
		["6 parsecs", ["submit", "--max", "6 parsecs", ...job], ["--max", "6 parsecs", "90s, 15m, 6h"]],
		["a name with control characters", ["submit", "--name", "a\u001b[31m\nb", ...job], ["--name", "1 to 63 letters"]],
		["a checkpoint folder that escapes", ["submit", "--checkpoint", "../../etc", ...job], ["--checkpoint", '".."']],
		["a shell metacharacter in an env name", ["submit", "--env", "A;id=1", ...job], ["spec.env", "letters, digits and _"]],
		["an env without a value", ["submit", "--env", "A", ...job], ["--env", '"A" is not NAME=VALUE']],
		["a class that is none", ["submit", "--class", "vip", ...job], ["--class", "vip", "baseline"]],
		["no team", ["submit", "--", "true"], ["--team", "SPILLWAY_TEAM"]],
		["a team that does not exist", ["submit", "--team", "nobody", "--", "true"], ["--team", "research, vision"]],
		["nothing to run", ["submit", "--team", "research"], ["-f FILE", "-- COMMAND"]],
		["both a file and a command", ["submit", "-f", "job.yaml", ...job], ["not both"]],
		["a file that is not there", ["submit", "-f", "none.yaml"], ["none.yaml", "no such file"]],
		["a folder that is not there", ["submit", "--workdir=none", ...job], ["--workdir", '"none"', "does not exist"]],
		["a count of none", ["submit", "--count", "0", ...job], ["--count", "1 to 1000"]],
		["an unknown flag", ["submit", "--gpu", "1", ...job], ["--gpu", "Did you mean --gpus?"]],
		["an unknown short flag", ["jobs", "-x"], ["-x"]],
		["a flag without its value", ["submit", "--name", "--wait", ...job], ["--name needs a value"]],
		["an unknown command", ["sumbit"], ["sumbit", "Did you mean submit?"]],
		["too much", ["sites", "home"], ['"home" is one argument too many']],
		["no job", ["show"], ["JOB is missing", "spillway show JOB"]],
		["a state that is none", ["jobs", "--state", "done"], ["state", "queued"]],
		["a dimension that is none", ["spend", "--by", "mood"], ["--by", "mood", "capacityType"]],
		["a day that is none", ["spend", "--from", "yesterday"], ["--from", "2026-11-01"]],
		["an address that is none", ["jobs", "--url", "ftp://x"], ["--url", "ftp://x"]],
	];
	it.each(cases)("%s", async (_, args, parts) => {
		const before = await world.written();
		expectRefused(await spillway(args), 2, ...parts);
		expect(await world.written()).toEqual(before);
	});

	it("reports line and column in a job file", async () => {
		const file = path.join(folder, "wrong.yaml");
		writeFileSync(file, "apiVersion: spillway/v1\nkind: Job\nmetadata: { name: x, team: research }\nspec:\n  command: [a]\n  gpus: 2\n");
		expectRefused(await spillway(["submit", "-f", file]), 2, `${file}:6:3: spec.gpus: is not a known field`);
		writeFileSync(file, "metadata: [\n");
		expectRefused(await spillway(["submit", "-f", file]), 2, "wrong.yaml");
		writeFileSync(file, `# ${"x".repeat(300_000)}\n`);
		expectRefused(await spillway(["submit", "-f", file]), 2, "at most 262144");
	});
});

describe("import", () => {
	const script = "#!/bin/bash\n#SBATCH -J taken --account=vision --gres=gpu:1 --time=10\n#SBATCH --dependency=afterok:7\ntrue\n";

	it("prints a batch script's job file, which can be submitted, and explains each line next to it", async () => {
		writeFileSync(path.join(folder, "train.sh"), script);
		const ran = await spillway(["import", "sbatch", "train.sh"]);
		expect(ran.code, ran.err).toBe(0);
		expect(ran.err).toMatch(/^\? +3 {2}After afterok:7\b/m);
		expect(ran.err).toMatch(/carried, .*, 1 question\n$/);
		writeFileSync(path.join(folder, "taken.yaml"), ran.out);
		const submitted = await spillway(["submit", "-f", "taken.yaml", "--json"]);
		expect(submitted.code, submitted.err).toBe(0);
		const job = (await world.get(`/jobs/${JSON.parse(submitted.out).id}`)).json;
		expect(job).toMatchObject({ name: "taken", team: "vision", gpus: 1, spec: { duration: { maxMs: 600_000 } } });
	});

	it("submits nothing while a question is open, unless overridden", async () => {
		const before = await world.written();
		const refused = await spillway(["import", "sbatch", "-", "--submit"], { stdin: script });
		expect(refused).toMatchObject({ code: 2, out: "", err: expect.stringContaining("1 question left open, so nothing was submitted") });
		expect(await world.written()).toEqual(before);
		const submitted = await spillway(["import", "sbatch", "-", "--submit", "--anyway"], { stdin: script });
		expect(submitted.out).toMatch(/^job_\w{26} {2}queued\n$/);
		const shown = await spillway(["show", submitted.out.slice(0, 30)]);
		expect(shown.out).toContain("Converted from an sbatch script");
		expect(shown.out).toMatch(/^\? +3 {2}After afterok:7\b/m);
		expect(shown.out).toMatch(/carried, .*, 1 question\n$/);
	});

	it("reads a manifest, and reports an unknown kind of import", async () => {
		const stdin = "kind: Pod\nmetadata: { name: pod }\nspec: { containers: [{ name: a, image: i, command: [a] }] }\n";
		const ran = await spillway(["import", "k8s", "-", "--team", "research", "--submit"], { stdin });
		expect(ran, ran.err).toMatchObject({ code: 0, out: expect.stringMatching(/^job_\w{26} {2}queued\n$/) });
		expectRefused(await spillway(["import", "pbs", "-"]), 2, 'There is no "import pbs"');
	});

	it("reads a workflow as a pipeline, and submits it when no question is open", async () => {
		const container = "container: { image: i, command: [a] }";
		const workflow = (more: string) =>
			`kind: Workflow\nmetadata: { name: flow }\nspec:\n  entrypoint: a\n${more}  templates: [{ name: a, ${container} }]\n`;
		const ran = await spillway(["import", "argo", "-", "--team", "research", "--submit"], { stdin: workflow("") });
		expect(ran, ran.err).toMatchObject({ code: 0, out: expect.stringMatching(/^pipe_\w{26} {2}running\n$/) });
		const lossy = await spillway(["import", "argo", "-", "--team", "research"], { stdin: workflow("  onExit: clean\n") });
		expect(lossy.out).toMatch(/^apiVersion: spillway\/v1\nkind: Pipeline\n/);
		expect(lossy.err).toMatch(/^\? +5 {2}An exit handler\b/m);
		expectRefused(await spillway(["import", "kubeflow", "-"], { stdin: "kind: Workflow\nmetadata: {\n" }), 2, "line 3");
		const refused = await world.post("/imports/pipelines", { text: "kind: Pod" });
		expect(refused).toMatchObject({ status: 400, json: { detail: expect.stringContaining("no workflow") } });
	});
});

describe("exit codes", () => {
	it("3: there is no such job", async () => {
		expectRefused(await spillwayProcess(["show", "no-such-job"]), 3, '"no-such-job"');
		expectRefused(await spillway(["logs", `job_${"0".repeat(26)}`]), 3, "There is no job");
	});
	it("4: no token, an unknown one, not allowed", async () => {
		const empty = mkdtempSync(path.join(os.tmpdir(), "spillway-cli-"));
		expectRefused(await spillway(["jobs"], { env: { SPILLWAY_HOME: empty } }), 4, "no token", "SPILLWAY_TOKEN");
		expectRefused(await spillway(["jobs", "--token", "spw_wrong"]), 4, "not known", "--token");
		const finance = await spillway(["submit", "--team", "research", "--", "true"], { env: { SPILLWAY_TOKEN: world.tokens.finance } });
		expectRefused(finance, 4, "finance", "job:submit");
	});
	it("5: the job has already ended", async () => {
		const id = await world.submit({ name: "over" });
		expect(await spillway(["cancel", id])).toEqual({ code: 0, out: `${id}  cancelled\n`, err: "" });
		expectRefused(await spillway(["cancel", id]), 5, "already cancelled");
	});
	it("6: the server is unreachable", async () => {
		const server = createServer().listen(0, "127.0.0.1");
		await new Promise((resolve) => server.once("listening", resolve));
		const { port } = server.address() as { port: number };
		await new Promise((resolve) => server.close(resolve));
		expectRefused(await spillway(["jobs", "--url", `http://127.0.0.1:${port}`]), 6, `127.0.0.1:${port}`, "npm start");
	});
	it("0 when the reader of a pipe closes it", async () => {
		await world.post("/jobs", { items: Array.from({ length: 1_000 }, (_, i) => aJob({ name: `pipe-${i}` })) });
		const ran = await spillwayProcess(["jobs", "--all", "--json"], { onOutput: (_, child) => child.stdout?.destroy() });
		expect(ran).toMatchObject({ code: 0, err: "" });
	});
});

describe("many jobs at once", () => {
	it("changes priorities and resubmits what is possible; the exit code is that of the first failure", async () => {
		const [waiting, over] = [await world.submit({ name: "waits" }), await world.submit({ name: "over-again" })];
		await world.post(`/jobs/${over}/cancel`, undefined);
		const changed = await spillway(["priority", "80", waiting, over]);
		expect(changed).toMatchObject({ code: 5, out: `${waiting}  priority 80, was 50\n` });
		expect(changed.err).toContain("Change the priority of queued and held jobs only.");
		expect((await spillway(["hold", waiting])).out).toBe(`${waiting}  held\n`);
		const again = await spillway(["retry", over]);
		expect([again.code, again.out]).toEqual([0, expect.stringMatching(new RegExp(`^${over}  resubmitted as job_\\w{26}\\n$`))]);
	});
});

it("views are saved, listed and deleted by name", async () => {
	expect((await spillway(["views", "save", "Failed", "--query", "view=failed", "--share", "research"])).out).toBe("Failed saved\n");
	expect((await spillway(["views", "ls"])).out).toMatch(/Failed +you +research +view=failed/);
	expect((await spillway(["views", "rm", "Failed"])).out).toBe("Failed deleted\n");
});

describe("choosing a job", () => {
	it("takes the newest with a name, or the one with an id prefix", async () => {
		const older = await world.submit({ name: "twice" });
		world.shiftMs += 10;
		const newer = await world.submit({ name: "twice" });
		await world.submit({ name: "twice-as-long" });
		const shown = await spillway(["show", "twice", "--json"]);
		expect(JSON.parse(shown.out).id).toBe(newer);
		expect(shown.err).toContain(`2 jobs are named twice; this is the newest, ${newer}`);
		expect(JSON.parse((await spillway(["show", older.slice(0, -1), "--json"])).out).id).toBe(older);
	});
	it("rejects an ambiguous id, and cancels none", async () => {
		await world.submit({ name: "both" });
		await world.submit({ name: "both" });
		const before = await world.written();
		expectRefused(await spillway(["show", "job_0"]), 2, '"job_0" is the prefix of', "Give more of the id");
		expectRefused(await spillway(["cancel", "both"]), 2, '"both" is the name of 2 jobs', "use the id");
		expect(await world.written()).toEqual(before);
	});
});

describe("output", () => {
	it("--json prints the API's exact JSON", async () => {
		const id = await world.submit({ name: "to-the-letter" });
		const [{ id: budget }] = (await world.get("/budgets")).json.items as [{ id: string }];
		const paths: [string[], string][] = [
			[["show", id], `/jobs/${id}`],
			[["explain", id], `/jobs/${id}/decisions`],
			[["receipt", id], `/jobs/${id}/receipt`],
			[["logs", id], `/jobs/${id}/logs`],
			[["jobs", "--q", "to-the-letter"], "/jobs?q=to-the-letter"],
			[["instances", "--live"], "/instances?live=1"],
			[["instances", "--orphans"], "/money-at-risk"],
			[["budgets"], "/budgets"],
			[["policy", "show"], "/policies/default"],
			[["spend", "--from", "2026-01-01", "--to", "2026-02-01", "--by", "day"], "/spend?from=2026-01-01&to=2026-02-01&groupBy=day"],
			[
				["spend", "--from", "2026-01-01", "--to", "2026-02-01", "--by", "region", "--team", "risk", "--team", "nlp", "--capacity", "spot"],
				"/spend?from=2026-01-01&to=2026-02-01&groupBy=region&team=risk&team=nlp&capacityType=spot",
			],
			[
				["spend", "--from", "2026-01-01", "--to", "2026-02-01", "--by", "job", "--limit", "3"],
				"/spend?from=2026-01-01&to=2026-02-01&groupBy=job&limit=3",
			],
			[["charges", "--from", "2026-01-01", "--to", "2026-02-01", "--team", ""], "/charges?from=2026-01-01&to=2026-02-01&team="],
			[
				[
					"charges",
					"--lost",
					"cut_short",
					"--without-idle",
					"--as-of",
					"2026-10-02",
					"--since",
					"2026-10-01",
					"--from",
					"2026-01-01",
					"--to",
					"2026-02-01",
				],
				"/charges?from=2026-01-01&to=2026-02-01&lost=cut_short&asOf=2026-10-02&since=2026-10-01&withoutIdle=true",
			],
			[["charges", "--budget", budget, "--period", "2026-01-15"], `/charges?from=2026-01-01&to=2026-02-01&budget=${budget}`],
		];
		for (const [args, at] of paths) {
			const ran = await spillway([...args, "--json"]);
			expect(ran, args.join(" ")).toEqual({ code: 0, err: "", out: `${(await world.get(at)).text}\n` });
		}
	});

	it("prints tables without color codes on a pipe", async () => {
		const id = await world.submit({ name: "table" });
		const attempt = await world.start(id);
		await world.log(attempt, "hello");
		await world.end(attempt, { code: 0 });
		const commands = [
			["jobs", "--q", "table"],
			["show", id],
			["receipt", id],
			["explain", id],
			["sites"],
			["instances"],
			["budgets"],
			["spend"],
			["spend", "--by", "job"],
			["charges"],
			["policy", "show"],
		];
		for (const args of [...commands, ["quote", "--team", "research", "--", "true"], ["help"], ["help", "submit"], ["version"]]) {
			const ran = await spillway(args);
			expect(ran.code, `${args.join(" ")}: ${ran.err}`).toBe(0);
			expect(ran.out.length).toBeGreaterThan(10);
			expect(ran.out).not.toContain("\u001b");
		}
		expect(await spillway(["logs", id])).toEqual({ code: 0, out: "hello\n", err: "" });
		expect(await spillway(["logs", "-f", id])).toMatchObject({ code: 0, out: "hello\n" });
	});

	it("lint warns with line and column when every cloud machine ends too early", async () => {
		const file = path.join(folder, "long.yaml");
		const lines = ["apiVersion: spillway/v1", "kind: Job", "metadata: { name: long, team: research }", "spec:", "  command: [train]"];
		const lint = (estimate: string) => {
			writeFileSync(file, [...lines, "  duration:", `    estimate: ${estimate}`, ""].join("\n"));
			return spillway(["lint", "-f", file]);
		};
		// A job may leave home only while it would wait there.
		await world.post("/jobs", { items: Array.from({ length: 40 }, () => aJob({ name: "in-front" })) });
		const warned = await lint("2h");
		expect(warned).toMatchObject({ code: 0, err: "" });
		expect(warned.out).toMatch(
			`${file}:7:15: warning: No cloud machine could finish this job; it can run only at home. The instance lifetime`,
		);
		expect(await lint("1m")).toEqual({ code: 0, out: "", err: "" });
		expect(await lint("soon")).toMatchObject({ code: 2, err: expect.stringContaining(`${file}:7:15`) });
	});

	it("--all pages through everything as one document", async () => {
		await world.post("/jobs", { items: Array.from({ length: 520 }, () => aJob({ name: "paged-through" })) });
		const ran = await spillway(["jobs", "--q", "paged-through", "--all", "--json"]);
		const { items, nextCursor } = JSON.parse(ran.out);
		expect(nextCursor).toBeNull();
		expect(new Set(items.map((j: { id: string }) => j.id)).size).toBe(520);
	});
});
