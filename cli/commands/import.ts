import { readFile } from "node:fs/promises";
import path from "node:path";
import { stringify } from "yaml";
import { importSchema, submittedJobsSchema } from "#server/contract/outputs/job.ts";
import { importedPipelinesSchema, submittedPipelineSchema } from "#server/contract/pipeline.ts";
import { decodeScript } from "#server/domain/imports/decode.ts";
import { JOB_LIMITS } from "#server/domain/job-schema.ts";
import { badInput } from "../args.ts";
import { readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { findingCounts, findingLine } from "../render/findings.ts";
import { count } from "../render/format.ts";

const KINDS: Readonly<Record<string, string>> = {
	sbatch: "/imports/sbatch",
	k8s: "/imports/kubernetes",
	kubernetes: "/imports/kubernetes",
	argo: "/imports/pipelines",
	kubeflow: "/imports/pipelines",
};

export const importCommand: Command = {
	name: "import",
	usage: "sbatch|k8s|argo|kubeflow FILE [flags]",
	summary: "convert a batch script, manifest or workflow to a job or pipeline file",
	details:
		"Writes the file to stdout and the outcome of each line to stderr: + kept, ~ changed, - dropped, ? needs your answer. FILE may be - for stdin.",
	options: {
		team: { value: "TEAM", help: "the job's team, if the file names none of yours (default: SPILLWAY_TEAM)" },
		submit: { help: "submit the result if it has no open questions" },
		anyway: { help: "with --submit: submit despite open questions" },
	},
	positionals: { min: 2, max: 2, name: "sbatch|k8s|argo|kubeflow FILE" },
	examples: [
		"spillway import sbatch train.sh > job.yaml",
		"spillway import k8s job.yaml --team research --submit",
		"spillway import argo workflow.yaml > pipeline.yaml",
	],
	async run(ctx) {
		const { args, io } = ctx;
		const [kind = "", file = ""] = args.positionals;
		const route = KINDS[kind];
		if (route === undefined)
			throw badInput(
				`There is no "import ${kind}". There are: import sbatch FILE, import k8s FILE, import argo FILE, import kubeflow FILE.`,
			);
		const text = await read(file, ctx);
		const team = args.text("team") ?? (io.env.SPILLWAY_TEAM || undefined);
		const zoneOffsetMinutes = -new Date(io.nowMs()).getTimezoneOffset();
		const script = { text, zoneOffsetMinutes, ...(team === undefined ? {} : { team }) };
		const answer = await ctx.client.post(route, script);
		const isPipeline = route === KINDS["argo"];
		const imported = isPipeline ? readAs(importedPipelinesSchema, answer, "import") : readAs(importSchema, answer, "import");
		for (const line of imported.findings.map((f) => findingLine(io, f))) io.err(line);
		io.err(findingCounts(imported.findings));
		if (args.has("submit")) return submit(ctx, imported, isPipeline ? null : { kind: imported.kind, ...script });
		io.out(ctx.json ? `${answer.text}\n` : imported.documents.map((d) => stringify(d, { lineWidth: 0 })).join("---\n"));
		return EXIT.done;
	},
};

type Imported = Pick<ReturnType<typeof importSchema.parse>, "documents" | "questions">;

async function read(file: string, { io }: CommandContext): Promise<string> {
	if (file === "-") return io.readStdin(JOB_LIMITS.documentBytes);
	try {
		const { text, encoding } = decodeScript(await readFile(path.resolve(io.cwd, file)));
		if (encoding !== "utf-8") io.err(`${file} is not UTF-8; it was read as ${encoding}.\n`);
		return text;
	} catch (cause) {
		throw badInput(`${file} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}.`);
	}
}

async function submit(ctx: CommandContext, imported: Imported, script: object | null): Promise<ExitCode> {
	if (imported.questions > 0 && !ctx.args.has("anyway"))
		throw badInput(
			`${count(imported.questions, "question")} left open, so nothing was submitted. Answer them in the file that "spillway import" prints without --submit, or add --anyway.`,
		);
	// A script is one job; an array is one sweep.
	if (script === null || imported.documents[0]?.["kind"] === "Sweep") return submitPipelines(ctx, imported.documents);
	const answer = await ctx.client.post("/jobs", { items: imported.documents, script });
	if (ctx.json) ctx.io.out(`${answer.text}\n`);
	else for (const { id } of readAs(submittedJobsSchema, answer, "answer").items) ctx.io.out(`${id}  queued\n`);
	return EXIT.done;
}

async function submitPipelines(ctx: CommandContext, documents: Imported["documents"]): Promise<ExitCode> {
	for (const document of documents) {
		const answer = await ctx.client.post("/pipelines", { document });
		const { id, state } = readAs(submittedPipelineSchema, answer, "pipeline");
		ctx.io.out(ctx.json ? `${answer.text}\n` : `${id}  ${state}\n`);
	}
	return EXIT.done;
}
