import path from "node:path";
import { z } from "zod";
import { electricityPricesSetSchema, measuredPowerSetSchema, poolRatesSchema, rateCardSetSchema } from "#server/contract/outputs/rates.ts";
import { badInput } from "../args.ts";
import { readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT, type ExitCode, oneLine } from "../exit.ts";
import { readDocument } from "../read-document.ts";
import { readTextFile } from "../read-text-file.ts";
import { count, exactMoney, exactTime } from "../render/format.ts";
import { fields, heading, table } from "../render/table.ts";

/** A card has at most a thousand assets. */
const CARD_BYTES_MAX = 1_000_000;

export const rates: Command = {
	name: "rates",
	usage:
		"[show SITE/POOL | set SITE/POOL -f FILE | measured SITE/POOL --from DATE --to DATE --kwh N | electricity SITE -f FILE | discounts [-f FILE] | commitments [-f FILE]]",
	summary: "manage pool rate cards, cloud discounts and commitments",
	details:
		"A rate card file has effectiveFrom (a date or time; default: now), message and card (docs/costs.md). Setting one for the past posts corrections. measured records the energy that a pool's machines used, before PUE, instead of the estimate. electricity imports a site's price per kWh by UTC hour: CSV with ts and usd_per_kwh or usd_per_mwh, gzipped or not. discounts and commitments are lists; -f replaces the whole list.",
	options: {
		file: { short: "f", value: "FILE", help: "rate card, YAML or JSON, or electricity prices, CSV; - reads it from stdin" },
		message: { value: "TEXT", help: "reason (default: from the file); for measured and electricity: the source" },
		from: { value: "DATE", help: "measured: a date of the ledger's calendar, or a time" },
		to: { value: "DATE", help: "measured: end, not included" },
		kwh: { value: "N", help: "measured: energy of all machines of the pool, at most six decimals" },
	},
	positionals: { min: 0, max: 2, name: "VERB SITE/POOL" },
	examples: [
		"spillway rates",
		"spillway rates show local/local",
		'spillway rates set local/local -f card.yaml --message "New power contract"',
		'spillway rates measured local/local --from 2026-10-01 --to 2026-11-01 --kwh 4120.5 --message "PDU 7 and 8"',
		'spillway rates electricity local -f day-ahead.csv --message "EPEX spot, DE-LU"',
		"spillway rates discounts -f discounts.yaml",
	],
	async run(ctx) {
		const [verb, pool] = ctx.args.positionals;
		if (verb === undefined) return list(ctx);
		if (verb === "discounts" || verb === "commitments") {
			if (pool !== undefined) throw badInput(`${verb} apply to all sites: spillway rates ${verb} [-f FILE]`);
			return boughtAhead(ctx, verb);
		}
		if (verb === "electricity") return electricity(ctx, pool);
		const [site, id, ...more] = (pool ?? "").split("/");
		if (!site || !id || more.length > 0) throw badInput(`Name the pool as SITE/POOL, for example: spillway rates ${verb} local/local`);
		const at = `/sites/${encodeURIComponent(site)}/pools/${encodeURIComponent(id)}/rate-card`;
		if (verb === "show") return show(ctx, at);
		if (verb === "set") return set(ctx, at);
		if (verb === "measured") return measured(ctx, at.replace(/rate-card$/, "measured-power"));
		throw badInput(
			`There is no "rates ${verb}". There are: rates, rates show SITE/POOL, rates set SITE/POOL -f FILE, rates measured SITE/POOL, rates electricity SITE -f FILE, rates discounts, rates commitments.`,
		);
	},
};

async function list(ctx: CommandContext): Promise<ExitCode> {
	const answer = await ctx.client.get("/rate-cards");
	if (ctx.json) {
		ctx.io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	const { items } = readAs(z.looseObject({ items: z.array(poolRatesSchema) }), answer, "rate cards");
	ctx.io.out(
		table(
			ctx.io,
			[
				{ head: "POOL", cell: (p) => `${p.siteId}/${p.poolId}` },
				{ head: "GPUS", cell: (p) => `${p.gpus} ${p.accelerator}` },
				{ head: "BUSY GPU-H", cell: (p) => exactMoney(p.month?.busyMicroUsdPerGpuHour ?? p.flatMicroUsdPerGpuHour), right: true },
				{ head: "IDLE GPU-H", cell: (p) => exactMoney(p.month?.idleMicroUsdPerGpuHour ?? p.flatMicroUsdPerGpuHour), right: true },
				{ head: "SINCE", cell: (p) => (p.current ? exactTime(Date.parse(p.current.effectiveFrom)) : "no card: flat price") },
			],
			items,
			{ empty: "No owned pools." },
		),
	);
	return EXIT.done;
}

async function show(ctx: CommandContext, at: string): Promise<ExitCode> {
	const answer = await ctx.client.get(at);
	if (ctx.json) {
		ctx.io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	const { current, month, history, ...pool } = readAs(poolRatesSchema, answer, "rate card");
	const { io } = ctx;
	io.out(`${heading(io, `${pool.siteId}/${pool.poolId}: ${count(pool.gpus, "GPU")} ${pool.accelerator}`)}\n`);
	if (!current || !month) {
		io.out(`No rate card in force yet: each GPU-hour costs ${exactMoney(pool.flatMicroUsdPerGpuHour)}.\n`);
		return EXIT.done;
	}
	io.out(
		fields(io, [
			["since", exactTime(Date.parse(current.effectiveFrom))],
			["set by", `${oneLine(current.author)}: ${oneLine(current.message)}`],
			["depreciation", `${exactMoney(month.depreciationMicroUsd)} this month, for ${count(current.card.assets.length, "asset")}`],
			["rack", exactMoney(month.rackMicroUsd)],
			["network", exactMoney(month.networkMicroUsd)],
			["support", exactMoney(month.supportMicroUsd)],
			["staff", exactMoney(month.staffMicroUsd)],
			["electricity", electricityText(month)],
			["busy GPU-hour", exactMoney(month.busyMicroUsdPerGpuHour)],
			["idle GPU-hour", exactMoney(month.idleMicroUsdPerGpuHour)],
		]),
	);
	io.out(`\n${heading(io, "History")}\n`);
	io.out(
		table(
			io,
			[
				{ head: "COUNTS FROM", cell: (c) => exactTime(Date.parse(c.effectiveFrom)) },
				{ head: "SET", cell: (c) => exactTime(Date.parse(c.createdAt)) },
				{ head: "BY", cell: (c) => oneLine(c.author) },
				{ head: "WHY", cell: (c) => oneLine(c.message) },
			],
			history,
			{ empty: "None." },
		),
	);
	return EXIT.done;
}

async function set(ctx: CommandContext, at: string): Promise<ExitCode> {
	const card = await readDocument(ctx, {
		usage: "spillway rates set SITE/POOL -f FILE",
		wanted: "card, and may hold effectiveFrom and message (docs/costs.md)",
		bytesMax: CARD_BYTES_MAX,
	});
	const message = ctx.args.text("message");
	const answer = await ctx.client.put(at, message === undefined ? card : { ...card, message });
	if (ctx.json) {
		ctx.io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	const done = readAs(rateCardSetSchema, answer, "answer");
	ctx.io.out(`${done.id}  in force from ${exactTime(Date.parse(done.effectiveFrom))}\n`);
	if (done.corrections > 0) ctx.io.out(`${count(done.corrections, "correction")} posted, ${exactMoney(done.correctedMicroUsd)} in total\n`);
	return EXIT.done;
}

/** A reading at a pool's machines, which replaces the estimate. */
async function measured(ctx: CommandContext, at: string): Promise<ExitCode> {
	const given = Object.fromEntries((["from", "to", "kwh", "message"] as const).map((name) => [name, ctx.args.text(name)]));
	const missing = Object.keys(given).filter((name) => given[name] === undefined);
	if (missing.length > 0)
		throw badInput(
			`Enter the measurement with --from, --to, --kwh and --message; missing: ${missing.map((name) => `--${name}`).join(", ")}`,
		);
	const answer = await ctx.client.put(at, given);
	if (ctx.json) {
		ctx.io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	const done = readAs(measuredPowerSetSchema, answer, "answer");
	ctx.io.out(`${given["kwh"]} kWh measured, replacing an estimate of ${done.estimatedKwh} kWh\n`);
	for (const card of done.cards)
		ctx.io.out(
			`from ${exactTime(Date.parse(card.effectiveFrom))}: ${card.busyWattsPerGpu} W per busy GPU, ${card.idleWattsPerGpu} W per idle GPU\n`,
		);
	ctx.io.out(`${count(done.corrections, "correction")} posted, ${exactMoney(done.correctedMicroUsd)} in total\n`);
	return EXIT.done;
}

/** Hourly electricity prices of a site. */
async function electricity({ args, io, client, json }: CommandContext, site: string | undefined): Promise<ExitCode> {
	const [file, message] = [args.text("file"), args.text("message")];
	if (!site || site.includes("/") || file === undefined || message === undefined)
		throw badInput('Name the site, the file and where it is from: spillway rates electricity SITE -f FILE --message "EPEX spot, DE-LU"');
	const text = await readTextFile(path.resolve(io.cwd, file));
	const answer = await client.put(`/sites/${encodeURIComponent(site)}/electricity-prices`, { text, message });
	if (json) {
		io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	const done = readAs(electricityPricesSetSchema, answer, "answer");
	const [from, to] = [exactTime(Date.parse(done.from)), exactTime(Date.parse(done.to))];
	io.out(`${from} to ${to}: ${done.added} new, ${done.replaced} replaced, ${done.unchanged} unchanged\n`);
	io.out(`${count(done.corrections, "correction")} posted, ${exactMoney(done.correctedMicroUsd)} in total\n`);
	return EXIT.done;
}

/** The list of discounts or commitments; replaced when a file is given. */
async function boughtAhead(ctx: CommandContext, what: "discounts" | "commitments"): Promise<ExitCode> {
	const replaces = ctx.args.text("file") !== undefined;
	const answer = replaces
		? await ctx.client.put(
				`/${what}`,
				await readDocument(ctx, { usage: `spillway rates ${what} -f FILE`, wanted: "items (docs/costs.md)", bytesMax: CARD_BYTES_MAX }),
			)
		: await ctx.client.get(`/${what}`);
	if (ctx.json) {
		ctx.io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	const time = (iso: string | null | undefined): string => (iso ? exactTime(Date.parse(iso)) : "open");
	if (what === "discounts") {
		const { items } = readAs(z.looseObject({ items: z.array(discountShape) }), answer, "discounts");
		ctx.io.out(
			table(
				ctx.io,
				[
					{ head: "DISCOUNT", cell: (d) => oneLine(d.id) },
					{ head: "SITE", cell: (d) => oneLine(d.siteId) },
					{ head: "OF", cell: (d) => oneLine([d.capacityType, ...d.instanceFamilies, ...d.regions].join(" ")) },
					{ head: "PERCENT", cell: (d) => d.percent, right: true },
					{ head: "FROM", cell: (d) => time(d.from) },
					{ head: "TO", cell: (d) => time(d.to) },
					{ head: "OFFERS NOW", cell: (d) => String(d.offersNow), right: true },
					{ head: "SOURCE", cell: (d) => oneLine(d.source) },
				],
				items,
				{ empty: "No discounts." },
			),
		);
		return EXIT.done;
	}
	const { items } = readAs(z.looseObject({ items: z.array(commitmentShape) }), answer, "commitments");
	ctx.io.out(
		table(
			ctx.io,
			[
				{ head: "COMMITMENT", cell: (c) => oneLine(c.id) },
				{ head: "SITE", cell: (c) => oneLine(c.siteId) },
				{ head: "MACHINES", cell: (c) => oneLine(`${c.instances} ${c.instanceType}`) },
				{ head: "IN", cell: (c) => oneLine(c.zone ?? c.region ?? "every region") },
				{ head: "HOURLY", cell: (c) => exactMoney(c.hourlyMicroUsd), right: true },
				{ head: "UPFRONT", cell: (c) => exactMoney(c.upfrontMicroUsd), right: true },
				{ head: "FROM", cell: (c) => time(c.from) },
				{ head: "TO", cell: (c) => time(c.to) },
			],
			items,
			{ empty: "No reservations or commitments." },
		),
	);
	return EXIT.done;
}

const text = z.string();
const discountShape = z.looseObject({
	...{ id: text, siteId: text, capacityType: text, percent: text, source: text, from: text, to: text.nullable() },
	...{ instanceFamilies: z.array(text), regions: z.array(text), offersNow: z.number() },
});
const commitmentShape = z.looseObject({
	...{ id: text, siteId: text, instanceType: text, instances: z.number(), region: text.nullable(), zone: text.nullish() },
	...{ hourlyMicroUsd: text, upfrontMicroUsd: text, from: text, to: text },
});

function electricityText({
	hours,
	hoursPriced,
	electricitySources,
}: {
	hours: number;
	hoursPriced: number;
	electricitySources: string[];
}): string {
	const from = electricitySources.length > 0 ? ` (${oneLine(electricitySources.join("; "))})` : "";
	return `${hoursPriced} of ${count(hours, "hour")} at hourly prices${from}, the rest at the rate card's`;
}
