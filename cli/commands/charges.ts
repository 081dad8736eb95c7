import { chargePageSchema, refundSchema } from "#server/contract/outputs/spend.ts";
import { CHARGE_CORRECTIONS } from "#server/domain/charge.ts";
import { LOST } from "#server/domain/lost-work.ts";
import { badInput } from "../args.ts";
import { readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { count, duration, exactMoney, exactTime, gpuHours, label } from "../render/format.ts";
import { styled } from "../render/style.ts";
import { table } from "../render/table.ts";
import { FILTER_OPTIONS, filterQuery } from "../spend-filters.ts";

export const charges: Command = {
	name: "charges",
	usage:
		"[--from DAY] [--to DAY] [--job ID | --cause ID | --budget ID [--period DAY]] [--as-of POINT] [--since POINT] [filters] | refund CHARGE --reason TEXT [--amount USD]",
	summary: "list the charges behind a figure with their causes, and refund charges",
	details:
		"refund reverses a cloud machine's charge, or --amount of it, with a correction for the same job, team, hour and budgets. It requires the platform engineer or finance role.",
	options: {
		from: { value: "DAY", help: "2026-11-01, or a time such as 2026-11-01T08:00:00Z (default: 30 days before the end)" },
		to: { value: "DAY", help: "up to this day or time, UTC (default: now)" },
		job: { value: "ID", help: "only this job's, by its id" },
		cause: { value: "ID", help: "only of this machine, allocation, pool, bill line or result" },
		budget: {
			value: "ID",
			help: "only what counts toward this budget, in its current period unless --period, or --from and --to, are given",
		},
		period: { value: "DAY", help: "with --budget: the period that contains this day" },
		correction: {
			value: "WHY",
			many: true,
			help: `only corrections for this reason; may be repeated: ${CHARGE_CORRECTIONS.join(", ")}`,
		},
		lost: { value: "HOW", help: `only of attempts that ended this way in these days, whenever charged: ${LOST.join(", ")}` },
		"without-idle": { help: "exclude idle owned hardware" },
		"as-of": { value: "POINT", help: "the ledger as of a closed statement (2026-11/1, 2026-11/1/TEAM) or a time" },
		since: { value: "POINT", help: "only what was posted after a closed statement or a time" },
		...FILTER_OPTIONS,
		cursor: { value: "CURSOR", help: "next page, from nextCursor of --json" },
		limit: { value: "N", help: "how many (default: 50)" },
		reason: { value: "TEXT", help: "refund: reason, kept in the audit log" },
		amount: { value: "USD", help: "refund: amount in dollars (default: the rest of the charge)" },
	},
	positionals: { min: 0, max: 2, name: "VERB CHARGE" },
	examples: [
		"spillway charges --team risk --region us-east-1",
		"spillway charges --from 2026-11-01 --to 2026-11-02 --kind adjustment --json",
		"spillway charges --from 2026-11-01 --to 2026-12-01 --as-of 2026-11/1",
		"spillway charges --budget cloud-month --period 2026-11-01",
		'spillway charges refund chg_01jd3x --amount 12.50 --reason "The disk was slow"',
	],
	async run(ctx) {
		const [verb, id] = ctx.args.positionals;
		if (verb === undefined) return list(ctx);
		if (verb !== "refund") throw badInput(`There is no "charges ${verb}". There are: charges, charges refund CHARGE --reason TEXT.`);
		if (id === undefined || id === "") throw badInput("Name the charge, for example: spillway charges refund chg_01jd3x --reason TEXT");
		return refund(ctx, id);
	},
};

async function refund({ args, io, client, json }: CommandContext, id: string): Promise<ExitCode> {
	const reason = args.text("reason");
	const amount = args.text("amount");
	if (reason === undefined) throw badInput('--reason is missing: say why, for example --reason "The disk was slow"');
	const part = amount === undefined ? {} : { amountUsd: amount.replace(/^\$/, "").replaceAll(",", "") };
	const answer = await client.post(`/charges/${encodeURIComponent(id)}/refund`, { reason, ...part });
	if (json) {
		io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	const done = readAs(refundSchema, answer, "refund");
	io.out(`${done.chargeId}  ${exactMoney(done.refundedMicroUsd)} refunded, ${exactMoney(done.leftMicroUsd)} left\n`);
	return EXIT.done;
}

async function list({ args, io, client, json }: CommandContext): Promise<ExitCode> {
	const part = {
		cause: args.text("cause"),
		budget: args.text("budget"),
		period: args.text("period"),
		correction: args.list("correction"),
		lost: args.text("lost"),
		asOf: args.text("as-of"),
		since: args.text("since"),
	};
	const idle = args.has("without-idle") ? { withoutIdle: "true" } : {};
	const selection = { from: args.text("from"), to: args.text("to"), job: args.text("job"), ...part, ...idle, ...filterQuery(args) };
	const page = { cursor: args.text("cursor"), limit: args.wholeNumber("limit", { min: 1, max: 500 }) };
	const answer = await client.get("/charges", { ...selection, ...page });
	if (json) {
		io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	const { items, totals, later, budget, fromMs, toMs, nextCursor } = readAs(chargePageSchema, answer, "list of charges");
	io.out(
		table(
			io,
			[
				{ head: "FROM", cell: (c) => exactTime(c.periodStartMs) },
				{ head: "TIME", cell: (c) => duration(c.periodEndMs - c.periodStartMs), right: true },
				{ head: "JOB", cell: (c) => c.jobName ?? "(none)" },
				{ head: "TEAM", cell: (c) => (c.dimensions.team === "" ? "(none)" : c.dimensions.team) },
				{ head: "WHAT", cell: (c) => c.dimensions.kind },
				{
					head: "PLACE",
					cell: (c) => [c.dimensions.provider, c.dimensions.region, label(c.dimensions.capacityType)].filter(Boolean).join(" "),
				},
				{ head: "CAUSE", cell: (c) => c.cause.id },
				{ head: "GPU-H", cell: (c) => gpuHours(c.gpuMs), right: true },
				{ head: "COST", cell: (c) => exactMoney(c.effectiveMicroUsd), right: true },
				{ head: "BILLED", cell: (c) => exactMoney(c.billedMicroUsd), right: true },
				{ head: "CHARGE", cell: (c) => c.id },
			],
			items,
			{
				empty: "No charges match.",
				totals: [
					...["all", "", "", "", "", "", ""],
					...[gpuHours(totals.gpuMs), exactMoney(totals.effectiveMicroUsd), exactMoney(totals.billedMicroUsd), ""],
				],
			},
		),
	);
	const shown = nextCursor === null ? "" : ` , the newest ${items.length} shown`;
	io.err(`${styled(io, "dim", `${exactTime(fromMs)} to ${exactTime(toMs)}: ${count(Number(totals.charges), "charge")}${shown}`)}\n`);
	if (budget) io.err(`${styled(io, "dim", `counted in budget ${budget.id}: ${exactMoney(budget.postedMicroUsd)}`)}\n`);
	if (later && later.charges !== "0") {
		const posted = `${count(Number(later.charges), "charge")}, ${exactMoney(later.effectiveMicroUsd)}`;
		io.err(`${styled(io, "dim", `posted later and not included: ${posted} (list them with --since instead of --as-of)`)}\n`);
	}
	return EXIT.done;
}
