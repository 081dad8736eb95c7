import path from "node:path";
import type { z } from "zod";
import { artifactSchema } from "#server/contract/artifact.ts";
import { pageOf } from "#server/contract/parts.ts";
import { badInput } from "../args.ts";
import { readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { downloadFile } from "../download-file.ts";
import { CliError, EXIT, type ExitCode } from "../exit.ts";
import { findJobId } from "../find-job.ts";
import { bytes, exactTime, money } from "../render/format.ts";
import { type Column, table } from "../render/table.ts";

type Artifact = z.infer<typeof artifactSchema>;

export const artifacts: Command = {
	name: "artifacts",
	usage: "ls|get|rm JOB [NAME]",
	summary: "list, download or delete the results of a job",
	details:
		"Results are what a job declares under spec.outputs (docs/results.md), and artifacts that it logs with MLflow. get downloads all results of the newest attempt, or the named one, into DIR. Interrupted downloads resume, and each file is verified by SHA-256. rm deletes a result's files for everyone and keeps its record.",
	options: { to: { value: "DIR", help: "folder to download into (default: the job's id)" } },
	positionals: { min: 2, max: 3, name: "VERB JOB [NAME]" },
	examples: [
		"spillway artifacts ls fraud-v142",
		"spillway artifacts get fraud-v142 model --to ./fraud",
		"spillway artifacts rm fraud-v142 report",
	],
	async run(ctx) {
		const [verb, job = "", name] = ctx.args.positionals;
		if (verb !== "ls" && verb !== "get" && verb !== "rm") throw badInput(`There is no "artifacts ${verb}". Use ls, get or rm.`);
		const jobId = await findJobId(ctx, job);
		const answer = await ctx.client.get(`/jobs/${jobId}/artifacts`);
		if (verb === "ls" && ctx.json) {
			ctx.io.out(`${answer.text}\n`);
			return EXIT.done;
		}
		const { items } = readAs(pageOf(artifactSchema), answer, "list of artifacts");
		if (verb === "ls") return list(ctx, items);
		if (verb === "get") return download(ctx, jobId, chosen(items, name));
		if (name === undefined) throw badInput("Name the result to delete: spillway artifacts rm JOB NAME.");
		for (const { id } of chosen(items, name)) await ctx.client.delete(`/artifacts/${id}`);
		ctx.io.out(`Deleted ${name} of ${jobId}.\n`);
		return EXIT.done;
	},
};

const COLUMNS: readonly Column<Artifact>[] = [
	{ head: "NAME", cell: (item) => item.name },
	{ head: "KIND", cell: (item) => item.kind },
	{ head: "FILES", cell: (item) => String(item.files), right: true },
	{ head: "SIZE", cell: (item) => bytes(item.bytes), right: true },
	{ head: "CREATED", cell: (item) => exactTime(Date.parse(item.createdAt)) },
	{ head: "FILES KEPT", cell: keptUntil },
	{ head: "PER MONTH", cell: perMonth, right: true },
];

function keptUntil({ deletedAt, expiresAt }: Artifact): string {
	if (deletedAt !== null) return "deleted";
	return expiresAt === null ? "yes" : `until ${exactTime(Date.parse(expiresAt))}`;
}

function perMonth({ deletedAt, microUsdPerMonth }: Artifact): string {
	if (deletedAt !== null) return "";
	return microUsdPerMonth === null ? "no price set" : money(microUsdPerMonth);
}

/** The newest complete result of each name, or of the requested one. */
function chosen(items: readonly Artifact[], name: string | undefined): Artifact[] {
	const newest = new Map<string, Artifact>();
	for (const item of items) {
		if (item.deletedAt !== null || (name !== undefined && item.name !== name) || newest.has(item.name)) continue;
		newest.set(item.name, item);
	}
	if (newest.size > 0) return [...newest.values()];
	const what = name === undefined ? "no results" : `no result ${JSON.stringify(name)}`;
	throw new CliError(EXIT.notFound, `The job has ${what}. See what it has: spillway artifacts ls JOB`);
}

function list({ io }: CommandContext, items: readonly Artifact[]): ExitCode {
	io.out(table(io, COLUMNS, items, { empty: "No results yet. They appear when an attempt ends." }));
	return EXIT.done;
}

/** With `--json` on stdout: the files written. Progress goes to stderr. */
async function download(ctx: CommandContext, jobId: string, items: readonly Artifact[]): Promise<ExitCode> {
	const { io, client, args, json } = ctx;
	const folder = path.resolve(io.cwd, args.text("to") ?? jobId);
	const written: { name: string; path: string; bytes: number; sha256: string }[] = [];
	for (const item of items) {
		const below = path.join(folder, item.runId === null ? item.name : "mlflow");
		for (const file of item.fileList) {
			await downloadFile(client, below, { artifactId: item.id, ...file });
			written.push({ name: item.name, path: path.join(below, file.path), bytes: file.bytes, sha256: file.sha256 });
		}
		io.err(`${item.name}: ${item.files} files, ${bytes(item.bytes)}, in ${below}\n`);
	}
	if (json) io.out(`${JSON.stringify({ items: written })}\n`);
	return EXIT.done;
}
