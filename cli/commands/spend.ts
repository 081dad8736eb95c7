import type { z } from "zod";
import { jobSpendSchema, spendSchema } from "#server/contract/outputs/spend.ts";
import { badInput } from "../args.ts";
import { type Answer, readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT, type ExitCode, oneLine } from "../exit.ts";
import { exactMoney, exactMoneyIn, exactTime, gpuHours, grams } from "../render/format.ts";
import { styled } from "../render/style.ts";
import { table } from "../render/table.ts";
import { FILTER_OPTIONS, filterQuery } from "../spend-filters.ts";

export const spend: Command = {
	name: "spend",
	usage: "[--from DAY] [--to DAY] [--by WHAT] [filters]",
	summary: "show spend on owned, idle and cloud capacity",
	options: {
		from: { value: "DAY", help: "2026-11-01, or a time such as 2026-11-01T08:00:00Z (default: 30 days before the end)" },
		to: { value: "DAY", help: "up to this day or time, UTC (default: now)" },
		by: {
			value: "WHAT",
			help: "day, week, month, team, project, class, provider, region, capacityType, accelerator, site, kind or job (default: team)",
		},
		currency: { value: "CODE", help: "show amounts in this currency (default: the reporting currency); not with --by job" },
		limit: { value: "N", help: "with --by job: how many (default: 50)" },
		...FILTER_OPTIONS,
	},
	positionals: { min: 0, max: 0, name: "" },
	examples: ["spillway spend", "spillway spend --from 2026-11-01 --to 2026-12-01 --by day", "spillway spend --team risk --by region"],
	async run(ctx) {
		const { args, io } = ctx;
		const groupBy = args.text("by") ?? "team";
		if (args.has("limit") && groupBy !== "job") throw badInput("--limit goes with --by job: the other groups are shown whole.");
		const range = { from: args.text("from"), to: args.text("to") };
		const limit = args.wholeNumber("limit", { min: 1, max: 500 });
		const query = { ...range, groupBy, limit, currency: args.text("currency"), ...filterQuery(args) };
		const answer = await ctx.client.get("/spend", query);
		if (ctx.json) {
			io.out(`${answer.text}\n`);
			return EXIT.done;
		}
		return groupBy === "job" ? showJobs(ctx, answer) : showGroups(ctx, answer);
	},
};

function showGroups({ io }: CommandContext, answer: Answer): ExitCode {
	const { items, totals, fromMs, toMs, groupBy, rates } = readAs(spendSchema, answer, "spend");
	const money = (sums: (typeof items)[number] | typeof totals, part: "owned" | "idle" | "cloud" | "total"): string =>
		sums.converted && rates ? exactMoneyIn(oneLine(rates.currency), sums.converted[`${part}Micro`]) : exactMoney(sums[`${part}MicroUsd`]);
	const co2 = (milligrams: string): string => grams(Number(milligrams) / 1_000);
	io.out(
		table(
			io,
			[
				{ head: groupBy.replace(/[A-Z]/g, (c) => ` ${c}`).toUpperCase(), cell: (i) => (i.key === "" ? "(none)" : i.key) },
				{ head: "OWNED", cell: (i) => money(i, "owned"), right: true },
				{ head: "IDLE", cell: (i) => money(i, "idle"), right: true },
				{ head: "CLOUD", cell: (i) => money(i, "cloud"), right: true },
				{ head: "TOTAL", cell: (i) => money(i, "total"), right: true },
				{ head: "GPU-H", cell: (i) => gpuHours(i.gpuMs), right: true },
				{ head: "CO2 (EST.)", cell: (i) => co2(i.emissionsMilligrams), right: true },
			],
			items,
			{
				empty: "Nothing was spent in this time.",
				totals: [
					"total",
					...(["owned", "idle", "cloud", "total"] as const).map((part) => money(totals, part)),
					gpuHours(totals.gpuMs),
					co2(totals.emissionsMilligrams),
				],
			},
		),
	);
	io.err(`${styled(io, "dim", `${exactTime(fromMs)} to ${exactTime(toMs)}, in whole hours`)}\n`);
	if (rates?.from) io.err(`${styled(io, "dim", ratesText(rates))}\n`);
	return EXIT.done;
}

/** Source of the rates: "EUR at the rates of 2026-11-02 to 2026-11-25 (ECB)". */
const ratesText = ({ currency, from, to, sources }: NonNullable<SpendView["rates"]>): string =>
	`${oneLine(currency)} at the rates of ${from === to ? from : `${from} to ${to}`} (${sources.map(oneLine).join("; ")})`;

type SpendView = z.output<typeof spendSchema>;

/** Whole months, most expensive first. */
function showJobs({ io }: CommandContext, answer: Answer): ExitCode {
	const { items, fromMs, toMs, nextCursor } = readAs(jobSpendSchema, answer, "spend");
	io.out(
		table(
			io,
			[
				{ head: "JOB", cell: (i) => i.name },
				{ head: "ID", cell: (i) => i.key },
				{ head: "TEAM", cell: (i) => i.team },
				{ head: "STATE", cell: (i) => i.state },
				{ head: "TOTAL", cell: (i) => exactMoney(i.totalMicroUsd), right: true },
				{ head: "GPU-H", cell: (i) => gpuHours(i.gpuMs), right: true },
				{ head: "CO2 (EST.)", cell: (i) => grams(Number(i.emissionsMilligrams) / 1_000), right: true },
			],
			items,
			{ empty: "No job was charged in these months." },
		),
	);
	const more = nextCursor === null ? "" : `; the most expensive ${items.length}, --limit N shows more`;
	io.err(`${styled(io, "dim", `${exactTime(fromMs)} to ${exactTime(toMs)}, in whole months${more}`)}\n`);
	return EXIT.done;
}
