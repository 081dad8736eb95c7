import { readAs } from "../client.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../exit.ts";
import { count, duration, exactMoney, exactTime, gpuHours, label } from "../render/format.ts";
import { styled } from "../render/style.ts";
import { table } from "../render/table.ts";
import { chargesShape } from "../shapes.ts";
import { FILTER_OPTIONS, filterQuery } from "../spend-filters.ts";

export const charges: Command = {
	name: "charges",
	usage: "[--from DAY] [--to DAY] [--job ID] [filters]",
	summary: "list the charges behind a number, newest first, each with what caused it",
	options: {
		from: { value: "DAY", help: "2026-11-01, or a time such as 2026-11-01T08:00:00Z (default: 30 days before the end)" },
		to: { value: "DAY", help: "up to this day or time, UTC (default: now)" },
		job: { value: "ID", help: "only this job's, by its id" },
		...FILTER_OPTIONS,
		cursor: { value: "CURSOR", help: "go on behind a page: nextCursor of its --json" },
		limit: { value: "N", help: "how many (default: 50)" },
	},
	positionals: { min: 0, max: 0, name: "" },
	examples: [
		"spillway charges --team risk --region us-east-1",
		"spillway charges --from 2026-11-01 --to 2026-11-02 --kind adjustment --json",
	],
	async run({ args, io, client, json }) {
		const selection = { from: args.text("from"), to: args.text("to"), job: args.text("job"), ...filterQuery(args) };
		const page = { cursor: args.text("cursor"), limit: args.wholeNumber("limit", { min: 1, max: 500 }) };
		const answer = await client.get("/charges", { ...selection, ...page });
		if (json) {
			io.out(`${answer.text}\n`);
			return EXIT.done;
		}
		const { items, totals, fromMs, toMs, nextCursor } = readAs(chargesShape, answer, "list of charges");
		io.out(
			table(
				io,
				[
					{ head: "FROM", cell: (c) => exactTime(c.periodStartMs) },
					{ head: "TIME", cell: (c) => duration(c.periodEndMs - c.periodStartMs), right: true },
					{ head: "JOB", cell: (c) => c.jobName ?? "(none)" },
					{ head: "TEAM", cell: (c) => (c.dimensions.team === "" ? "(none)" : c.dimensions.team) },
					{ head: "WHAT", cell: (c) => c.dimensions.kind },
					{
						head: "PLACE",
						cell: (c) => [c.dimensions.provider, c.dimensions.region, label(c.dimensions.capacityType)].filter(Boolean).join(" "),
					},
					{ head: "CAUSE", cell: (c) => c.cause.id },
					{ head: "GPU-H", cell: (c) => gpuHours(c.gpuMs), right: true },
					{ head: "COST", cell: (c) => exactMoney(c.effectiveMicroUsd), right: true },
					{ head: "BILLED", cell: (c) => exactMoney(c.billedMicroUsd), right: true },
				],
				items,
				{
					empty: "Nothing was charged in this selection.",
					totals: [
						...["all", "", "", "", "", "", ""],
						...[gpuHours(totals.gpuMs), exactMoney(totals.effectiveMicroUsd), exactMoney(totals.billedMicroUsd)],
					],
				},
			),
		);
		const shown = nextCursor === null ? "" : ` of which the newest ${items.length} are shown`;
		io.err(`${styled(io, "dim", `${exactTime(fromMs)} to ${exactTime(toMs)}: ${count(Number(totals.charges), "charge")}${shown}`)}\n`);
		return EXIT.done;
	},
};
