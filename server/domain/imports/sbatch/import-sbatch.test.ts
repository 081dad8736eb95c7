import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type JobFile, parseJobDocument } from "../../job-file.ts";
import { parsePipelineDocument } from "../../pipeline/pipeline-file.ts";
import { firstJobOf } from "../sweep.ts";
import type { ImportContext, Imported, SweepFile } from "../types.ts";
import { importSbatch } from "./import-sbatch.ts";
import { SBATCH_OPTIONS } from "./options.ts";

const CONTEXT: ImportContext = {
	team: "research",
	teams: ["research", "forecasting"],
	acceleratorsNamed: (word) => ({ h100: ["H100-80GB"], a100: ["A100-40GB", "A100-80GB"] })[word.toLowerCase()] ?? [],
	zoneOffsetMinutes: 60,
	email: "ada@acme.test",
	nowMs: Date.UTC(2026, 10, 19, 12),
};
const read = (lines: string[]): Imported<JobFile | SweepFile> => importSbatch(`${lines.join("\n")}\n`, CONTEXT);
const said = ({ findings }: Pick<Imported, "findings">) => findings.map((f) => `${f.line} ${f.kind} ${f.subject}`);
const only = (imported: Imported<JobFile | SweepFile>) => {
	expect(imported.documents).toHaveLength(1);
	const [document] = imported.documents;
	if (document?.kind !== "Job") throw new Error("no job");
	return { document, spec: parseJobDocument(document) };
};

describe("a typical batch script", () => {
	const imported = read([
		"#!/bin/bash",
		"#SBATCH --job-name=demand-tft",
		"#SBATCH --account=forecasting",
		"#SBATCH --gres=gpu:h100:8",
		"#SBATCH --cpus-per-task=96",
		"#SBATCH --mem=900G",
		"#SBATCH --time=06:00:00",
		"#SBATCH --deadline=2026-11-19T21:30",
		"#SBATCH --requeue",
		"#SBATCH --output=/home/%u/logs/%j.out",
		"#SBATCH --nodelist=hb-n03",
		"#SBATCH --mail-type=END,FAIL",
		"",
		"module load cuda/12.4 nccl/2.21",
		"source /home/shared/venv-tft/bin/activate",
		"",
		"srun torchrun --nproc-per-node 8 \\",
		"  train.py --config eu.yaml",
	]);

	it("becomes a job that the job file accepts, with every directive reported", () => {
		const { spec } = only(imported);
		expect(spec).toMatchObject({
			...{ name: "demand-tft", team: "forecasting", nodes: 1, deadlineMs: Date.UTC(2026, 10, 19, 20, 30) },
			resources: { gpus: 8, accelerators: ["H100-80GB"], cpus: 96, memoryGiB: 900 },
			duration: { estimateMs: null, maxMs: 6 * 3_600_000 },
		});
		expect(said(imported)).toEqual([
			"2 carried Name demand-tft",
			"3 carried Team forecasting",
			"4 carried 8 GPUs, h100",
			"5 carried 96 CPUs per node",
			"6 carried 900 GiB of memory per node",
			"7 changed Time limit 6h",
			"8 changed Deadline 2026-11-19T21:30",
			"9 carried May be interrupted and restarted",
			"10 changed Output /home/%u/logs/%j.out",
			"11 dropped --nodelist=hb-n03",
			"12 carried Mail END,FAIL",
			"14 question Modules cuda/12.4 nccl/2.21",
			"15 question A Python environment",
			"15 question /home/shared/venv-tft/bin/activate",
			"17 changed srun",
		]);
	});

	it("keeps the script word for word after the replacements for cluster commands", () => {
		const { spec } = only(imported);
		const [interpreter, flag, text = ""] = spec.command;
		expect([interpreter, flag]).toEqual(["/bin/bash", "-c"]);
		expect(
			text
				.split("\n")
				.slice(0, 2)
				.map((line) => line.slice(0, 18)),
		).toEqual(["command -v module ", '[ -n "${SLURM_JOB_']);
		expect(text.slice(text.indexOf("#!/bin/bash"))).toContain("srun torchrun --nproc-per-node 8 \\\n  train.py --config eu.yaml\n");
	});
});

describe("a script with a known submission", () => {
	const lines = [
		"#!/bin/bash",
		"#SBATCH --gres=gpu:1",
		"#SBATCH --array=1-9%2",
		'python train.py "$@" --fold $SLURM_ARRAY_TASK_ID of $SLURM_ARRAY_JOB_ID',
	];
	const submitted = { called: { name: "/home/a/train.sh", args: ["--lr", "0.1"] }, task: { arrayId: "12", number: 7 } };

	it("passes its arguments after its own name, as its shell expects", () => {
		const [document] = importSbatch(lines.join("\n"), CONTEXT, submitted).documents;
		expect(firstJobOf(document as JobFile).spec.command.slice(3)).toEqual(["/home/a/train.sh", "--lr", "0.1"]);
	});

	it("is one task of an array, with its own number and its array's, whatever the script says", () => {
		const { documents, findings } = importSbatch(lines.join("\n"), CONTEXT, submitted);
		expect(documents.map((d) => [d.metadata.name, firstJobOf(d).spec.env])).toEqual([
			["sbatch-7", { SLURM_ARRAY_TASK_ID: "7", SLURM_ARRAY_JOB_ID: "12" }],
		]);
		expect(findings.filter((f) => f.kind === "question")).toEqual([]);
	});

	it("asks where the script uses the number of tasks, since the command line may have overridden it", () => {
		const { findings } = importSbatch([...lines, "echo $SLURM_ARRAY_TASK_COUNT"].join("\n"), CONTEXT, submitted);
		expect(findings.filter((f) => f.kind === "question").map((f) => f.subject)).toEqual(["SLURM_ARRAY_TASK_COUNT"]);
	});
});

describe("machines", () => {
	const resources = (lines: string[]) => {
		const { spec } = only(read(["#!/bin/bash", ...lines.map((l) => `#SBATCH ${l}`), "python train.py"]));
		return { nodes: spec.nodes, ...spec.resources };
	};
	it.each([
		[["-N 4 --gpus-per-node=a100:8"], { nodes: 4, gpus: 8, accelerators: ["A100-40GB", "A100-80GB"] }],
		[["-N4", "-G 32"], { nodes: 4, gpus: 8 }],
		[["--gpus=16"], { nodes: 2, gpus: 8 }],
		[["--ntasks=8 --gpus-per-task=1"], { nodes: 1, gpus: 8 }],
		[["--nodes=2 --ntasks-per-node=4 --gpus-per-task=1 -c 6"], { nodes: 2, gpus: 4, cpus: 24 }],
		[["--gres=gpu:2", "--cpus-per-gpu=12", "--mem-per-gpu=90G"], { nodes: 1, gpus: 2, cpus: 24, memoryGiB: 180 }],
		[["--gres=gpu:1", "--ntasks=4", "--mem-per-cpu=2048"], { gpus: 1, memoryGiB: 8 }],
		[["--gres=gpu", "--mem=0"], { gpus: 1, memoryGiB: null }],
		[["--gres=gpu:1 # as before"], { gpus: 1 }],
		[["--job-name='my job' --gres=gpu:1"], { gpus: 1 }],
	])("%j", (lines, expected) => expect(resources(lines)).toMatchObject(expected));

	it("takes the last value of a repeated option and reports it", () => {
		const imported = read(["#!/bin/bash", "#SBATCH --gres=gpu:1", "#SBATCH --gres=gpu:4", "true"]);
		expect(only(imported).spec.resources.gpus).toBe(4);
		expect(said(imported)).toContain("2 dropped --gres=gpu:1");
	});

	it("asks when GPUs do not divide evenly, and reports rounding up", () => {
		const imported = read(["#!/bin/bash", "#SBATCH -N 3 --gpus=8", "true"]);
		expect(only(imported).spec).toMatchObject({ nodes: 3, resources: { gpus: 3 } });
		expect(imported.findings.find((f) => f.subject === "8 GPUs")?.text).toContain("9 in total");
	});
});

describe("mail", () => {
	it.each([
		["NONE", [], "carried"],
		["END", ["finished", "failed"], "carried"],
		["fail,REQUEUE", ["failed", "reclaimed"], "carried"],
		["BEGIN,FAIL", ["failed"], "changed"],
		["ARRAY_TASKS", [], "changed"],
	])("%s", (types, notify, kind) => {
		const imported = read(["#!/bin/bash", `#SBATCH --gres=gpu:1 --mail-type=${types}`, "true"]);
		expect(only(imported).spec.notify).toEqual(notify);
		expect(said(imported)).toContain(`2 ${kind} Mail ${types}`);
	});

	it("goes to the submitter only: another address is dropped", () => {
		const to = (address: string) => said(read(["#!/bin/bash", `#SBATCH --gres=gpu:1 --mail-user=${address}`, "true"]));
		expect(to("Ada@acme.test")).toContain("2 carried Mail to Ada@acme.test");
		expect(to("boss@elsewhere.test")).toContain("2 dropped Mail to boss@elsewhere.test");
	});
});

describe("arrays", () => {
	const lines = ["#!/bin/bash", "#SBATCH -J sweep --array=1-9:4%2 --gres=gpu:1", "python train.py --seed $SLURM_ARRAY_TASK_ID"];
	it("become one sweep with a job for each task and the array's concurrency limit", () => {
		const imported = read(lines);
		const sweep = parsePipelineDocument(imported.documents[0], { checkCondition: () => [] });
		expect(sweep).toMatchObject({ kind: "Sweep", name: "sweep", parallel: 2 });
		const jobs = sweep.steps.flatMap(({ runs }) => runs.map(({ job }) => job));
		expect(jobs.map(({ env }) => [env["SLURM_ARRAY_TASK_ID"], env["SLURM_ARRAY_TASK_COUNT"], env["SLURM_ARRAY_TASK_MAX"]])).toEqual([
			["1", "3", "9"],
			["5", "3", "9"],
			["9", "3", "9"],
		]);
		expect(imported.findings.find((f) => f.subject === "Array 1-9:4%2")?.text).toContain("3 jobs, 2 at a time");
		expect(parseJobDocument(firstJobOf(imported.documents[0] as SweepFile))).toMatchObject({ ...jobs[0], name: "sweep" });
	});

	it("keep text that looks like a sweep placeholder, with and without a limit, deadline and mail", () => {
		const line = `echo '\${{ trial.task }} \${{'`;
		const text = ["#!/bin/bash", "#SBATCH --array=0-1 --mail-type=ALL --deadline=2026-12-01", line];
		const [document] = read(text).documents;
		const { steps, parallel, deadlineMs } = parsePipelineDocument(document, { checkCondition: () => [] });
		expect([parallel, deadlineMs]).toEqual([null, Date.UTC(2026, 10, 30, 23)]);
		const jobs = steps.flatMap(({ runs }) => runs.map(({ job }) => job));
		expect(jobs.map(({ notify }) => notify)).toEqual(Array.from({ length: 2 }, () => ["finished", "failed", "reclaimed"]));
		for (const { command } of jobs) expect(command.at(-1)).toContain(`${line}\n`);
		expect(firstJobOf(document as SweepFile).spec.command.at(-1)).toContain(`${line}\n`);
	});

	it.each(["1-2000", "5-1", "a", "1-999999999"])("%s is a question, and one job", (list) => {
		const imported = read(["#!/bin/bash", `#SBATCH --array=${list}`, "true"]);
		expect(imported.documents).toHaveLength(1);
		expect(imported.findings.find((f) => f.subject === `Array ${list}`)?.kind).toBe("question");
	});
});

describe("directives that cannot be carried over are always reported", () => {
	it.each([
		["#SBATCH --gras=gpu:8", "There is no option --gras. Did you mean gres?"],
		["#SBATCH --mem-p=4G", "is ambiguous: --mem-per-cpu, --mem-per-gpu"],
		["#SBATCH --job-name='open", "A quote is not closed"],
		["#SBATCH hetjob", "equal nodes"],
		["#SBATCH --dependency=afterok:123", "does not wait"],
		["#SBATCH --gres=shard:1", "Not a GPU"],
		["#SBATCH --time=soon", "Not a duration"],
		["#SBATCH -N", "needs a value"],
		["#SBATCH gpu:8", "Not an option"],
	])("%s", (line, text) => {
		const { findings } = read(["#!/bin/bash", line, "true"]);
		expect(
			findings
				.filter((f) => f.line === 2 && f.kind === "question")
				.map((f) => f.text)
				.join(" "),
		).toContain(text);
	});

	it("reports that a directive after the first command had no effect", () => {
		expect(said(read(["#!/bin/bash", "true", "#SBATCH --gres=gpu:8"]))).toContain("3 dropped #SBATCH --gres=gpu:8");
	});

	it("has a finding for every option of sbatch", () => {
		for (const option of SBATCH_OPTIONS) {
			const { findings } = read(["#!/bin/bash", `#SBATCH --${option.name}${option.value === "none" ? "" : "=1"}`, "true"]);
			expect(
				findings.some((f) => f.line === 2),
				option.name,
			).toBe(true);
		}
	});

	it("reads DOS line endings and reports them", () => {
		const imported = importSbatch("#!/bin/bash\r\n#SBATCH --gres=gpu:2\r\ntrue\r\n", CONTEXT);
		expect(only(imported).spec.resources.gpus).toBe(2);
		expect(said(imported)[0]).toBe("1 changed DOS line endings");
	});

	it("reports each of a thousand directives, and the last duplicate wins", () => {
		const lines = Array.from({ length: 1_000 }, (_, i) => (i % 100 === 99 ? `#SBATCH --gros=${i}` : `#SBATCH --gres=gpu:${(i % 8) + 1}`));
		const imported = read(["#!/bin/bash", ...lines, "true"]);
		expect(new Set(imported.findings.map((f) => f.line)).size).toBeGreaterThanOrEqual(1_000);
		expect(imported.findings.filter((f) => f.kind === "question" && f.text.includes("no option --gros"))).toHaveLength(10);
		expect(only(imported).spec.resources.gpus).toBe(7);
	});

	it.each([["Dear all, the script is attached."], ["step 100 loss 0.31", "step 200 loss 0.29"]])(
		"asks whether %j is a script at all",
		(...lines) => {
			expect(said(read(lines))).toContain("1 question This does not look like a batch script");
			expect(said(read(["#!/bin/bash", ...lines])).filter((f) => f.includes("question"))).toEqual([]);
			expect(said(read(["#SBATCH --gres=gpu:1", ...lines])).filter((f) => f.includes("question"))).toEqual([]);
		},
	);

	it("asks once about an invalid number of tasks", () => {
		expect(said(read(["#!/bin/bash", "#SBATCH --ntasks=few", "true"])).filter((f) => f.includes("ntasks"))).toEqual([
			"2 question --ntasks=few",
		]);
	});

	it("reports one task in the singular, and the task number of an array as each task's own", () => {
		const imported = read(["#!/bin/bash", "#SBATCH --gres=gpu:1 --ntasks-per-node=1 --array=1-3", "echo $SLURM_ARRAY_TASK_ID"]);
		expect(said(imported)).toEqual(expect.arrayContaining(["2 carried 1 task per node", "3 carried SLURM_ARRAY_TASK_ID, set per task"]));
	});

	it("rejects an empty text and one that is too long", () => {
		expect(() => importSbatch(" \n", CONTEXT)).toThrow("no script");
		expect(() => importSbatch(`#!/bin/bash\n${"x".repeat(40_000)}`, CONTEXT)).toThrow("at most");
	});

	it("never throws: any text of directives gives jobs and findings", () => {
		const word = fc.oneof(
			fc.constantFrom(
				...SBATCH_OPTIONS.map((o) => `--${o.name}`),
				...SBATCH_OPTIONS.flatMap((o) => (o.short ? [`-${o.short}`] : [])),
				"hetjob",
			),
			fc.string({ maxLength: 12, unit: "binary" }),
			fc.constantFrom("=", "1-3", "gpu:8", "a100:2", "'", '"', "4G", "0", "-1", "1:2:3", "2-12:00"),
		);
		fc.assert(
			fc.property(fc.array(fc.array(word, { maxLength: 5 }), { maxLength: 12 }), (lines) => {
				const text = ["#!/bin/bash", ...lines.map((words) => `#SBATCH ${words.join(" ")}`), "srun python $SLURM_X /home/a/b"].join("\n");
				const imported = importSbatch(text, CONTEXT);
				expect(imported.documents.length).toBeGreaterThan(0);
				expect(imported.findings.some((f) => f.kind === "question")).toBe(true);
			}),
		);
	});
});

describe("the network between nodes", () => {
	const script = (...lines: string[]) => read(["#!/bin/bash", "#SBATCH --nodes=4", "#SBATCH --gpus-per-node=8", ...lines, "srun train"]);

	it.each([
		["#SBATCH --switches=1", "high", "4 changed --switches=1"],
		["#SBATCH --switches=1@12:00:00", "high", "4 changed --switches=1@12:00:00"],
		["#SBATCH --switches=2", undefined, "4 dropped --switches=2"],
		["#SBATCH --constraint=ib", "high", "4 carried Constraint ib"],
		["#SBATCH -C h100&infiniband", "high", "4 carried Constraint h100&infiniband"],
		["#SBATCH -C ib|efa", "high", "4 carried Constraint ib|efa"],
		["#SBATCH -C ib|ethernet", undefined, "4 question Constraint ib|ethernet"],
		["#SBATCH -C [rack1*2]", undefined, "4 question Constraint [rack1*2]"],
	])("reads %s as %s", (line, interconnect, finding) => {
		const imported = script(line);
		expect(only(imported).spec.interconnect).toBe(interconnect);
		expect(said(imported)).toContain(finding);
	});
});

describe("outputs", () => {
	const script = (...lines: string[]) => read(["#!/bin/bash", "#SBATCH --gres=gpu:1", ...lines, "python train.py"]);

	it("are read from #SPILLWAY lines, which sbatch ignores", () => {
		const imported = script(
			"#SPILLWAY output name=model path=out/model kind=model to=home:/models/fraud",
			'#SPILLWAY output name=metrics path="out/my metrics.json" kind=report when=always keep=30d # for the weekly report',
		);
		expect(only(imported).spec.outputs).toEqual([
			{ name: "model", path: "out/model", kind: "model", when: "success", to: "home:/models/fraud", keepMs: null },
			{ name: "metrics", path: "out/my metrics.json", kind: "report", when: "always", keepMs: 30 * 86_400_000 },
		]);
		expect(said(imported)).toEqual(expect.arrayContaining(["3 carried Output model", "4 carried Output metrics"]));
	});

	it.each([
		["#SPILLWAY output name=model", "Output model", "path is required"],
		["#SPILLWAY output name=model path=out kind=modle", "Output model", "Did you mean model?"],
		["#SPILLWAY output name=model path=out sise=3", "Output model", "sise is not a known field"],
		["#SPILLWAY output name=model path=../up", "Output model", "path "],
		["#SPILLWAY output name=model path=out to=/models", "Output model", "must begin with home:"],
		["#SPILLWAY output name=model name=other path=out", "#SPILLWAY output name=model name=other path=out", "name is set twice"],
		["#SPILLWAY output name='model path=out", "#SPILLWAY output name='model path=out", "A quote is not closed"],
		["#SPILLWAY outptu name=model path=out", "#SPILLWAY outptu name=model path=out", "Did you mean output?"],
		["#SPILLWAY", "#SPILLWAY", "Only outputs can be declared"],
	])("asks about %s", (line, subject, text) => {
		const imported = script(line);
		expect(only(imported).spec.outputs).toBeUndefined();
		expect(imported.findings.filter((f) => f.line === 3)).toEqual([
			{ line: 3, kind: "question", subject, text: expect.stringContaining(text) },
		]);
	});

	it("asks about a second output of the same name, and about lines after the first command", () => {
		const line = "#SPILLWAY output name=model path=out";
		const imported = script(line, line, "cd run", line);
		expect(only(imported).spec.outputs).toHaveLength(1);
		expect(imported.findings.filter((f) => f.kind === "question").map((f) => [f.line, f.text])).toEqual([
			[4, expect.stringContaining("two outputs with the same name")],
			[6, "Move it before the first command."],
		]);
	});

	it("are those of each task of an array", () => {
		const { documents } = script("#SBATCH --array=1-3", "#SPILLWAY output name=model path=out");
		expect(documents).toMatchObject([{ kind: "Sweep", spec: { job: { outputs: [{ name: "model", path: "out" }] } } }]);
		expect(() => parsePipelineDocument(documents[0], { checkCondition: () => [] })).not.toThrow();
	});
});
