import { receiptSchema } from "#server/contract/outputs/receipt.ts";
import { electricityWords } from "#server/domain/home-electricity.ts";
import { readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit.ts";
import { findJobId } from "../find-job.ts";
import { removalText } from "../render/candidates.ts";
import { about, bytes, duration, exactMoney, exactTime, gpuHours, grams, money, NONE, place } from "../render/format.ts";
import { heading, table } from "../render/table.ts";

const WAYS: Readonly<Record<string, string>> = { at_home: "at home", on_demand: "on-demand", spot: "spot" };

export const receipt: Command = {
	name: "receipt",
	usage: "JOB",
	summary: "show a job's cost by attempt and line, and the cost of alternatives",
	options: {},
	positionals: { min: 1, max: 1, name: "JOB" },
	examples: ["spillway receipt language-id"],
	async run(ctx) {
		const id = await findJobId(ctx, ctx.args.positionals[0] ?? "");
		const answer = await ctx.client.get(`/jobs/${id}/receipt`);
		if (ctx.json) ctx.io.out(`${answer.text}\n`);
		else ctx.io.out(receiptText(ctx, readAs(receiptSchema, answer, "receipt")));
		return EXIT.done;
	},
};

function receiptText({ io }: CommandContext, bill: ReturnType<typeof receiptSchema.parse>): string {
	const lines = [
		...bill.attempts.flatMap((a) => a.lines.map((line) => ({ ...line, attempt: a }))),
		...bill.results.map((line) => ({ ...line, attempt: null })),
	];
	const { totals } = bill;
	const body = table<(typeof lines)[number]>(
		io,
		[
			{ head: "ATTEMPT", cell: (l) => (l.attempt ? String(l.attempt.number) : ""), right: true },
			{ head: "PLACE", cell: (l) => (l.attempt ? place(l.attempt.placement) : "results and copies") },
			{ head: "WHAT", cell: (l) => l.kind },
			{ head: "TIME", cell: (l) => duration(l.toMs - l.fromMs), right: true },
			{ head: "GPU-H", cell: (l) => gpuHours(l.gpuMs), right: true },
			{ head: "COST", cell: (l) => exactMoney(l.costMicroUsd), right: true },
			{ head: "AT LIST", cell: (l) => exactMoney(l.listMicroUsd), right: true },
			{ head: "CO2", cell: (l) => milligrams(l.emissionsMilligrams), right: true },
			{ head: "", cell: (l) => (l.status === "posted" ? "" : "not settled yet, may grow") },
		],
		lines,
		{
			empty: "No charges for this job yet.",
			totals: [
				"",
				"total",
				"",
				"",
				gpuHours(totals.gpuMs),
				exactMoney(totals.costMicroUsd),
				exactMoney(totals.listMicroUsd),
				milligrams(totals.emissionsMilligrams),
				"",
			],
		},
	);
	const electricity = bill.electricity ? `electricity at home: ${electricityWords(bill.electricity)}\n` : "";
	const carbon = `${disksText(bill)}${keptText(bill)}${electricity}${heading(io, "CO2 of the job")}${carbonText(bill)}`;
	if (bill.alternatives.length === 0) return `${body}${carbon}`;
	return `${body}${carbon}${heading(io, "Alternatives: the same machine time at the prices of the decision")}${table(
		io,
		[
			{ head: "WAY", cell: (a) => WAYS[a.way] ?? a.way },
			{ head: "PLACE", cell: (a) => place(a.placement) },
			{ head: "COST", cell: (a) => about(a.costMicroUsd), right: true },
			{
				head: "DISKS",
				cell: (a) => (a.way === "at_home" ? "" : a.storageMicroUsd === null ? "not known" : about(a.storageMicroUsd)),
				right: true,
			},
			{ head: "NEW SPEND", cell: (a) => about(a.cashMicroUsd), right: true },
			{ head: "WHY NOT", cell: (a) => (a.removedBy === null ? "" : removalText(a.removedBy)) },
		],
		bill.alternatives,
		{ empty: "" },
	)}`;
}

/** Future cost of keeping the results. */
function keptText({ kept }: ReturnType<typeof receiptSchema.parse>): string {
	if (kept === null) return "";
	const until = kept.untilMs === null ? "until deleted" : `until ${exactTime(kept.untilMs)}`;
	const unpriced = BigInt(kept.unpricedBytes);
	const price = unpriced < BigInt(kept.bytes) ? `${money(kept.microUsdPerMonth)} a month ` : "";
	const missing = unpriced === 0n ? "" : `; no storage price is set for ${bytes(Number(unpriced))}`;
	return `kept results: ${bytes(Number(kept.bytes))}, ${price}${until}${missing}\n`;
}

/** A cloud machine has a cost, but no line includes its disk. */
function disksText({ attempts }: ReturnType<typeof receiptSchema.parse>): string {
	const lacking = attempts.filter(
		({ placement, lines }) =>
			placement.capacityType !== "owned" &&
			lines.some(({ kind }) => kind === "compute" || kind === "boot") &&
			!lines.some(({ kind }) => kind === "storage"),
	);
	if (lacking.length === 0) return "";
	const which = lacking.map(({ number }) => number).join(", ");
	return `not included because the price was unknown: the disk of attempt ${which}'s machine\n`;
}

function carbonText({ totals, carbon }: ReturnType<typeof receiptSchema.parse>): string {
	const rate = milligrams(carbon.milligramsPerGpuHour);
	return [
		`operational ${milligrams(totals.emissionsMilligrams)} (location-based), ${milligrams(totals.marketEmissionsMilligrams)} (market-based), embodied ${milligrams(totals.embodiedMilligrams)}`,
		`software carbon intensity (ISO/IEC 21031): ${rate}${rate === NONE ? "" : " per GPU-hour"}, ${milligrams(carbon.milligramsPerJob)} per job\n`,
	].join("\n");
}

function milligrams(value: string | null): string {
	return value === null ? NONE : grams(Number(value) / 1_000);
}
