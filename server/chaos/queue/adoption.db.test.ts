import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import { defined } from "#server/kernel/assert.ts";
import { whyNoSlurm } from "#server/providers/slurm/testing/slurm-programs.ts";
import { buildAgent } from "#server/services/work/agent/testing/machine.ts";
import { CloudPorts } from "../emulated-cloud.ts";
import { QueueWorld } from "./queue-world.ts";

const missing = whyNoSlurm();

describe.skipIf(missing !== null)(`jobs of a real Slurm's own queue${missing === null ? "" : ` (left out: ${missing})`}`, () => {
	const ports = new CloudPorts();
	let opened: QueueWorld | null = null;
	let database: TestDatabase | null = null;
	const world = () => defined(opened, "world");
	beforeAll(async () => {
		const file = await buildAgent();
		database = await createTestDatabase();
		const agent = { file, sha256: createHash("sha256").update(readFileSync(file)).digest("hex") };
		opened = await QueueWorld.open({ databaseUrl: database.url, ports, agent, nodes: 1, gpusPerNode: 2, log: () => {} });
		await world().startScheduler();
	});
	afterAll(async () => {
		await opened?.close();
		await database?.drop();
		await ports.close();
	});

	const scriptOf = (name: string, ...lines: string[]) =>
		`#!/bin/bash\n#SBATCH --job-name=${name}\n#SBATCH --gres=gpu:h100:2\n#SBATCH --time=5\n${lines.join("\n")}\n`;
	const adoption = async (id: string) =>
		(await world().connection.sql`select state, why, output, problem, outcome from adoption where foreign_id = ${id}`)[0];
	/** What all runs of a script recorded, on any site. */
	const book = (key: string) =>
		readFileSync(`${world().book}/log`, "utf8")
			.split("\n")
			.flatMap((line) => (line.startsWith(`${key} `) ? [line.slice(key.length + 1)] : []));
	const sees = async (id: string, state: string) =>
		world().until(`${id} is ${state}`, async () => (await adoption(id))?.["state"] === state);

	/** Returns the id of the job that fills it. */
	const homeIsFull = async (): Promise<string> => {
		const w = world();
		const blocker = await w.sbatch(scriptOf("blocker", "sleep 600"));
		await w.until("home is full", async () => (await w.slurm.command("squeue", "-h", "-t", "R", "-o", "%i")) === blocker);
		// Until Spillway observes that, home looks free, and on a busy computer the next script would stay there.
		const taken = async () => (await w.connection.sql`select max(cardinality(unavailable_slots)) as gpus from pool`)[0]?.["gpus"];
		await w.until("home is seen to be full", async () => (await taken()) === 2);
		return blocker;
	};

	it("runs another user's plain sbatch script in the cloud, stores its output and folder as requested, and ends it at home", async () => {
		const w = world();
		const blocker = await homeIsFull();
		const script = scriptOf(
			"train",
			`#SBATCH --output=${w.home}/%x-%j.log`,
			"echo one; echo two >&2",
			"srun echo three $SLURM_JOB_NAME",
			"mkdir -p out/best && echo 0.93 >out/best/score",
		);
		const id = await w.sbatch(script, { options: ["--comment=spillway checkpoints=out"] });
		await sees(id, "finished");
		// The two streams are interleaved, each in its own order.
		expect((await w.file(`train-${id}.log`))?.split("\n").toSorted()).toEqual(["", "one", "three train", "two"]);
		expect(await w.file("out/best/score")).toBe("0.93\n");
		expect((await adoption(id))?.["output"]).toEqual({ files: [`${w.home}/train-${id}.log`, `${w.home}/out`], problem: null });
		expect(await w.slurm.command("squeue", "-h", "-t", "all", "-j", id, "-o", "%T %M %k")).toMatch(
			/^CANCELLED 0:00 spillway checkpoints=out \[ran in the cloud as job_\w+: exit code 0\]$/,
		);
		// Otherwise slurmdbd would not list it, because it omits jobs that are not eligible yet.
		const [, eligible = ""] = /EligibleTime=(\S+)/.exec(await w.slurm.command("scontrol", "show", "job", id)) ?? [];
		expect(Date.parse(`${eligible}Z`)).toBeLessThanOrEqual(Date.now());
		await w.as("scancel", blocker);
	});

	it("runs a script once, at home only, when home has room before the cloud", async () => {
		const w = world();
		w.cloud.addFault({ kind: "no_capacity", times: 1_000, durationMs: 3_600_000 });
		const blocker = await w.sbatch(scriptOf("blocker", "sleep 600"));
		const id = await w.sbatch(scriptOf("given-back", `echo given-back ran >>${w.book}/log`), { options: ["--comment=spillway"] });
		await sees(id, "held");
		await w.as("scancel", blocker);
		await sees(id, "released");
		w.cloud.clearFaults();
		await w.until(
			"home ran it",
			async () => (await w.slurm.command("squeue", "-h", "-t", "all", "-j", id, "-o", "%T %k")) === "COMPLETED spillway",
		);
		expect(await adoption(id)).toMatchObject({ why: "home_frees" });
		expect(book("given-back")).toEqual(["ran"]);
	});

	it("starts a script released during its cloud run at home from its checkpoint, only after the cloud run stops, even when home has room", async () => {
		const w = world();
		const blocker = await w.sbatch(scriptOf("blocker", "sleep 600"));
		const says = (what: string) => `echo taken-back ${what} >>${w.book}/log`;
		const inCloud = '[ -z "$SPILLWAY_ATTEMPT" ] || { mkdir -p ckpt; echo 7 >ckpt/step; sleep 600; }';
		const script = ["step=$(cat ckpt/step || echo 0)", says("begins at $step"), inCloud, says("ends")];
		const id = await w.sbatch(scriptOf("taken-back", ...script), { options: ["--comment=spillway checkpoints=ckpt every=1s"] });
		await w.until("the cloud runs it", async () => book("taken-back").length === 1);
		await w.as("scancel", blocker);
		await w.slurm.command("scontrol", "release", id);
		await sees(id, "released");
		await w.until("home ran it", async () => (await w.slurm.command("squeue", "-h", "-t", "all", "-j", id, "-o", "%T")) === "COMPLETED");
		expect(await adoption(id)).toMatchObject({ why: "home_took_back", output: { files: [`${w.home}/ckpt`], problem: null } });
		expect(book("taken-back")).toEqual(["begins at 0", "begins at 7", "ends"]);
		const startedAt = Date.parse(`${await w.slurm.command("squeue", "-h", "-t", "all", "-j", id, "-o", "%S")}Z`);
		const [run] = await w.connection.sql`
				select a.state, a.finished_at from attempt a join adoption d on d.job_id = a.job_id where d.foreign_id = ${id}`;
		expect(run?.["state"]).toBe("evicted");
		expect(startedAt).toBeGreaterThanOrEqual(Math.floor(run?.["finished_at"].getTime() / 1_000) * 1_000);
	});

	it("adopts typical site scripts with unchanged meaning, or leaves them at home with a reason", async () => {
		const w = world();
		const blocker = await homeIsFull();
		const say = (key: string, what: string) => `echo "${key} ${what}" >>${w.book}/log`;
		const leaves = (script: string, options: string[] = [], args: string[] = []) =>
			w.sbatch(script, { options: ["--comment=spillway", ...options], args });
		await leaves(scriptOf("array", say("array", "$SLURM_ARRAY_TASK_ID of $SLURM_ARRAY_JOB_ID")), ["--array=1-3"]);
		// Slurm reports arguments up to version 22.05, and again from 25.11 on.
		const release = Number(/(\d+\.\d+)/.exec(await w.slurm.command("scontrol", "--version"))?.[1]);
		const reportsArguments = release <= 22.05 || release >= 25.11;
		const ofWords = scriptOf("words", say("words", "$1 and $2"));
		const words = await w.sbatch(ofWords, { options: ["--comment=spillway:args"], args: ["one", "two"] });
		const stays = {
			"has arguments": await leaves(scriptOf("spaces", 'echo "$1"'), [], ["one word"]),
			...(reportsArguments ? {} : { "may have arguments": words }),
			Modules: await leaves(scriptOf("modules", "module load cuda/12.4", "true")),
			".sif file": await leaves(scriptOf("apptainer", "apptainer exec train.sif python train.py")),
			"command scontrol": await leaves(scriptOf("tools", "scontrol show job $SLURM_JOB_ID")),
			"tasks per node": await leaves(scriptOf("mpi", "#SBATCH --ntasks-per-node=2", "srun python train.py")),
			"out already contains files": await leaves(scriptOf("resumes", "true"), ["--comment=spillway checkpoints=out"]),
			heterogeneous: await leaves(`${scriptOf("het")}#SBATCH hetjob\n#SBATCH --gres=gpu:h100:2\ntrue\n`),
		};
		const refusals = async () =>
			new Map(
				(await w.connection.sql`select id, not_adopted from foreign_job where not_adopted is not null`).map((r) => [
					r["id"],
					r["not_adopted"].why.join(" "),
				]),
			);
		await w.until("all others have a reason", async () => {
			const refused = await refusals();
			return Object.values(stays).every((id) => refused.has(id));
		});
		const seen = await refusals();
		for (const [why, id] of Object.entries(stays)) expect(seen.get(id), why).toContain(why);
		await w.until(
			"two tasks and the one with arguments have left",
			async () => book("array").length === 2 && (book("words").length === 1 || !reportsArguments),
		);
		expect(book("words")).toEqual(reportsArguments ? ["one and two"] : []);
		await w.as("scancel", ...Object.values(stays), blocker);
		await w.until("home ran the task that it kept", async () => book("array").length === 3);
		expect(
			book("array")
				.map((line) => line.split(" ")[0])
				.toSorted(),
		).toEqual(["1", "2", "3"]);
		expect(new Set(book("array").map((line) => line.split(" of ")[1])).size).toBe(1);
		await w.until("all is over", async () => (await w.slurm.command("squeue", "-h")) === "");
	});
});
