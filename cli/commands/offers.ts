import path from "node:path";
import { z } from "zod";
import { importedPricesSchema, offersPageSchema, priceSnapshotSchema } from "#server/contract/outputs/capacity.ts";
import { badInput } from "../args.ts";
import { readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT, type ExitCode, oneLine } from "../exit.ts";
import { readTextFile } from "../read-text-file.ts";
import { ago, count, exactMoney, exactTime, hourly, label, NONE, relative } from "../render/format.ts";
import { styled } from "../render/style.ts";
import { table } from "../render/table.ts";
import type { Offer } from "../response-types.ts";

const LIMIT_DEFAULT = 25;
const LIMIT_MAX = 500;
const CAPACITY = ["spot", "on_demand", "reserved"];
const REFUSED: Readonly<Record<string, string>> = { insufficient_capacity: "no capacity", quota_exceeded: "over quota" };

export const offers: Command = {
	name: "offers",
	usage: "[--accelerator MODEL] [--region REGION] [--capacity TYPE] [--limit N] | import FILE --message SOURCE | snapshots",
	summary: "list cloud offers, cheapest GPU-hour first, and import list prices",
	details: `
Offers with a stale, implausible or unknown price are listed last, with the reason, and are never chosen.

"offers import FILE" reads CSV, gzipped or not, with the columns provider, instance_type, region, capacity_type,
usd_per_hour and as_of. These prices apply where the provider's live price list cannot be read. "offers snapshots"
lists the imports.`,
	options: {
		accelerator: { value: "MODEL", help: "one GPU model, for example H100-80GB" },
		region: { value: "REGION", help: "one region, for example us-east-1" },
		capacity: { value: "TYPE", help: "spot, on_demand or reserved" },
		gpus: { value: "N", help: "at least this many GPUs per machine" },
		message: { value: "SOURCE", help: "import: where the prices were published" },
		limit: { value: "N", help: `how many, at most ${LIMIT_MAX} (default: ${LIMIT_DEFAULT})` },
	},
	positionals: { min: 0, max: 2, name: "VERB" },
	examples: [
		"spillway offers --accelerator H100-80GB",
		"spillway offers --capacity spot --region us-east-1 --json",
		'spillway offers import prices.csv --message "AWS price list"',
	],
	async run(ctx) {
		const [verb, file] = ctx.args.positionals;
		if (verb === undefined) return list(ctx);
		if (verb === "import") return importPrices(ctx, file);
		if (verb === "snapshots") return listSnapshots(ctx);
		throw badInput(`There is no "offers ${verb}". There are: offers, offers import FILE --message SOURCE, offers snapshots.`);
	},
};

async function list(ctx: CommandContext): Promise<ExitCode> {
	const { args, io } = ctx;
	const capacity = args.text("capacity");
	if (capacity !== undefined && !CAPACITY.includes(capacity))
		throw badInput(`--capacity: "${capacity}" is none of ${CAPACITY.join(", ")}.`);
	const limit = args.wholeNumber("limit", { min: 1, max: LIMIT_MAX }) ?? LIMIT_DEFAULT;
	const answer = await ctx.client.get("/offers", {
		...{ limit, accelerator: args.text("accelerator"), region: args.text("region"), capacity },
		gpus: args.wholeNumber("gpus", { min: 1, max: 16 }),
	});
	if (ctx.json) {
		io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	const { items, total } = readAs(offersPageSchema, answer, "list of offers");
	const nowMs = io.nowMs();
	io.out(
		table<Offer>(
			io,
			[
				{ head: "TYPE", cell: (o) => o.instanceType },
				{ head: "CAPACITY", cell: (o) => label(o.capacityType) },
				{ head: "WHERE", cell: (o) => `${o.provider} ${o.zone ?? o.region}` },
				{ head: "GPUS", cell: (o) => `${o.gpus} × ${o.accelerator}` },
				{ head: "A GPU-HOUR", cell: (o) => (o.microUsdPerGpuHour === null ? NONE : exactMoney(o.microUsdPerGpuHour)), right: true },
				{ head: "PRICE", cell: (o) => (o.microUsdPerHour === null ? NONE : hourly(o.microUsdPerHour)), right: true },
				{ head: "PRICED", cell: (o) => ago(o.priceObservedAt, nowMs), right: true },
				{ head: "SITE", cell: (o) => o.siteId },
				{ head: "WHY NOT", cell: (o) => whyNot(o, nowMs) },
			],
			items,
			{ empty: "No offer fits. Prices are read from every connected cloud while the scheduler runs: spillway site ls" },
		),
	);
	if (total > items.length) io.err(`${styled(io, "dim", `${items.length} of ${count(total, "offer")}; --limit N shows more.`)}\n`);
	return EXIT.done;
}

async function importPrices({ args, io, client, json }: CommandContext, file: string | undefined): Promise<ExitCode> {
	const message = args.text("message");
	if (file === undefined || message === undefined)
		throw badInput('Name the file and its source: spillway offers import FILE --message "AWS price list"');
	const answer = await client.put("/price-snapshots", { text: await readTextFile(path.resolve(io.cwd, file)), message });
	if (json) io.out(`${answer.text}\n`);
	else {
		const { providers, from, to, added, replaced, unchanged, older, ignored } = readAs(importedPricesSchema, answer, "answer");
		const sums = `${added} new, ${replaced} replaced, ${unchanged} unchanged, ${older} older than imported before, ${ignored} of other machines ignored`;
		io.out(`${providers.map(oneLine).join(", ")}, ${from} to ${to}: ${sums}\n`);
	}
	return EXIT.done;
}

async function listSnapshots({ io, client, json }: CommandContext): Promise<ExitCode> {
	const answer = await client.get("/price-snapshots");
	if (json) {
		io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	const { items } = readAs(z.looseObject({ items: z.array(priceSnapshotSchema) }), answer, "list of imported prices");
	io.out(
		table(
			io,
			[
				{ head: "IMPORTED", cell: (s) => exactTime(Date.parse(s.importedAt)) },
				{ head: "PROVIDER", cell: (s) => oneLine(s.provider) },
				{ head: "PRICES", cell: (s) => String(s.prices), right: true },
				{ head: "FROM", cell: (s) => s.from },
				{ head: "TO", cell: (s) => s.to },
				{ head: "SOURCE", cell: (s) => oneLine(s.source) },
			],
			items,
			{ empty: "No imported prices. Import them: spillway offers import FILE --message SOURCE" },
		),
	);
	return EXIT.done;
}

function whyNot(o: Offer, nowMs: number): string {
	const backoff = o.backoffUntil !== null && Date.parse(o.backoffUntil) > nowMs;
	return [
		...(o.quarantine === null ? [] : [o.quarantine]),
		...(o.microUsdPerHour === null && o.quarantine === null ? [`no price: ${o.priceSource}`] : []),
		...(o.priceStale && o.microUsdPerHour !== null ? ["price is stale"] : []),
		...(o.reservedFree === 0 ? ["fully used"] : []),
		...(o.quota && o.quota.gpusFree < o.gpus ? [`quota ${oneLine(o.quota.name)}: ${o.quota.used} of ${o.quota.limit} used`] : []),
		...(backoff
			? [`${REFUSED[o.backoffReason ?? ""] ?? o.backoffReason}, retry ${relative(Date.parse(o.backoffUntil ?? ""), nowMs)}`]
			: []),
	].join("; ");
}
