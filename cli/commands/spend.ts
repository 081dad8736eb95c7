import { readAs } from "../client.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../exit.ts";
import { exactMoney, exactTime, gpuHours, grams } from "../render/format.ts";
import { styled } from "../render/style.ts";
import { table } from "../render/table.ts";
import { spendShape } from "../shapes.ts";

export const spend: Command = {
	name: "spend",
	usage: "[--from DAY] [--to DAY] [--by WHAT]",
	summary: "say what was spent: owned, idle and cloud",
	options: {
		from: { value: "DAY", help: "2026-11-01, or a time such as 2026-11-01T08:00:00Z (default: 30 days before the end)" },
		to: { value: "DAY", help: "up to this day or time, UTC (default: now)" },
		by: { value: "WHAT", help: "day, team, project, class, provider, region, capacityType, accelerator or site (default: team)" },
	},
	positionals: { min: 0, max: 0, name: "" },
	examples: ["spillway spend", "spillway spend --from 2026-11-01 --to 2026-12-01 --by day"],
	async run(ctx) {
		const { args, io } = ctx;
		const answer = await ctx.client.get("/spend", { from: args.text("from"), to: args.text("to"), groupBy: args.text("by") ?? "team" });
		if (ctx.json) {
			io.out(`${answer.text}\n`);
			return EXIT.done;
		}
		const { items, totals, fromMs, toMs, groupBy } = readAs(spendShape, answer, "spend");
		const co2 = (milligrams: string): string => grams(Number(milligrams) / 1_000);
		io.out(
			table(
				io,
				[
					{ head: groupBy.replace(/[A-Z]/g, (c) => ` ${c}`).toUpperCase(), cell: (i) => (i.key === "" ? "(none)" : i.key) },
					{ head: "OWNED", cell: (i) => exactMoney(i.ownedMicroUsd), right: true },
					{ head: "IDLE", cell: (i) => exactMoney(i.idleMicroUsd), right: true },
					{ head: "CLOUD", cell: (i) => exactMoney(i.cloudMicroUsd), right: true },
					{ head: "TOTAL", cell: (i) => exactMoney(i.totalMicroUsd), right: true },
					{ head: "GPU-H", cell: (i) => gpuHours(i.gpuMs), right: true },
					{ head: "CO2 (EST.)", cell: (i) => co2(i.emissionsMilligrams), right: true },
				],
				items,
				{
					empty: "Nothing was spent in this time.",
					totals: [
						"total",
						...[totals.ownedMicroUsd, totals.idleMicroUsd, totals.cloudMicroUsd, totals.totalMicroUsd].map(exactMoney),
						gpuHours(totals.gpuMs),
						co2(totals.emissionsMilligrams),
					],
				},
			),
		);
		io.err(`${styled(io, "dim", `${exactTime(fromMs)} to ${exactTime(toMs)}, in whole hours`)}\n`);
		return EXIT.done;
	},
};
