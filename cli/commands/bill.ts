import path from "node:path";
import { billSchema, importedBillSchema, reconciliationSchema } from "#server/contract/outputs/bill.ts";
import { pageOf } from "#server/contract/parts.ts";
import { badInput } from "../args.ts";
import { readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { openFile } from "../open-file.ts";
import { count, exactMoney, exactTime } from "../render/format.ts";
import { table } from "../render/table.ts";
import type { Bill } from "../response-types.ts";
import { saveStream } from "../save-stream.ts";

const VERBS = "bill import FILE..., bill ls, bill show ID, bill export ID, bill check MONTH";

export const bill: Command = {
	name: "bill",
	usage: "import FILE... | ls | show ID | export ID [-o FILE] | check MONTH [--again | --final]",
	summary: "import provider bills in FOCUS format and reconcile them with the ledger",
	details: "Reads FOCUS 1.0 to 1.4 as CSV, gzipped or not, of any size. Importing the same file or line again changes nothing.",
	options: {
		output: { short: "o", value: "FILE", help: "bill export: write it to this file (default: stdout)" },
		again: { help: "bill check: reconcile the month again first" },
		final: { help: "bill check: reconcile again, and reverse charges that no bill contains" },
	},
	positionals: { min: 1, max: 1_000, name: "import, ls, show, export or check" },
	examples: [
		"spillway bill import aws-2026-11.csv.gz",
		"spillway bill ls",
		"spillway bill export bill_01k... -o again.csv",
		"spillway bill check 2026-11",
	],
	async run(ctx) {
		const [verb = "", ...rest] = ctx.args.positionals;
		const [id = ""] = rest;
		if (verb === "import" && rest.length > 0) return importFiles(ctx, rest);
		if (verb === "ls" && rest.length === 0) return list(ctx);
		if (verb === "show" && rest.length === 1) return show(ctx, id);
		if (verb === "check" && rest.length === 1) return check(ctx, id);
		if (verb === "export" && rest.length === 1) {
			await saveStream(ctx.io, ctx.client.bytes(`/invoices/${encodeURIComponent(id)}/lines`, {}), ctx.args.text("output"));
			return EXIT.done;
		}
		throw badInput(`"bill ${[verb, ...rest].join(" ").slice(0, 60)}" is not possible. There are: ${VERBS}.`);
	},
};

async function importFiles({ io, client, json }: CommandContext, files: readonly string[]): Promise<ExitCode> {
	for (const file of files) {
		const answer = await client.upload("/invoices", { name: path.basename(file) }, openFile(io.cwd, file), "text/csv");
		if (json) {
			io.out(`${answer.text}\n`);
			continue;
		}
		const { bill: made, alreadyImported } = readAs(importedBillSchema, answer, "imported bill");
		const repeated = made.repeatedRows === 0 ? "" : `, ${made.repeatedRows} of them already in an earlier bill`;
		io.out(
			alreadyImported
				? `${made.id}  ${file}  already imported; nothing changed\n`
				: `${made.id}  ${file}  ${count(made.rows, "line")}${repeated}, ${exactMoney(made.billedMicroUsd)} billed\n`,
		);
	}
	return EXIT.done;
}

async function list({ io, client, json }: CommandContext): Promise<ExitCode> {
	const answer = await client.get("/invoices");
	if (json) {
		io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	io.out(
		table(
			io,
			[
				{ head: "BILL", cell: (b: Bill) => b.id },
				{ head: "FILE", cell: (b) => b.fileName },
				{ head: "FROM", cell: (b) => b.providers.join(", ") },
				{ head: "MONTHS", cell: (b) => b.months.join(", ") },
				{ head: "LINES", cell: (b) => String(b.rows), right: true },
				{ head: "BILLED", cell: (b) => exactMoney(b.billedMicroUsd), right: true },
				{ head: "IMPORTED", cell: (b) => exactTime(Date.parse(b.importedAt)) },
			],
			readAs(pageOf(billSchema), answer, "list of bills").items,
			{ empty: "No bill was imported yet. Import one with: spillway bill import FILE" },
		),
	);
	return EXIT.done;
}

async function show({ io, client, json }: CommandContext, id: string): Promise<ExitCode> {
	const answer = await client.get(`/invoices/${encodeURIComponent(id)}`);
	if (json) {
		io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	const b = readAs(billSchema, answer, "bill");
	const rows: [string, string][] = [
		["bill", b.id],
		["file", `${b.fileName} (FOCUS ${b.focusVersion})`],
		["sha256", b.sha256],
		["from", b.providers.join(", ")],
		["months", b.months.join(", ")],
		["lines", `${b.rows}, ${b.repeatedRows} of them already in an earlier bill`],
		["billed", exactMoney(b.billedMicroUsd)],
		["imported", `${exactTime(Date.parse(b.importedAt))} by ${b.importedBy}`],
		["reconciled", b.reconciledAt === null ? "not yet" : exactTime(Date.parse(b.reconciledAt))],
	];
	io.out(`${rows.map(([name, value]) => `${name.padEnd(12)}${value}`).join("\n")}\n`);
	return EXIT.done;
}

async function check({ io, client, json, args }: CommandContext, month: string): Promise<ExitCode> {
	const at = `/reconciliations/${encodeURIComponent(month)}`;
	const again = args.has("again") || args.has("final");
	const answer = again ? await client.post(at, { final: args.has("final") }) : await client.get(at);
	if (json) {
		io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	const found = readAs(reconciliationSchema, answer, "reconciliation");
	io.out(
		table(
			io,
			[
				{ head: "PROVIDER", cell: (p) => p.provider },
				{ head: "LEDGER", cell: (p) => exactMoney(p.estimatedMicroUsd), right: true },
				{ head: "BILLED", cell: (p) => exactMoney(p.billedMicroUsd), right: true },
				{ head: "CORRECTED", cell: (p) => exactMoney(p.adjustedMicroUsd), right: true },
				{ head: "LEFT", cell: (p) => exactMoney(p.unexplainedMicroUsd), right: true },
				{
					head: "RESOURCES",
					cell: (p) =>
						Object.entries(p.resources)
							.filter(([, n]) => n > 0)
							.map(([state, n]) => `${n} ${state.replaceAll("_", " ")}`)
							.join(", "),
				},
			],
			found.providers,
			{ empty: "Nothing of this month was reconciled. Import its bills with: spillway bill import FILE" },
		),
	);
	const differing = found.items.filter((i) => i.state !== "matched");
	if (differing.length === 0) return EXIT.done;
	io.out("\n");
	io.out(
		table(
			io,
			[
				{ head: "RESOURCE", cell: (i) => i.resourceId },
				{ head: "INSTANCE", cell: (i) => i.instanceId ?? "(unknown)" },
				{ head: "STATE", cell: (i) => i.state.replaceAll("_", " ") },
				{ head: "LEDGER", cell: (i) => exactMoney(i.estimatedMicroUsd), right: true },
				{ head: "BILLED", cell: (i) => exactMoney(i.billedMicroUsd), right: true },
				{ head: "CORRECTED", cell: (i) => exactMoney(i.adjustedMicroUsd), right: true },
			],
			differing,
			{ empty: "" },
		),
	);
	return EXIT.done;
}
