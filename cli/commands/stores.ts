import type { z } from "zod";
import { storageSchema, storeCheckSchema, storePriceSchema, storeSchema } from "#server/contract/outputs/store.ts";
import { EMBEDDED_STORE } from "#server/domain/store.ts";
import { microToUsdText } from "#server/kernel/money.ts";
import { badInput } from "../args.ts";
import { readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { CliError, EXIT, type ExitCode, oneLine } from "../exit.ts";
import { readDocument } from "../read-document.ts";
import { bytes, money } from "../render/format.ts";
import { heading, table } from "../render/table.ts";

type Storage = z.infer<typeof storageSchema>;
type Store = Storage["stores"][number];

const DOCUMENT_BYTES_MAX = 64_000;

export const stores: Command = {
	name: "stores",
	usage: "[add -f FILE | update NAME -f FILE | check NAME | use NAME | unuse NAME | price NAME | rm NAME | limit TEAM]",
	summary: "manage stores for results and checkpoints, with prices and limits",
	details:
		"add reads team, name, config (kind: s3, gcs, azblob, webdav or folder) and secret (docs/results.md), checks the store by writing, reading and deleting a small file, and adds it as the team's default. update reads config, secret or both, and keeps what the file omits; the place of the files cannot change. NAME is TEAM/NAME or a store's id. use makes a store the team's default; unuse returns to the embedded store. price sets what storage and egress cost from now on; NAME embedded is the embedded store. limit sets a team's quota and retention.",
	options: {
		file: { short: "f", value: "FILE", help: "the store, YAML or JSON; - reads it from stdin" },
		quota: { value: "GIB", help: "limit: GiB of results that the team keeps, or none" },
		storage: { value: "USD", help: "price: dollars per GiB and month, or none" },
		egress: { value: "USD", help: "price: dollars per GiB that leaves the store, or none" },
		keep: { value: "DAYS", help: "limit: days that results without keep are kept, or none" },
	},
	positionals: { min: 0, max: 2, name: "VERB NAME" },
	examples: [
		"spillway stores",
		"spillway stores add -f store.yaml",
		"spillway stores update risk/models -f store.yaml",
		"spillway stores check risk/models",
		"spillway stores price risk/models --storage 0.023 --egress 0.09",
		"spillway stores limit risk --quota 500 --keep 90",
	],
	async run(ctx) {
		const [verb = "ls", name] = ctx.args.positionals;
		if (verb === "ls" && name === undefined) return list(ctx);
		if (verb === "add" && name === undefined) return add(ctx);
		if (verb === "update" && name !== undefined) return update(ctx, name);
		if (verb === "limit" && name !== undefined) return limit(ctx, name);
		if (verb === "price" && name !== undefined) return setPrice(ctx, name);
		if (name !== undefined && (verb === "check" || verb === "use" || verb === "unuse" || verb === "rm")) return change(ctx, verb, name);
		throw badInput(
			`There is no "stores ${[verb, name].filter(Boolean).join(" ")}". There are: ls, add -f FILE, update NAME -f FILE, check|use|unuse|price|rm NAME, limit TEAM.`,
		);
	},
};

async function list({ client, io, json }: CommandContext): Promise<ExitCode> {
	const answer = await client.get("/stores");
	if (json) {
		io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	const { stores: rows, teams, embeddedPrice } = readAs(storageSchema, answer, "stores");
	const columns = [
		{ head: "STORE", cell: (s: Store) => oneLine(`${s.team}/${s.name}`) },
		{ head: "ADDRESS", cell: (s: Store) => oneLine(s.address) },
		{ head: "DEFAULT", cell: (s: Store) => (s.isDefault ? "yes" : "") },
		{ head: "BYTES GO", cell: (s: Store) => (s.direct ? "directly" : "through Spillway") },
		{ head: "GIB-MONTH", cell: (s: Store) => dollars(s.price.microUsdPerGiBMonth), right: true as const },
		{ head: "GIB OUT", cell: (s: Store) => dollars(s.price.microUsdPerGiBEgress), right: true as const },
		{ head: "STATE", cell: (s: Store) => oneLine(s.problem ?? (s.checkedAt === null ? "not checked" : "works")) },
	];
	io.out(table(io, columns, rows, { empty: "No stores: results and checkpoints are kept in Spillway's own folder." }));
	io.out(
		`Embedded store: ${dollars(embeddedPrice.microUsdPerGiBMonth)} per GiB-month, ${dollars(embeddedPrice.microUsdPerGiBEgress)} per GiB out\n`,
	);
	io.out(`\n${heading(io, "Results that teams keep")}\n`);
	type Team = Storage["teams"][number];
	const uses = [
		{ head: "TEAM", cell: (t: Team) => t.team },
		{ head: "RESULTS", cell: (t: Team) => String(t.results), right: true as const },
		{ head: "SIZE", cell: (t: Team) => bytes(t.bytes), right: true as const },
		{ head: "QUOTA", cell: (t: Team) => (t.quotaGiB === null ? "none" : `${t.quotaGiB} GiB`), right: true as const },
		{ head: "KEPT", cell: (t: Team) => (t.keepDays === null ? "until deleted" : `${t.keepDays} days`) },
	];
	io.out(table(io, uses, teams, { empty: "None." }));
	return EXIT.done;
}

function dollars(microUsd: string | null): string {
	return microUsd === null ? "no price" : money(microUsd);
}

async function add(ctx: CommandContext): Promise<ExitCode> {
	const document = await readDocument(ctx, {
		usage: "spillway stores add -f FILE",
		wanted: "team, name, config and secret (docs/results.md)",
		bytesMax: DOCUMENT_BYTES_MAX,
	});
	const answer = await ctx.client.post("/stores", document);
	const { team, name, address } = readAs(storeSchema, answer, "store");
	ctx.io.out(ctx.json ? `${answer.text}\n` : `${team}/${name} was checked and added: ${address}\n`);
	return EXIT.done;
}

async function update(ctx: CommandContext, name: string): Promise<ExitCode> {
	const document = await readDocument(ctx, {
		usage: "spillway stores update NAME -f FILE",
		wanted: "config, secret or both (docs/results.md)",
		bytesMax: DOCUMENT_BYTES_MAX,
	});
	const { stores: rows } = readAs(storageSchema, await ctx.client.get("/stores"), "stores");
	const answer = await ctx.client.patch(`/stores/${find(rows, name).id}`, document);
	const { address } = readAs(storeSchema, answer, "store");
	ctx.io.out(ctx.json ? `${answer.text}\n` : `${name} was changed: ${address}. Check it with: spillway stores check ${name}\n`);
	return EXIT.done;
}

async function change(ctx: CommandContext, verb: "check" | "use" | "unuse" | "rm", name: string): Promise<ExitCode> {
	const { client, io } = ctx;
	const { stores: rows } = readAs(storageSchema, await client.get("/stores"), "stores");
	const store = find(rows, name);
	if (verb === "rm") {
		await client.delete(`/stores/${store.id}`);
		io.out(`${name} was removed. Its files stay where they are.\n`);
		return EXIT.done;
	}
	if (verb !== "check") {
		await client.put(`/stores/${store.id}`, { isDefault: verb === "use" });
		io.out(verb === "use" ? `Team ${store.team} uses ${name}.\n` : `Team ${store.team} uses the embedded store.\n`);
		return EXIT.done;
	}
	const { steps, problem } = readAs(storeCheckSchema, await client.post(`/stores/${store.id}/check`, {}), "check");
	for (const step of steps)
		io.out(`${step.problem === null ? "ok    " : "failed"}  ${step.title}${step.problem === null ? "" : `: ${oneLine(step.problem)}`}\n`);
	return problem === null ? EXIT.done : EXIT.conflict;
}

function find(rows: readonly Store[], name: string): Store {
	const store = rows.find((row) => row.id === name || `${row.team}/${row.name}` === name);
	if (!store) throw new CliError(EXIT.notFound, `There is no store ${oneLine(name)}. List stores with: spillway stores`);
	return store;
}

/** Options that are not given keep their price. */
async function setPrice({ client, args, io, json }: CommandContext, name: string): Promise<ExitCode> {
	const { stores: rows, embeddedPrice } = readAs(storageSchema, await client.get("/stores"), "stores");
	const { id, price } = name === EMBEDDED_STORE ? { id: EMBEDDED_STORE, price: embeddedPrice } : find(rows, name);
	const read = (option: "storage" | "egress", now: string | null): string | null => {
		const text = args.text(option);
		if (text === undefined) return now === null ? null : microToUsdText(BigInt(now));
		return text === "none" ? null : text;
	};
	const answer = await client.put(`/stores/${id}/price`, {
		usdPerGiBMonth: read("storage", price.microUsdPerGiBMonth),
		usdPerGiBEgress: read("egress", price.microUsdPerGiBEgress),
	});
	const set = readAs(storePriceSchema, answer, "price");
	const text = `${name}: ${dollars(set.microUsdPerGiBMonth)} per GiB-month, ${dollars(set.microUsdPerGiBEgress)} per GiB out, from now on.\n`;
	io.out(json ? `${answer.text}\n` : text);
	return EXIT.done;
}

async function limit({ client, args, io }: CommandContext, team: string): Promise<ExitCode> {
	const { teams } = readAs(storageSchema, await client.get("/stores"), "stores");
	const before = teams.find((row) => row.team === team);
	const read = (name: "quota" | "keep", kept: number | null): number | null => {
		const text = args.text(name);
		if (text === undefined) return kept;
		if (text === "none") return null;
		const value = Number(text);
		if (!(value > 0)) throw badInput(`--${name} must be a number above 0, or none.`);
		return value;
	};
	const limits = { team, quotaGiB: read("quota", before?.quotaGiB ?? null), keepDays: read("keep", before?.keepDays ?? null) };
	await client.put("/storage-limits", limits);
	io.out(
		`Team ${team}: quota ${limits.quotaGiB ?? "none"}${limits.quotaGiB === null ? "" : " GiB"}, kept ${limits.keepDays === null ? "until deleted" : `${limits.keepDays} days`}.\n`,
	);
	return EXIT.done;
}
