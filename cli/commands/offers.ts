import { offersPageSchema } from "#server/contract/outputs/capacity.ts";
import { badInput } from "../args.ts";
import { readAs } from "../client.ts";
import type { Command } from "../command.ts";
import { EXIT, oneLine } from "../exit.ts";
import { ago, count, exactMoney, hourly, label, NONE, relative } from "../render/format.ts";
import { styled } from "../render/style.ts";
import { table } from "../render/table.ts";
import type { Offer } from "../response-types.ts";

const LIMIT_DEFAULT = 25;
const LIMIT_MAX = 500;
const CAPACITY = ["spot", "on_demand", "reserved"];
const REFUSED: Readonly<Record<string, string>> = { insufficient_capacity: "no capacity", quota_exceeded: "over quota" };

export const offers: Command = {
	name: "offers",
	usage: "[--accelerator MODEL] [--region REGION] [--capacity TYPE] [--limit N]",
	summary: "list cloud offers, cheapest GPU-hour first",
	details: "Offers with a stale, implausible or unknown price are listed last, with the reason, and are never chosen.",
	options: {
		accelerator: { value: "MODEL", help: "one GPU model, for example H100-80GB" },
		region: { value: "REGION", help: "one region, for example us-east-1" },
		capacity: { value: "TYPE", help: "spot, on_demand or reserved" },
		gpus: { value: "N", help: "at least this many GPUs per machine" },
		limit: { value: "N", help: `how many, at most ${LIMIT_MAX} (default: ${LIMIT_DEFAULT})` },
	},
	positionals: { min: 0, max: 0, name: "" },
	examples: ["spillway offers --accelerator H100-80GB", "spillway offers --capacity spot --region us-east-1 --json"],
	async run(ctx) {
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
	},
};

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
