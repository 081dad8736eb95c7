import { writeFileSync } from "node:fs";
import path from "node:path";
import { statementSchema } from "#server/contract/outputs/statement.ts";
import { LINE_WORDS, monthWords, ratesWords, SAVING_WORDS, STATE_WORDS, teamTitle, WASTE_WORDS } from "#server/domain/statement-words.ts";
import { badInput } from "../args.ts";
import { readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { CliError, EXIT, oneLine } from "../exit.ts";
import { exactMoney, exactMoneyIn, exactTime, gpuHours } from "../render/format.ts";
import { styled } from "../render/style.ts";
import { table } from "../render/table.ts";
import type { Statement } from "../response-types.ts";

export const statement: Command = {
	name: "statement",
	usage: "MONTH [--team TEAM] [--version N] [--currency CODE] [--csv FILE | --pdf FILE]",
	summary: "show a monthly statement or save it to a file",
	details: "A month that is not closed yet is shown as a preview, which may still change. FILE can be - for stdout.",
	options: {
		team: { value: "TEAM", help: "a team's statement (default: the company's)" },
		version: { value: "N", help: "an older version (default: the newest; 0 is the preview)" },
		currency: { value: "CODE", help: "preview: also in this currency (default: the reporting currency)" },
		csv: { value: "FILE", help: "save it as CSV" },
		pdf: { value: "FILE", help: "save it as PDF" },
	},
	positionals: { min: 1, max: 1, name: "MONTH" },
	examples: ["spillway statement 2026-11", "spillway statement 2026-11 --team risk --pdf risk.pdf"],
	async run(ctx) {
		const { args, io } = ctx;
		const month = args.positionals[0] ?? "";
		if (!/^\d{4}-\d\d$/.test(month)) throw badInput(`"${month}" is not a month; give it as year and month, for example 2026-11.`);
		const query = {
			team: args.text("team"),
			version: args.wholeNumber("version", { min: 0, max: 1_000_000 }),
			currency: args.text("currency"),
		};
		const saved = await save(ctx, `/statements/${month}`, query);
		if (saved) return EXIT.done;
		const answer = await ctx.client.get(`/statements/${month}`, query);
		if (ctx.json) io.out(`${answer.text}\n`);
		else print(ctx, readAs(statementSchema, answer, "statement"));
		return EXIT.done;
	},
};

async function save(
	{ args, io, client }: CommandContext,
	url: string,
	query: Record<string, string | number | undefined>,
): Promise<boolean> {
	const [csv, pdf] = [args.text("csv"), args.text("pdf")];
	if (csv !== undefined && pdf !== undefined) throw badInput("--csv and --pdf are for one file each: ask twice.");
	const file = csv ?? pdf;
	if (file === undefined) return false;
	const bytes = await client.file(url, { ...query, format: csv === undefined ? "pdf" : "csv" });
	if (file === "-") {
		if (csv === undefined) throw badInput("--pdf needs a file; a document is nothing for a terminal.");
		io.out(bytes.toString("utf8"));
		return true;
	}
	try {
		writeFileSync(path.resolve(io.cwd, file), bytes);
	} catch (error) {
		throw new CliError(EXIT.badInput, `${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
	}
	io.err(`${file}: ${bytes.length} bytes\n`);
	return true;
}

function print({ io }: CommandContext, { content, currencyProblem, state, shown, changedSince }: Statement): void {
	const { totals, previousTotals } = content;
	const word = <T extends string>(words: Record<T, string>, key: string): string => (words as Record<string, string>)[key] ?? key;
	const change = (now: string, before: string | undefined): string => exactMoney((BigInt(now) - BigInt(before ?? 0)).toString());
	io.out(`${styled(io, "bold", `${teamTitle(content.team)}, ${monthWords(content.month)}`)}: ${word(STATE_WORDS, state)}\n\n`);
	io.out(
		table(
			io,
			[
				{ head: "LINE", cell: (l) => word(LINE_WORDS, l.key) },
				{ head: "GPU-H", cell: (l) => gpuHours(l.sums.gpuMs), right: true },
				{ head: "USD", cell: (l) => exactMoney(l.sums.effectiveMicroUsd), right: true },
				{ head: "CHANGE", cell: (l) => change(l.sums.effectiveMicroUsd, l.previous?.effectiveMicroUsd), right: true },
			],
			content.lines,
			{
				empty: "Nothing was charged in this month.",
				totals: [
					"total",
					gpuHours(totals.gpuMs),
					exactMoney(totals.effectiveMicroUsd),
					change(totals.effectiveMicroUsd, previousTotals?.effectiveMicroUsd),
				],
			},
		),
	);
	io.out("\n");
	if (content.inCurrency) {
		const { currency, totalMicro } = content.inCurrency;
		io.out(
			`Total in ${oneLine(currency)}: ${exactMoneyIn(oneLine(currency), totalMicro)}\n  ${styled(io, "dim", oneLine(ratesWords(content.inCurrency)))}\n`,
		);
	}
	if (currencyProblem !== null) io.err(`In US dollars only. ${oneLine(currencyProblem)}\n`);
	for (const s of content.savings) {
		const amount = s.microUsd !== null ? exactMoney(s.microUsd) : s.hours !== null ? `${s.hours} h` : "not computed";
		io.out(`${word(SAVING_WORDS, s.key)}: ${amount}\n  ${styled(io, "dim", s.reckoned)}\n`);
	}
	for (const w of content.waste) io.out(`${word(WASTE_WORDS, w.key)}: ${exactMoney(w.microUsd)}\n`);
	if (!shown) {
		io.err(`${styled(io, "dim", "a preview: the month is not closed, and this may still change")}\n`);
		return;
	}
	io.out(`\nversion ${shown.version}, closed ${exactTime(Date.parse(shown.closedAt))} by ${shown.closedBy}\nsha256 ${shown.sha256}\n`);
	for (const s of shown.signatures) io.out(`signed by ${s.name}, ${exactTime(Date.parse(s.signedAt))}\n`);
	if (changedSince) io.err(`changed since closing by ${exactMoney(changedSince.deltaMicroUsd)} (${changedSince.charges} charges)\n`);
}
