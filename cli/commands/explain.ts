import type { z } from "zod";
import { decisionSchema, replaySchema, waitingSchema } from "#server/contract/outputs/decision.ts";
import { pageOf } from "#server/contract/parts.ts";
import { badInput } from "../args.ts";
import { readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { findJobId } from "../find-job.ts";
import { candidateText } from "../render/candidates.ts";
import { count, exactTime, relative } from "../render/format.ts";
import { styled } from "../render/style.ts";
import { clean, fields, heading, table } from "../render/table.ts";

type Decision = z.infer<typeof decisionSchema>;

export const explain: Command = {
	name: "explain",
	usage: "JOB [--replay [--decision ID]]",
	summary: "explain a job's decision: every candidate, its price and why it was excluded",
	details:
		"For a waiting job, also shows what would let it start. --replay repeats the decision with the recorded inputs and policy. The exit code is 0 if the result is identical byte for byte, otherwise 5.",
	options: {
		replay: { help: "repeat the decision and compare the result" },
		decision: { value: "ID", help: "with --replay: this decision instead of the newest; --json lists them" },
	},
	positionals: { min: 1, max: 1, name: "JOB" },
	examples: ["spillway explain language-id", "spillway explain language-id --replay"],
	async run(ctx) {
		const { args } = ctx;
		if (args.has("decision") && !args.has("replay")) throw badInput("--decision names the decision to replay: add --replay.");
		const id = await findJobId(ctx, args.positionals[0] ?? "");
		return args.has("replay") ? replay(ctx, id, args.text("decision")) : explainJob(ctx, id);
	},
};

async function replay({ client, io, json }: CommandContext, id: string, decision: string | undefined): Promise<ExitCode> {
	const answer = await client.get(`/jobs/${id}/replay`, { decision });
	const replayed = readAs(replaySchema, answer, "replay");
	if (json) io.out(`${answer.text}\n`);
	else {
		const { same, recorded, difference, policy, input } = replayed;
		io.out(
			fields(io, [
				["job", id],
				["decision", `${replayed.decisionId}, ${exactTime(replayed.decidedAtMs)}, policy ${policy.name} v${policy.version}`],
				["inputs", `${count(input.pending, "waiting job")}, ${count(input.running, "running attempt")}, ${count(input.offers, "offer")}`],
				["replay", styled(io, "bold", same ? "identical" : "different")],
				["bytes", same ? String(recorded.bytes) : `${recorded.bytes} recorded, ${replayed.replayed.bytes} now`],
				["sha256", same ? recorded.sha256 : `${recorded.sha256} recorded, ${replayed.replayed.sha256} now`],
				[
					"difference",
					difference && clean(`${difference.path || "whole result"}: recorded ${difference.recorded}, now ${difference.replayed}`),
				],
			]),
		);
	}
	return replayed.same ? EXIT.done : EXIT.conflict;
}

async function explainJob(ctx: CommandContext, id: string): Promise<ExitCode> {
	const { client, io } = ctx;
	const answer = await client.get(`/jobs/${id}/decisions`);
	if (ctx.json) {
		io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	const waiting = readAs(waitingSchema, await client.get(`/jobs/${id}/waiting`), "reason to wait");
	const [newest, ...earlier] = readAs(pageOf(decisionSchema), answer, "list of decisions").items;
	if (waiting.waits) io.out(waitingText(ctx, id, waiting));
	if (newest) io.out(decisionText(ctx, id, newest, earlier));
	else if (!waiting.waits) io.out(`No decision for ${id} yet. See its state with: spillway show ${id}\n`);
	return EXIT.done;
}

/** The one reason, and what would change it: time, other people, or a different submission. */
function waitingText({ io }: CommandContext, id: string, { reason, changes, suggestions }: z.infer<typeof waitingSchema>): string {
	const listed = (title: string, sentences: readonly { sentence: string }[]): string =>
		sentences.length === 0 ? "" : `${heading(io, title)}${sentences.map((s) => `${clean(s.sentence)}\n`).join("")}`;
	return [
		fields(io, [
			["job", id],
			["waits", clean(reason.message)],
		]),
		listed("What would let it start", changes),
		listed("Alternatives with one change", suggestions),
		"\n",
	].join("");
}

function decisionText({ io }: CommandContext, id: string, newest: Decision, earlier: readonly Decision[]): string {
	const attempt = newest.attemptNumber === null ? "" : `, attempt ${newest.attemptNumber}`;
	const parts = [
		fields(io, [
			["job", id],
			["decided", `${exactTime(newest.decidedAtMs)} (${relative(newest.decidedAtMs, io.nowMs())})${attempt}`],
			["reason", clean(newest.reason.message)],
		]),
		`${heading(io, "Candidates at the time of the decision")}${candidateText(io, newest, newest.decidedAtMs)}`,
	];
	if (earlier.length > 0) {
		const columns = [
			{ head: "WHEN", cell: (d: Decision) => exactTime(d.decidedAtMs) },
			{ head: "ATTEMPT", cell: (d: Decision) => (d.attemptNumber === null ? "–" : String(d.attemptNumber)), right: true as const },
			{ head: "DECISION", cell: (d: Decision) => d.reason.message },
		];
		parts.push(`${heading(io, "Before")}${table(io, columns, earlier, { empty: "" })}`);
	}
	return parts.join("");
}
