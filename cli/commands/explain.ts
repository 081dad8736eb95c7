import { z } from "zod";
import { readAs } from "../client.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../exit.ts";
import { findJobId } from "../find-job.ts";
import { candidateText } from "../render/candidates.ts";
import { exactTime, relative } from "../render/format.ts";
import { clean, fields, heading, table } from "../render/table.ts";
import { explanationShape, pageOf } from "../shapes.ts";

const decisionShape = explanationShape.extend({ attemptNumber: z.number().nullable() });

export const explain: Command = {
	name: "explain",
	usage: "JOB",
	summary: "say what was decided for a job and why: every place, its price, and what removed it",
	options: {},
	positionals: { min: 1, max: 1, name: "JOB" },
	examples: ["spillway explain language-id"],
	async run(ctx) {
		const { io } = ctx;
		const id = await findJobId(ctx, ctx.args.positionals[0] ?? "");
		const answer = await ctx.client.get(`/jobs/${id}/decisions`);
		if (ctx.json) {
			io.out(`${answer.text}\n`);
			return EXIT.done;
		}
		const [newest, ...earlier] = readAs(pageOf(decisionShape), answer, "list of decisions").items;
		if (!newest) {
			io.out(`Nothing was decided for ${id} yet; spillway show ${id} says how it stands.\n`);
			return EXIT.done;
		}
		io.out(
			fields(io, [
				["job", id],
				[
					"decided",
					`${exactTime(newest.decidedAtMs)} (${relative(newest.decidedAtMs, io.nowMs())})${newest.attemptNumber === null ? "" : `, attempt ${newest.attemptNumber}`}`,
				],
				["reason", clean(newest.reason.message)],
			]),
		);
		io.out(`${heading(io, "Places, as they were then")}${candidateText(io, newest, newest.decidedAtMs)}`);
		if (earlier.length > 0) {
			const columns = [
				{ head: "WHEN", cell: (d: (typeof earlier)[number]) => exactTime(d.decidedAtMs) },
				{
					head: "ATTEMPT",
					cell: (d: (typeof earlier)[number]) => (d.attemptNumber === null ? "–" : String(d.attemptNumber)),
					right: true as const,
				},
				{ head: "DECISION", cell: (d: (typeof earlier)[number]) => d.reason.message },
			];
			io.out(`${heading(io, "Before")}${table(io, columns, earlier, { empty: "" })}`);
		}
		return EXIT.done;
	},
};
