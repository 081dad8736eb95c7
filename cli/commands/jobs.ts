import { z } from "zod";
import { jobSchema } from "#server/contract/outputs/job.ts";
import { pageOf } from "#server/contract/parts.ts";
import { badInput } from "../args.ts";
import { type Answer, readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit.ts";
import { ago, duration, label, money, NONE, place } from "../render/format.ts";
import { styled, styleOfState } from "../render/style.ts";
import { table } from "../render/table.ts";
import type { Job } from "../response-types.ts";

const LIMIT_DEFAULT = 25;
const PAGE_MAX = 500;

export const jobs: Command = {
	name: "jobs",
	usage: "[flags]",
	summary: "list jobs, newest first",
	details: "Of the trials of sweeps, only those that are placed are listed, except with --all or --q. spillway pipeline ls lists sweeps.",
	options: {
		state: {
			value: "STATE",
			many: true,
			help: "held, queued, admitted, running, succeeded, failed or cancelled; may be repeated or comma-separated",
		},
		team: { value: "TEAM", many: true, help: "may be repeated" },
		class: { value: "CLASS", many: true, help: "may be repeated" },
		site: { value: "SITE", help: "a site's id, or cloud for every cloud" },
		mine: { help: "only your own jobs" },
		q: { value: "TEXT", help: "part of a name, or the prefix of an id" },
		limit: { value: "N", help: `how many (default: ${LIMIT_DEFAULT})` },
		all: { help: "all of them" },
	},
	positionals: { min: 0, max: 0, name: "" },
	examples: ["spillway jobs --state running,queued", "spillway jobs --team research --all --json"],
	async run(ctx) {
		const { items, answer, more } = await listAll(ctx);
		if (ctx.json) {
			ctx.io.out(`${answer}\n`);
			return EXIT.done;
		}
		const rows = items.map((item) => readAs(jobSchema, { text: "", json: item }, "list of jobs"));
		ctx.io.out(jobTable(ctx, rows));
		if (more) ctx.io.err(`${styled(ctx.io, "dim", `Newest ${rows.length} shown; --limit N or --all shows more.`)}\n`);
		return EXIT.done;
	},
};

/** Pages until the limit. One page is printed as the server sent it, several as one {items, nextCursor}. */
async function listAll(ctx: CommandContext): Promise<{ items: unknown[]; answer: string; more: boolean }> {
	const { args } = ctx;
	if (args.has("all") && args.has("limit")) throw badInput("Either --all or --limit, not both.");
	const limit = args.has("all") ? Number.POSITIVE_INFINITY : (args.wholeNumber("limit", { min: 1, max: 1_000_000 }) ?? LIMIT_DEFAULT);
	const filters = {
		state: args.list("state"),
		team: args.list("team"),
		class: args.list("class"),
		site: args.text("site"),
		mine: args.has("mine") ? "true" : undefined,
		q: args.text("q"),
		trials: args.has("all") || args.has("q") ? undefined : "live",
	};
	const items: unknown[] = [];
	let cursor: string | null = null;
	let page: Answer;
	do {
		page = await ctx.client.get("/jobs", {
			...filters,
			limit: Math.min(PAGE_MAX, limit - items.length),
			...(cursor === null ? {} : { cursor }),
		});
		const read = readAs(pageOf(z.unknown()), page, "list of jobs");
		if (read.nextCursor === null && items.length === 0) return { items: read.items, answer: page.text, more: false };
		items.push(...read.items);
		cursor = read.nextCursor;
	} while (cursor !== null && items.length < limit);
	return { items, answer: JSON.stringify({ items, nextCursor: cursor }), more: cursor !== null };
}

function jobTable(ctx: CommandContext, rows: readonly Job[]): string {
	const nowMs = ctx.io.nowMs();
	return table<Job>(
		ctx.io,
		[
			{ head: "JOB", cell: (j) => j.id },
			{ head: "NAME", cell: (j) => j.name },
			{ head: "TEAM", cell: (j) => j.team },
			{ head: "CLASS", cell: (j) => label(j.class) },
			{ head: "STATE", cell: (j) => j.state, style: (j) => styleOfState(j.state) },
			{ head: "GPUS", cell: (j) => String(j.gpus), right: true },
			{ head: "SUBMITTED", cell: (j) => ago(j.submittedAt, nowMs), right: true },
			{ head: "RAN", cell: (j) => ran(j, nowMs), right: true },
			{ head: "COST", cell: (j) => money(j.costMicroUsd), right: true },
			{ head: "PLACE", cell: (j) => place(j.placement) },
			{ head: "WHY", cell: (j) => (j.state === "succeeded" || j.state === "running" ? "" : j.reason.message) },
		],
		rows,
		{ empty: "No jobs match." },
	);
}

function ran(job: Job, nowMs: number): string {
	if (job.startedAt === null) return NONE;
	const end = job.finishedAt === null ? nowMs : Date.parse(job.finishedAt);
	return duration(Math.max(0, end - Date.parse(job.startedAt)));
}
