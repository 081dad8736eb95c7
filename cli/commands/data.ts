import { z } from "zod";
import { badInput } from "../args.ts";
import { type Answer, readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT, type ExitCode, oneLine } from "../exit.ts";
import { readDocument } from "../read-document.ts";
import { about, bytes, exactTime } from "../render/format.ts";
import { heading, table } from "../render/table.ts";

const dataSetsShape = z.looseObject({
	items: z.array(z.looseObject({ uri: z.string(), copies: z.array(z.looseObject({ at: z.string(), uri: z.string() })) })),
	stores: z.array(z.looseObject({ at: z.string(), uri: z.string() })).default([]),
	stored: z
		.array(
			z.looseObject({
				...{ uri: z.string(), at: z.string(), asOfMs: z.number().nullable(), copying: z.boolean(), error: z.string().nullable() },
				...{ team: z.string().nullable(), bytes: z.number().nullable(), microUsdPerMonth: z.string().nullable() },
				deletedAtMs: z.number().nullable(),
			}),
		)
		.default([]),
	caches: z
		.array(
			z.looseObject({
				...{ at: z.string(), limitGiB: z.number().nullable(), otherSets: z.number(), otherBytes: z.number() },
				sets: z.array(z.looseObject({ uri: z.string(), bytes: z.number(), usedAtMs: z.number() })),
			}),
		)
		.default([]),
	sharing: z
		.array(
			z.looseObject({
				...{ uri: z.string(), at: z.string(), jobs: z.number(), savedMicroUsd: z.number(), costMicroUsd: z.number().nullable() },
				...{ isWorth: z.boolean(), share: z.boolean() },
			}),
		)
		.default([]),
	inbound: z.array(
		z.looseObject({
			...{ from: z.string(), place: z.string(), mibPerS: z.number(), lowMiBPerS: z.number(), highMiBPerS: z.number() },
			...{ transfers: z.number(), newestAtMs: z.number().nullable() },
		}),
	),
});

/** Two thousand data sets with a few copies each. */
const LIST_BYTES_MAX = 4_000_000;

export const data: Command = {
	name: "data",
	usage: "[set -f FILE]",
	summary: "show data set copies, transfers and link speeds",
	details:
		"set replaces the whole list (docs/data.md). items: each has the uri that jobs use and its copies, each with at (a region such as aws:us-east-1, or an owned site) and the uri there. With readUri (the address for the scheduler), copies elsewhere are made from there. freshDays: how long copies that Spillway made count for later jobs. stores: regions and owned sites that data sets may be copied to before a job starts; with share, also for later jobs.",
	options: { file: { short: "f", value: "FILE", help: "the list, YAML or JSON; - reads it from stdin" } },
	positionals: { min: 0, max: 1, name: "VERB" },
	examples: ["spillway data", "spillway data set -f copies.yaml"],
	async run(ctx) {
		const [verb] = ctx.args.positionals;
		if (verb === undefined) return show(ctx, await ctx.client.get("/data-sets"));
		if (verb === "set") {
			const list = await readDocument(ctx, {
				usage: "spillway data set -f FILE",
				wanted: "items (docs/data.md)",
				bytesMax: LIST_BYTES_MAX,
			});
			return show(ctx, await ctx.client.put("/data-sets", list));
		}
		throw badInput(`There is no "data ${verb}". There are: data, data set -f FILE.`);
	},
};

function show({ io, json }: CommandContext, answer: Answer): ExitCode {
	if (json) {
		io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	const { items, stores, stored, caches, sharing, inbound } = readAs(dataSetsShape, answer, "data sets");
	const copies = items.flatMap(({ uri, copies: all }) => all.map((copy) => ({ set: uri, ...copy })));
	const columns = [
		{ head: "DATA SET", cell: (c: (typeof copies)[number]) => oneLine(c.set) },
		{ head: "AT", cell: (c: (typeof copies)[number]) => oneLine(c.at) },
		{ head: "AS", cell: (c: (typeof copies)[number]) => oneLine(c.uri) },
	];
	io.out(table(io, columns, copies, { empty: "No copies registered. Each data set is read from the uri in the job." }));
	if (stores.length > 0) io.out(`\n${heading(io, "Stores and their copies")}\n`);
	const rows = stores.flatMap(({ at, uri }) => {
		const there: ((typeof stored)[number] | null)[] = stored.filter((copy) => copy.at === at);
		return (there.length === 0 ? [null] : there).map((copy) => ({ at, uri, copy }));
	});
	type Row = (typeof rows)[number];
	const ofCopy = (cell: (copy: NonNullable<Row["copy"]>) => string) => (row: Row) => (row.copy === null ? "" : oneLine(cell(row.copy)));
	const kept = [
		{ head: "PLACE", cell: (row: Row) => row.at },
		{ head: "STORE", cell: (row: Row) => oneLine(row.uri) },
		{ head: "DATA SET", cell: ofCopy((copy) => copy.uri) },
		{ head: "TEAM", cell: ofCopy((copy) => copy.team ?? "") },
		{ head: "SIZE", cell: ofCopy((copy) => (copy.bytes === null ? "" : bytes(copy.bytes))), right: true as const },
		{
			head: "PER MONTH",
			cell: ofCopy((copy) => (copy.microUsdPerMonth === null ? "" : about(copy.microUsdPerMonth))),
			right: true as const,
		},
		{ head: "DELETED", cell: ofCopy((copy) => (copy.deletedAtMs === null ? "in use" : exactTime(copy.deletedAtMs))) },
		{ head: "STATE", cell: ofCopy(stateOf) },
	];
	if (stores.length > 0) io.out(table(io, kept, rows, { empty: "None." }));
	showSharing(io, sharing);
	showCaches(io, caches);
	if (inbound.length === 0) return EXIT.done;
	io.out(`\n${heading(io, "Link speeds into regions")}\n`);
	type Link = (typeof inbound)[number];
	const nameOf = (end: string): string => (end === "*" ? "any" : oneLine(end));
	const speeds = [
		{ head: "FROM", cell: (s: Link) => nameOf(s.from) },
		{ head: "TO", cell: (s: Link) => nameOf(s.place) },
		{ head: "MIB/S", cell: (s: Link) => s.mibPerS.toFixed(1), right: true as const },
		{ head: "RANGE", cell: (s: Link) => `${s.lowMiBPerS.toFixed(0)}–${s.highMiBPerS.toFixed(0)}`, right: true as const },
		{ head: "SOURCE", cell: (s: Link) => (s.transfers === 0 ? "published figures" : `${s.transfers} transfers`) },
		{ head: "NEWEST", cell: (s: Link) => (s.newestAtMs === null ? "" : new Date(s.newestAtMs).toISOString().slice(0, 10)) },
	];
	io.out(table(io, speeds, inbound, { empty: "None." }));
	return EXIT.done;
}

type DataSets = z.output<typeof dataSetsShape>;

function showSharing(io: CommandContext["io"], sharing: DataSets["sharing"]): void {
	if (sharing.length === 0) return;
	type Row = (typeof sharing)[number];
	const money = (microUsd: number) => about(String(microUsd));
	const columns = [
		{ head: "PLACE", cell: (row: Row) => row.at },
		{ head: "DATA SET", cell: (row: Row) => oneLine(row.uri) },
		{ head: "JOBS", cell: (row: Row) => String(row.jobs), right: true as const },
		{ head: "SAVES", cell: (row: Row) => money(row.savedMicroUsd), right: true as const },
		{ head: "COSTS", cell: (row: Row) => (row.costMicroUsd === null ? "no price" : money(row.costMicroUsd)), right: true as const },
		{ head: "COPY", cell: (row: Row) => (row.isWorth ? (row.share ? "yes" : "worth it; share is off") : "no") },
	];
	io.out(`\n${heading(io, "Copies for later jobs (30 days)")}\n${table(io, columns, sharing, { empty: "None." })}`);
}

function showCaches(io: CommandContext["io"], caches: DataSets["caches"]): void {
	if (caches.length === 0) return;
	const rows = caches.flatMap(({ at, limitGiB, sets, otherSets, otherBytes }) => [
		...sets.map(({ uri, bytes: size, usedAtMs }) => ({ at, uri, size, used: exactTime(usedAtMs), limitGiB })),
		...(otherSets > 0 ? [{ at, uri: `${otherSets} not listed`, size: otherBytes, used: "", limitGiB }] : []),
	]);
	type Row = (typeof rows)[number];
	const columns = [
		{ head: "SITE", cell: (row: Row) => oneLine(row.at) },
		{ head: "DATA SET", cell: (row: Row) => oneLine(row.uri) },
		{ head: "SIZE", cell: (row: Row) => bytes(row.size), right: true as const },
		{ head: "LIMIT", cell: (row: Row) => (row.limitGiB === null ? "" : `${row.limitGiB} GiB`), right: true as const },
		{ head: "LAST USED", cell: (row: Row) => row.used },
	];
	io.out(`\n${heading(io, "Data caches")}\n${table(io, columns, rows, { empty: "None." })}`);
}

function stateOf({ asOfMs, copying, error }: { asOfMs: number | null; copying: boolean; error: string | null }): string {
	const whole = asOfMs === null ? "" : `as of ${new Date(asOfMs).toISOString()}`;
	const now = copying ? "being copied" : (error ?? "");
	return [whole, now].filter(Boolean).join("; ");
}
