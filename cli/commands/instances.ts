import type { z } from "zod";
import { overview } from "#server/contract/capacity.ts";
import { siteSchema } from "#server/contract/outputs/capacity.ts";
import { instanceSchema } from "#server/contract/outputs/shared.ts";
import { pageOf } from "#server/contract/parts.ts";
import { badInput } from "../args.ts";
import { readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit.ts";
import { about, ago, bytes, count, hourly, label, money, relative } from "../render/format.ts";
import { styled, styleOfState } from "../render/style.ts";
import { table } from "../render/table.ts";

const LIMIT_DEFAULT = 25;
const LIMIT_MAX = 500;
const RISKS: Readonly<Record<string, string>> = {
	cut_off: "unreachable and not confirmed as ended; its job continues elsewhere",
	not_seen_gone: "should have ended, and the provider did not confirm it",
	launch_unclear: "unknown whether the launch happened",
	past_expiry: "past its maximum lifetime",
	of_nobody: "has our tag, belongs to no job and is being terminated",
};

export const instances: Command = {
	name: "instances",
	usage: "[--live | --orphans] [--limit N]",
	summary: "list cloud instances, newest first",
	options: {
		live: { help: "only machines that may still cost money" },
		orphans: { help: "money at risk: machines that may run without a job, and what the last sweeps found and terminated" },
		limit: { value: "N", help: `how many, at most ${LIMIT_MAX} (default: ${LIMIT_DEFAULT})` },
	},
	positionals: { min: 0, max: 0, name: "" },
	examples: ["spillway instances --live", "spillway instances --orphans"],
	async run(ctx) {
		const { args, io } = ctx;
		if (args.has("orphans")) return moneyAtRisk(ctx);
		const limit = args.wholeNumber("limit", { min: 1, max: LIMIT_MAX }) ?? LIMIT_DEFAULT;
		const answer = await ctx.client.get("/instances", { limit, ...(args.has("live") ? { live: 1 } : {}) });
		if (ctx.json) {
			io.out(`${answer.text}\n`);
			return EXIT.done;
		}
		const { items, nextCursor } = readAs(pageOf(instanceSchema), answer, "list of instances");
		const nowMs = io.nowMs();
		io.out(
			table(
				io,
				[
					{ head: "INSTANCE", cell: (i) => i.providerInstanceId ?? i.id },
					{ head: "STATE", cell: (i) => i.state, style: (i) => styleOfState(i.state) },
					{ head: "TYPE", cell: (i) => `${i.instanceType} ${label(i.capacityType)}` },
					{ head: "WHERE", cell: (i) => `${i.provider} ${i.zone ?? i.region}` },
					{ head: "GPUS", cell: (i) => String(i.gpus), right: true },
					{ head: "PRICE", cell: (i) => hourly(i.microUsdPerHour), right: true },
					{ head: "COST", cell: (i) => money(i.costMicroUsd), right: true },
					{ head: "ASKED FOR", cell: (i) => ago(i.intendedAt, nowMs), right: true },
					{
						head: "ENDS",
						cell: (i) =>
							i.terminatedAt === null
								? `expires ${relative(Date.parse((i.jobId === null && i.warm?.until) || i.expiresAt), nowMs)}`
								: ago(i.terminatedAt, nowMs),
						right: true,
					},
					{
						head: "JOB",
						cell: (i) => i.jobName ?? `(kept ${i.warm?.stopped ? "stopped" : "warm"} for rule ${i.warm?.ruleId}${readyText(i.prepared)})`,
					},
					{ head: "TEAM", cell: (i) => i.team },
					{
						head: "WHY",
						cell: (i) =>
							i.fencedAt === null ? (i.reason?.message ?? "") : `cut off ${ago(i.fencedAt, nowMs)}; its job continues elsewhere`,
					},
				],
				items,
				{ empty: args.has("live") ? "No live instances." : "No instances yet." },
			),
		);
		for (const each of items) if (each.prepared) printPrepared(ctx, each.providerInstanceId ?? each.id, each.prepared);
		if (nextCursor !== null) io.err(`${styled(io, "dim", `Newest ${items.length} shown; --limit N shows more.`)}\n`);
		return EXIT.done;
	},
};

type Prepared = NonNullable<z.output<typeof instanceSchema>["prepared"]>;

function readyText(prepared: Prepared | null): string {
	if (prepared === null) return "";
	return `, ${prepared.filter(({ state }) => state === "ready").length} of ${prepared.length} prepared`;
}

/** What a machine without a job has fetched, and why not. */
function printPrepared({ io }: CommandContext, name: string, prepared: Prepared): void {
	io.out("\n");
	io.out(
		table(
			io,
			[
				{ head: `PREPARED ON ${name}`, cell: (p) => `${p.kind} ${p.name}` },
				{ head: "STATE", cell: (p) => p.state, style: (p) => (p.state === "ready" ? "green" : styleOfState(p.state)) },
				{ head: "SIZE", cell: (p) => (p.bytes === null ? "" : bytes(p.bytes)), right: true },
				{ head: "CHOSEN BY", cell: (p) => (p.sharePercent === null ? "rule" : `${p.sharePercent}% of recorded jobs`) },
				{ head: "DIGEST OR PROBLEM", cell: (p) => p.problem ?? p.digest ?? "" },
			],
			prepared,
			{ empty: "" },
		),
	);
}

async function moneyAtRisk(ctx: CommandContext): Promise<0> {
	const { args, io } = ctx;
	if (args.has("live") || args.has("limit"))
		throw badInput("--orphans cannot be combined with other flags: it lists every machine at risk.");
	const answer = await ctx.client.get("/money-at-risk");
	if (ctx.json) {
		io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	const risk = readAs(overview.moneyAtRisk.output, answer, "money at risk");
	const nowMs = io.nowMs();
	io.out(
		table(
			io,
			[
				{ head: "INSTANCE", cell: (i) => i.instanceId },
				{ head: "JOB", cell: (i) => i.jobId ?? "" },
				{ head: "SINCE", cell: (i) => relative(i.sinceMs, nowMs), right: true },
				{ head: "AT RISK", cell: (i) => (i.microUsd === null ? "price unknown" : about(i.microUsd)), right: true },
				{
					head: "WHY",
					cell: (i) => `${RISKS[i.why] ?? i.why}${i.isEstimate && i.microUsd !== null ? "; estimated from similar machines" : ""}`,
				},
			],
			risk.items,
			{ empty: "No money at risk: every machine that should have ended is confirmed as ended." },
		),
	);
	const unpriced = risk.items.filter((i) => i.microUsd === null).length;
	const more = unpriced === 0 ? "" : `, and ${count(unpriced, "machine")} with an unknown price`;
	if (risk.items.length > 0) io.out(`\n${about(risk.totalMicroUsd)} at risk now${more}\n`);
	await sweeps(ctx, nowMs);
	return EXIT.done;
}

/** Results of each cloud's last sweep: machines with our tag but without a row are terminated immediately. */
async function sweeps({ client, io }: CommandContext, nowMs: number): Promise<void> {
	const { items } = readAs(pageOf(siteSchema), await client.get("/sites"), "list of sites");
	const clouds = items.filter((s) => s.gpusTotal === null && s.enabled);
	if (clouds.length === 0) return;
	const found = (s: (typeof clouds)[number]): string => {
		const sweep = s.lastSweep;
		if (sweep === null) return "not swept yet";
		const failed = sweep.failedRegions.map((r) => r.region).join(", ");
		const orphans = sweep.orphans > 0 ? `${count(sweep.orphans, "orphan")} ended` : "no orphan";
		return `${count(sweep.seen, "machine")} seen, ${sweep.owned} accounted for, ${orphans}${failed === "" ? "" : `; no answer from ${failed}`}`;
	};
	io.out("\n");
	io.out(
		table(
			io,
			[
				{ head: "SWEPT", cell: (s) => s.id },
				{ head: "WHEN", cell: (s) => (s.lastSweep === null ? "" : relative(s.lastSweep.atMs, nowMs)), right: true },
				{ head: "FOUND", cell: found },
				{ head: "LAST ORPHAN", cell: (s) => (s.lastOrphanAt === null ? "never" : ago(s.lastOrphanAt, nowMs)), right: true },
			],
			clouds,
			{ empty: "" },
		),
	);
}
