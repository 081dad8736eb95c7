import { jobDetailSchema } from "#server/contract/outputs/job.ts";
import { isFinal, JOB_TRANSITIONS } from "#server/domain/states.ts";
import { readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit.ts";
import { findJobId } from "../find-job.ts";
import { findingCounts, findingLine } from "../render/findings.ts";
import { bytes, count, duration, exactAndRelative, grams, label, money, NONE, place, relative, startRange } from "../render/format.ts";
import { styled, styleOfState } from "../render/style.ts";
import { clean, fields, heading, table } from "../render/table.ts";
import type { JobDetail } from "../response-types.ts";

export const show: Command = {
	name: "show",
	usage: "JOB",
	summary: "show a job with its attempts, instances and checkpoints",
	options: {},
	positionals: { min: 1, max: 1, name: "JOB" },
	examples: ["spillway show language-id", "spillway show job_01m7y6g41tk --json"],
	async run(ctx) {
		const id = await findJobId(ctx, ctx.args.positionals[0] ?? "");
		const answer = await ctx.client.get(`/jobs/${id}`);
		if (ctx.json) ctx.io.out(`${answer.text}\n`);
		else ctx.io.out(jobText(ctx, readAs(jobDetailSchema, answer, "job")));
		return EXIT.done;
	},
};

function moveText({ attemptList }: JobDetail, nowMs: number): string | null {
	const move = attemptList.at(-1)?.move ?? null;
	if (move === null) return null;
	const when = move.at === null ? "once there is a place" : exactAndRelative(move.at, nowMs);
	return `${move.to}, ${when}${move.requestedBy === null ? "" : `, requested by ${clean(move.requestedBy)}`}`;
}

function jobText(ctx: CommandContext, job: JobDetail): string {
	const { io } = ctx;
	const nowMs = io.nowMs();
	const ended = isFinal(JOB_TRANSITIONS, job.state);
	const parts = [
		fields(io, [
			["job", `${job.id}  ${styled(io, "bold", clean(job.name))}`],
			["state", styled(io, styleOfState(job.state), job.state) + (job.cancelRequestedAt !== null && !ended ? ", stopping" : "")],
			["reason", clean(job.reason.message)],
			["waits", job.attemptList.at(-1)?.clusterWait ? clean(job.attemptList.at(-1)?.clusterWait?.message ?? "") : null],
			["team", `${job.team}, class ${label(job.class)}, priority ${job.priority}`],
			["requests", `${count(job.gpus, "GPU")}${job.spec.nodes > 1 ? ` on ${job.spec.nodes} nodes` : ""}${limits(job)}`],
			["command", clean(job.spec.command.map(quoted).join(" "))],
			["place", job.placement ? `${place(job.placement)}${job.placement.accelerator ? `, ${job.placement.accelerator}` : ""}` : null],
			["moves", moveText(job, nowMs)],
			["adopted", job.adoption ? adoptionText(job.adoption, nowMs) : null],
			["template", job.template ? templateText(job.template) : null],
			["submitted", `${exactAndRelative(job.submittedAt, nowMs)} by ${job.submittedBy}`],
			["started", job.startedAt === null ? null : exactAndRelative(job.startedAt, nowMs)],
			["finished", job.finishedAt === null ? null : exactAndRelative(job.finishedAt, nowMs)],
			["deadline", job.deadlineAt === null ? null : exactAndRelative(job.deadlineAt, nowMs)],
			["forecast", job.forecast && !ended ? `starts at home ${startRange(job.forecast, nowMs)}` : null],
			["cost", `${money(job.costMicroUsd)}${ended ? "" : " so far"}, ${grams(job.emissionsGrams)} CO2 (estimated)`],
		]),
	];
	if (job.attemptList.length > 0) parts.push(heading(io, "Attempts"), attemptTable(ctx, job));
	if (job.instances.length > 0) parts.push(heading(io, "Instances"), instanceTable(ctx, job));
	const [newest] = job.checkpoints;
	if (newest) {
		const at = relative(Date.parse(newest.createdAt), nowMs);
		parts.push(
			`\n${count(job.checkpoints.length, "checkpoint")}, newest ${at}: ${duration(newest.completedMs)} of work in ${bytes(newest.bytes)}\n`,
		);
	}
	if (job.imported) parts.push(importText(ctx, job.imported));
	return parts.join("");
}

function templateText({ name, version, isDeleted }: NonNullable<JobDetail["template"]>): string {
	return `${clean(name)} version ${version}${isDeleted ? " (deleted)" : ""}`;
}

function adoptionText(
	{ foreignId, user, partition, siteId, state, ruleId, heldAt, ...a }: NonNullable<JobDetail["adoption"]>,
	nowMs: number,
): string {
	const says = [
		`job ${clean(foreignId)} of ${clean(user)} in ${clean(partition)} at ${siteId}, by rule ${ruleId}: ${state}`,
		heldAt === null ? null : `held there since ${exactAndRelative(heldAt, nowMs)}`,
		a.output && a.output.files.length > 0 ? `its output there: ${clean(a.output.files.join(", "))}` : null,
		a.why && clean(a.why),
		(a.problem ?? a.output?.problem) && clean(a.problem ?? a.output?.problem ?? ""),
	];
	return says.filter(Boolean).join("; ");
}

/** Shows what was not carried over unchanged; for the rest only the count. */
function importText({ io }: CommandContext, { kind, findings, leftOut, isAsRead }: NonNullable<JobDetail["imported"]>): string {
	const changed = isAsRead ? "" : "The job was changed after conversion.\n";
	const more = leftOut > 0 ? `and ${leftOut} more that were not kept\n` : "";
	const lines = findings.filter((f) => f.kind !== "carried").map((f) => findingLine(io, f));
	return [
		heading(io, `Converted from ${kind === "sbatch" ? "an sbatch script" : "a Kubernetes manifest"}`),
		...lines,
		findingCounts(findings),
		more,
		changed,
	].join("");
}

function limits({ spec }: JobDetail): string {
	const { estimateMs, maxMs } = spec.duration;
	return `${estimateMs === null ? "" : `, about ${duration(estimateMs)}`}${maxMs === null ? "" : `, at most ${duration(maxMs)}`}`;
}

/** Quoted for a shell. */
function quoted(word: string): string {
	return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function attemptTable({ io }: CommandContext, job: JobDetail): string {
	const nowMs = io.nowMs();
	return table(
		io,
		[
			{ head: "#", cell: (a) => String(a.number), right: true },
			{ head: "STATE", cell: (a) => a.state, style: (a) => styleOfState(a.state) },
			{ head: "PLACE", cell: (a) => place(a.placement) },
			{ head: "STARTED", cell: (a) => relative(Date.parse(a.createdAt), nowMs), right: true },
			{
				head: "RAN",
				cell: (a) =>
					a.startedAt === null ? NONE : duration((a.finishedAt === null ? nowMs : Date.parse(a.finishedAt)) - Date.parse(a.startedAt)),
				right: true,
			},
			{ head: "EXIT", cell: (a) => (a.exitCode === null ? NONE : String(a.exitCode)), right: true },
			{ head: "LOG", cell: (a) => count(a.logLines, "line"), right: true },
			{ head: "WHY", cell: (a) => a.reason?.message ?? "" },
		],
		job.attemptList,
		{ empty: "" },
	);
}

type Instance = JobDetail["instances"][number];

function instanceTable({ io }: CommandContext, job: JobDetail): string {
	return table(
		io,
		[
			{ head: "INSTANCE", cell: (i) => i.providerInstanceId ?? i.id },
			...(job.spec.nodes > 1 ? [{ head: "RANK", cell: (i: Instance) => String(i.rank), right: true as const }] : []),
			{ head: "STATE", cell: (i) => i.state, style: (i) => styleOfState(i.state) },
			{ head: "TYPE", cell: (i) => `${i.instanceType} ${label(i.capacityType)}` },
			{ head: "WHERE", cell: (i) => `${i.provider} ${i.zone ?? i.region}` },
			{ head: "COST", cell: (i) => money(i.costMicroUsd), right: true },
			{ head: "WHY", cell: (i) => i.reason?.message ?? "" },
		],
		job.instances,
		{ empty: "" },
	);
}
