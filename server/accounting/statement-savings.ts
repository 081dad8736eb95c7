import type { StatementContent } from "#server/domain/statement.ts";
import { mulDivFloor } from "#server/kernel/money.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import type { BurstWait, CheapestCloud, MonthRow } from "./statement-facts.ts";
import { compareText, sumRows } from "./statement-sums.ts";

type Saving = StatementContent["savings"][number];

/** The three savings of a month, in the statement's order. `rows` contain only this month. */
export function savingsOf(
	rows: readonly MonthRow[],
	cheapest: readonly CheapestCloud[],
	waits: readonly BurstWait[],
	company: boolean,
): Saving[] {
	return [spotSaving(rows), homeSaving(rows, cheapest, company), burstSaving(waits)];
}

/** Σ list − Σ effective of spot machines. Their list price is the offer's on-demand price at launch. */
function spotSaving(rows: readonly MonthRow[]): Saving {
	const key = "spot_against_on_demand";
	const spot = rows.filter((r) => r.capacityType === "spot");
	if (spot.length === 0) return { key, microUsd: null, hours: null, reckoned: "No spot machine was charged in this month." };
	const sums = sumRows(spot);
	return {
		key,
		microUsd: (sums.listMicroUsd - sums.effectiveMicroUsd).toString(),
		hours: null,
		reckoned:
			"The same machine time at each offer's on-demand price when it was taken, less what was paid. Work done twice " +
			"after an interruption is in what was paid; an on-demand machine might not have repeated it, so this is the most that was saved.",
	};
}

/** Σ over accelerators of (owned GPU time used × cheapest price of one GPU in a cloud) − owned cost. */
function homeSaving(rows: readonly MonthRow[], cheapest: readonly CheapestCloud[], company: boolean): Saving {
	const key = "home_against_cloud";
	const none = (reckoned: string): Saving => ({ key, microUsd: null, hours: null, reckoned });
	// Storage in the company's own stores is not a GPU cost.
	const owned = rows.filter((r) => r.capacityType === "owned" && r.kind !== "storage" && r.kind !== "egress");
	const used = owned.filter((r) => !r.idle && r.gpuMs > 0n);
	if (used.length === 0) return none("No owned GPU was used in this month.");
	const prices = new Map(cheapest.map((c) => [c.accelerator, c]));
	const models = [...Map.groupBy(used, (r) => r.accelerator)].sort(([a], [b]) => compareText(a, b));
	const missing = models.filter(([accelerator]) => !prices.has(accelerator)).map(([accelerator]) => accelerator || "unnamed GPUs");
	if (missing.length > 0) {
		return none(`Not computed: no price of ${missing.join(", ")} was seen this month in a cloud that the policy lets every job use.`);
	}
	let cloud = 0n;
	const said: string[] = [];
	for (const [accelerator, group] of models) {
		const price = prices.get(accelerator);
		if (!price) continue;
		cloud += mulDivFloor(sumRows(group).gpuMs, price.microUsdPerHour, BigInt(price.gpus) * BigInt(HOUR_MS)).quotient;
		said.push(`${accelerator} at ${usd(price.microUsdPerHour / BigInt(price.gpus))} a GPU-hour (${price.offer})`);
	}
	const cost = sumRows(company ? owned : owned.filter((r) => !r.idle)).effectiveMicroUsd;
	return {
		key,
		microUsd: (cloud - cost).toString(),
		hours: null,
		reckoned:
			`The owned GPU-hours that jobs used, at the cheapest cloud price seen this month that the policy lets every job use (${said.join("; ")}), ` +
			`less what the owned hardware cost${company ? ", idle time included" : " while these jobs used it; idle hardware is the company's"}. ` +
			"Transfer of data and the time to start machines would come on top in the cloud and are not counted.",
	};
}

function burstSaving(waits: readonly BurstWait[]): Saving {
	const key = "burst_against_waiting";
	const jobs = waits.reduce((n, w) => n + w.jobs, 0);
	const withoutHome = waits.reduce((n, w) => n + w.withoutHome, 0);
	if (jobs === 0) return { key, microUsd: null, hours: null, reckoned: "No job left home in this month." };
	const compared = jobs - withoutHome;
	const others = withoutHome === 0 ? "" : ` ${withoutHome} more could never have started at home and are not counted.`;
	if (compared === 0) return { key, microUsd: null, hours: null, reckoned: `Not computed: no job had a forecast at home.${others}` };
	const savedMs = waits.reduce((sum, w) => sum + w.savedMs, 0);
	return {
		key,
		microUsd: null,
		hours: tenths(savedMs),
		reckoned:
			`Hours of waiting, not money: for ${compared} ${compared === 1 ? "job" : "jobs"} that first started in a cloud, the start at home that ` +
			`was forecast when it was decided (the median) less the start that it had. Jobs that would have started sooner at home count against it.${others}`,
	};
}

/** Hours with one decimal, e.g. "312.4"; precise enough for a forecast. */
function tenths(ms: number): string {
	return (Math.round(ms / (HOUR_MS / 10)) / 10).toFixed(1);
}

/** To the hundredth of a cent, truncated: a unit price for display, never used in computations. */
function usd(microUsd: bigint): string {
	return `$${microUsd / 1_000_000n}.${(microUsd % 1_000_000n).toString().padStart(6, "0").slice(0, 4)}`;
}
