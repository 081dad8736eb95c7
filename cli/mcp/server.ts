import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { quoteSchema, waitingSchema } from "#server/contract/outputs/decision.ts";
import { jobDetailSchema, logPageSchema, submittedJobSchema } from "#server/contract/outputs/job.ts";
import { type Query, readAs } from "../client.ts";
import type { CommandContext } from "../command.ts";
import { CliError } from "../exit.ts";
import { findJobId } from "../find-job.ts";
import { stripControls } from "../follow-logs.ts";
import { documentOf, jobArgument, jobArguments, logArguments, spendArguments, summaryOf } from "./inputs.ts";
import { SessionLimit, usdOf } from "./session-limit.ts";

/** Version of the tools, not of Spillway. Clients may use it as a cache key. */
const VERSION = "1.0.0";
const INSTRUCTIONS = `Spillway runs GPU jobs on owned clusters and in clouds. Quote a job before you submit it.
Money ends in MicroUsd: millionths of a dollar. Jobs beyond the spending limit wait until a person approves them.`;

const READS = { readOnlyHint: true, openWorldHint: false };
const CANDIDATES_SHOWN = 5;

/** Tools that call the REST API with the caller's token. `limitUsd`: what all jobs of this process may spend in clouds without approval. */
export function buildMcpServer(ctx: CommandContext, limitUsd: number): McpServer {
	const server = new McpServer({ name: "spillway", version: VERSION }, { instructions: INSTRUCTIONS });
	const limit = new SessionLimit(ctx.client, limitUsd);
	addJobTools(server, ctx, limit);
	addReadingTools(server, ctx, limit);
	return server;
}

function addJobTools(server: McpServer, ctx: CommandContext, limit: SessionLimit): void {
	server.registerTool(
		"quote",
		{
			...{ title: "Quote a job", inputSchema: jobArguments, annotations: READS },
			description: "Estimate where, when and at what cost a job would run. Writes nothing.",
		},
		(given) =>
			answer(async () => {
				const { quote, estimateMicroUsd } = await quoteOf(ctx, documentOf(given, ctx.io.env));
				const left = limit.limitMicroUsd - (await limit.usedMicroUsd());
				return { ...quote, isWithinLimit: estimateMicroUsd <= left, limitLeftMicroUsd: String(left > 0n ? left : 0n) };
			}),
	);
	server.registerTool(
		"submit",
		{
			...{ title: "Submit a job", inputSchema: jobArguments, annotations: { readOnlyHint: false, destructiveHint: false } },
			description: "Submit a job. Beyond the spending limit it waits at home, or until a person approves the cloud.",
		},
		(given) =>
			answer(async () => {
				const { estimateMicroUsd } = await quoteOf(ctx, documentOf(given, ctx.io.env));
				const { id, allowanceMicroUsd } = await limit.submit(estimateMicroUsd, async (allowanceUsd) => {
					const sent = await ctx.client.post("/jobs", documentOf(given, ctx.io.env, allowanceUsd));
					return readAs(submittedJobSchema, sent, "job").id;
				});
				const within = allowanceMicroUsd >= estimateMicroUsd;
				const note = within
					? `May spend up to ${usdOf(allowanceMicroUsd)} in clouds without approval.`
					: `The estimate of ${usdOf(estimateMicroUsd)} is beyond the spending limit: a cloud placement above ${usdOf(allowanceMicroUsd)} needs approval.`;
				return { id, state: "queued", estimateMicroUsd: String(estimateMicroUsd), allowanceMicroUsd: String(allowanceMicroUsd), note };
			}),
	);
}

function addReadingTools(server: McpServer, ctx: CommandContext, limit: SessionLimit): void {
	server.registerTool(
		"explain",
		{
			...{ title: "Explain a job", inputSchema: jobArgument, annotations: READS },
			description: "State of a job, why it waits or how it ended, and what would change that.",
		},
		({ job }) => answer(() => explain(ctx, job)),
	);
	server.registerTool(
		"logs",
		{ title: "Read a job's log", description: "The last lines of a job's log.", inputSchema: logArguments, annotations: READS },
		({ job, ...page }) =>
			answer(async () => {
				const id = await findJobId(ctx, job);
				const { attempt, attempts, lines, jobEnded } = readAs(logPageSchema, await ctx.client.get(`/jobs/${id}/logs`, page), "log");
				return { id, attempt, attempts, jobEnded, lines: lines.map(({ text }) => stripControls(text)) };
			}),
	);
	server.registerTool(
		"spend",
		{
			...{ title: "Show spend", inputSchema: spendArguments, annotations: READS },
			description: "What was spent on owned GPUs and in clouds, and what is left of this server's spending limit.",
		},
		(given) =>
			answer(async () => {
				const spend = (await ctx.client.get("/spend", given as Query)).json as Record<string, unknown>;
				const used = await limit.usedMicroUsd();
				return { ...spend, session: { limitMicroUsd: String(limit.limitMicroUsd), usedMicroUsd: String(used) } };
			}),
	);
}

async function explain(ctx: CommandContext, given: string): Promise<Record<string, unknown>> {
	const id = await findJobId(ctx, given);
	const job = readAs(jobDetailSchema, await ctx.client.get(`/jobs/${id}`), "job");
	const { waits, position, expected, changes, suggestions } = readAs(
		waitingSchema,
		await ctx.client.get(`/jobs/${id}/waiting`),
		"explanation",
	);
	const attempts = job.attemptList.map(({ number, state, reason, exitCode }) => ({
		number,
		state,
		reason: reason?.message ?? null,
		exitCode,
	}));
	const waiting = waits && { position, expected, changes, suggestions: suggestions.map(({ sentence }) => sentence) };
	return { ...summaryOf(job), attemptList: attempts, ...(waiting && { waiting }) };
}

/** A quote without the fields that only screens use, plus the highest estimate among eligible places. */
async function quoteOf(ctx: CommandContext, document: unknown): Promise<{ quote: Record<string, unknown>; estimateMicroUsd: bigint }> {
	const quote = readAs(quoteSchema, await ctx.client.post("/quotes", document), "quote");
	const { outcome, reason, expected, runTime, candidates, suggestions, approval, budgetFree, decidedAtMs } = quote;
	const cloud = candidates.filter(({ placement, outcome: fate }) => placement.capacityType !== "owned" && fate !== "removed");
	let estimateMicroUsd = 0n;
	for (const { totalMicroUsd } of cloud) if (BigInt(totalMicroUsd) > estimateMicroUsd) estimateMicroUsd = BigInt(totalMicroUsd);
	return {
		quote: {
			...{ outcome, reason: reason.message, expected, runTime, approval, budgetFree, decidedAtMs },
			estimateMicroUsd: String(estimateMicroUsd),
			candidates: candidates
				.slice(0, CANDIDATES_SHOWN)
				.map(({ placement, start, finish, totalMicroUsd, cashMicroUsd, emissionsGrams }) => ({
					...{ placement, start, finish, totalMicroUsd, cashMicroUsd, emissionsGrams },
				})),
			suggestions: suggestions.map(({ sentence }) => sentence),
		},
		estimateMicroUsd,
	};
}

/** Returns the result as JSON. API errors become tool errors, so that the agent can read and correct them. */
async function answer(work: () => Promise<Record<string, unknown>>): Promise<CallToolResult> {
	try {
		return { content: [{ type: "text", text: JSON.stringify(await work()) }] };
	} catch (error) {
		if (!(error instanceof CliError)) throw error;
		return { content: [{ type: "text", text: error.message }], isError: true };
	}
}
