import path from "node:path";
import { carbonSchema, importedIntensitySchema } from "#server/contract/outputs/carbon.ts";
import { badInput } from "../args.ts";
import { readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { readTextFile } from "../read-text-file.ts";
import { count, exactTime, gpuHours, grams, NONE } from "../render/format.ts";
import { styled } from "../render/style.ts";
import { table } from "../render/table.ts";

export const carbon: Command = {
	name: "carbon",
	usage: "[--from DAY] [--to DAY] [--by WHAT] | import FILE [--zone ZONE]",
	summary: "show emissions, and import hourly grid intensity",
	details: `
"carbon import FILE" reads CSV with the columns zone, ts and g_per_kwh, or Electricity Maps history as
JSON, gzipped or not. Hours are UTC. Existing charges keep their intensity; imported values apply to
later metering.`,
	options: {
		from: { value: "DAY", help: "2026-11-01, or a time such as 2026-11-01T08:00:00Z (default: 30 days before the end)" },
		to: { value: "DAY", help: "up to this day or time, UTC (default: now)" },
		by: {
			value: "WHAT",
			help: "day, week, month, team, project, class, provider, region, capacityType, accelerator, site or kind (default: team)",
		},
		zone: { value: "ZONE", help: "import: grid zone of the file's hours, such as DE" },
		source: { value: "TEXT", help: "import: source of the values (default: the file's name)" },
	},
	positionals: { min: 0, max: 2, name: "import FILE" },
	examples: ["spillway carbon", "spillway carbon --from 2026-11-01 --by region", "spillway carbon import DE-LU.csv.gz --zone DE"],
	run: (ctx) => (ctx.args.positionals.length === 0 ? show(ctx) : take(ctx)),
};

async function show({ args, io, client, json }: CommandContext): Promise<ExitCode> {
	const answer = await client.get("/carbon", { from: args.text("from"), to: args.text("to"), groupBy: args.text("by") ?? "team" });
	if (json) {
		io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	const { items, totals, fromMs, toMs, groupBy } = readAs(carbonSchema, answer, "carbon");
	const co2 = (milligrams: string): string => grams(Number(milligrams) / 1_000);
	const kwh = (milliWh: string): string => `${(Number(milliWh) / 1e6).toFixed(1)} kWh`;
	const share = (part: string, whole: string): string => (whole === "0" ? NONE : `${((Number(part) / Number(whole)) * 100).toFixed(0)}%`);
	io.out(
		table(
			io,
			[
				{ head: groupBy.replace(/[A-Z]/g, (c) => ` ${c}`).toUpperCase(), cell: (i) => (i.key === "" ? "(none)" : i.key) },
				{ head: "OPERATIONAL", cell: (i) => co2(i.operationalMilligrams), right: true },
				{ head: "EMBODIED", cell: (i) => co2(i.embodiedMilligrams), right: true },
				{ head: "TOTAL", cell: (i) => co2(i.totalMilligrams), right: true },
				{ head: "ENERGY", cell: (i) => kwh(i.energyMilliWh), right: true },
				{ head: "GPU-H", cell: (i) => gpuHours(i.gpuMs), right: true },
			],
			items,
			{
				empty: "No emissions in this period.",
				totals: [
					"total",
					...[totals.operationalMilligrams, totals.embodiedMilligrams, totals.totalMilligrams].map(co2),
					kwh(totals.energyMilliWh),
					gpuHours(totals.gpuMs),
				],
			},
		),
	);
	const quality = [
		`${share(totals.measuredEnergyMilliWh, totals.energyMilliWh)} of the energy is measured`,
		`${share(totals.hourlyGridMilliWh, totals.energyMilliWh)} by hourly grid intensity, the rest by yearly averages`,
		`unknown: emissions of ${gpuHours(totals.emissionsUnknownGpuMs)} GPU-h, manufacture of ${gpuHours(totals.embodiedUnknownGpuMs)} GPU-h`,
		totals.marketUnknownGpuMs === totals.gpuMs
			? "market-based: no power contracts entered"
			: `market-based ${co2(totals.marketMilligrams)}, excluding ${gpuHours(totals.marketUnknownGpuMs)} GPU-h without a contract`,
	];
	io.err(
		`${styled(io, "dim", [`${exactTime(fromMs)} to ${exactTime(toMs)}, in whole hours; operational is location-based`, ...quality].join("\n"))}\n`,
	);
	return EXIT.done;
}

async function take({ args, io, client, json }: CommandContext): Promise<ExitCode> {
	const [verb, file] = args.positionals;
	if (verb !== "import") throw badInput(`There is no "carbon ${verb}". There is: carbon import FILE.`);
	if (file === undefined) throw badInput("Which file? spillway carbon import FILE [--zone ZONE]");
	const text = await readTextFile(path.resolve(io.cwd, file));
	const zone = args.text("zone");
	const answer = await client.post("/carbon/intensities", {
		text,
		source: args.text("source") ?? path.basename(file),
		...(zone === undefined ? {} : { zone }),
	});
	if (json) {
		io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	const done = readAs(importedIntensitySchema, answer, "import");
	for (const { zone: name, hours, fromMs, toMs } of done.zones) {
		io.out(`${name}: ${count(hours, "hour")}, ${exactTime(fromMs)} to ${exactTime(toMs)}\n`);
	}
	io.out(`${done.added} new, ${done.replaced} replaced, ${done.unchanged} unchanged, ${done.kept} kept because their hour has begun\n`);
	io.err(`${styled(io, "dim", done.note)}\n`);
	return EXIT.done;
}
