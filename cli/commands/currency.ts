import path from "node:path";
import { z } from "zod";
import { currency as contract } from "#server/contract/currency.ts";
import { badInput } from "../args.ts";
import { readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT, type ExitCode, oneLine } from "../exit.ts";
import { readTextFile } from "../read-text-file.ts";
import { table } from "../render/table.ts";

export const currency: Command = {
	name: "currency",
	usage: "[set CODE | rates [CODE] [--from DATE] [--to DATE] | import FILE --message SOURCE]",
	summary: "show or set the reporting currency, and import exchange rates",
	details:
		"Without a verb, shows the reporting currency and the currencies with rates. import reads CSV, gzipped or not: date,currency,rate (units for one US dollar), or the ECB's eurofxref.csv and eurofxref-hist.csv. The ledger stays in US dollars.",
	options: {
		message: { value: "SOURCE", help: "import: source of the rates, as shown in reports" },
		from: { value: "DATE", help: "rates: first date" },
		to: { value: "DATE", help: "rates: last date" },
		limit: { value: "N", help: "rates: how many, newest first (default: 100)" },
	},
	positionals: { min: 0, max: 2, name: "VERB" },
	examples: [
		"spillway currency",
		'spillway currency import eurofxref-hist.csv --message "ECB reference rates"',
		"spillway currency set EUR",
		"spillway currency rates EUR --from 2026-11-01",
	],
	async run(ctx) {
		const [verb, value] = ctx.args.positionals;
		if (verb === undefined) return show(ctx);
		if (verb === "set") return set(ctx, value);
		if (verb === "rates") return listRates(ctx, value);
		if (verb === "import") return importRates(ctx, value);
		throw badInput(
			`There is no "currency ${verb}". There are: currency, currency set CODE, currency rates [CODE], currency import FILE --message SOURCE.`,
		);
	},
};

async function show(ctx: CommandContext): Promise<ExitCode> {
	const answer = await ctx.client.get("/reporting-currency");
	if (ctx.json) return json(ctx, answer.text);
	const { currency: code, currencies } = readAs(contract.get.output, answer, "currency");
	ctx.io.out(`Reports are in ${oneLine(code)}.\n`);
	ctx.io.out(
		table(
			ctx.io,
			[
				{ head: "CURRENCY", cell: (c) => oneLine(c.currency) },
				{ head: "RATES", cell: (c) => String(c.rates), right: true },
				{ head: "FROM", cell: (c) => c.from },
				{ head: "TO", cell: (c) => c.to },
			],
			currencies,
			{ empty: "No exchange rates yet. Import them: spillway currency import FILE --message SOURCE" },
		),
	);
	return EXIT.done;
}

async function set(ctx: CommandContext, code: string | undefined): Promise<ExitCode> {
	if (code === undefined) throw badInput("Name the currency: spillway currency set EUR");
	const answer = await ctx.client.put("/reporting-currency", { currency: code });
	if (ctx.json) return json(ctx, answer.text);
	ctx.io.out(`Reports are in ${oneLine(readAs(contract.set.output, answer, "currency").currency)}.\n`);
	return EXIT.done;
}

async function listRates(ctx: CommandContext, code: string | undefined): Promise<ExitCode> {
	const { args } = ctx;
	const limit = args.wholeNumber("limit", { min: 1, max: 1_000 });
	const answer = await ctx.client.get("/exchange-rates", { currency: code, from: args.text("from"), to: args.text("to"), limit });
	if (ctx.json) return json(ctx, answer.text);
	const { items } = readAs(z.looseObject({ items: contract.rates.output }), answer, "exchange rates");
	ctx.io.out(
		table(
			ctx.io,
			[
				{ head: "DATE", cell: (r) => r.date },
				{ head: "CURRENCY", cell: (r) => oneLine(r.currency) },
				{ head: "FOR 1 USD", cell: (r) => r.rate, right: true },
				{ head: "SOURCE", cell: (r) => oneLine(r.source) },
			],
			items,
			{ empty: "No exchange rates." },
		),
	);
	return EXIT.done;
}

async function importRates(ctx: CommandContext, file: string | undefined): Promise<ExitCode> {
	const message = ctx.args.text("message");
	if (file === undefined || message === undefined)
		throw badInput('Name the file and its source: spillway currency import FILE --message "ECB reference rates"');
	const answer = await ctx.client.put("/exchange-rates", { text: await readTextFile(path.resolve(ctx.io.cwd, file)), message });
	if (ctx.json) return json(ctx, answer.text);
	const done = readAs(contract.importRates.output, answer, "answer");
	const codes = done.currencies.map(oneLine).join(", ");
	ctx.io.out(`${codes}, ${done.from} to ${done.to}: ${done.added} new, ${done.replaced} replaced, ${done.unchanged} unchanged\n`);
	return EXIT.done;
}

function json(ctx: CommandContext, text: string): ExitCode {
	ctx.io.out(`${text}\n`);
	return EXIT.done;
}
