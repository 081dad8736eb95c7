import type { Offer } from "#server/domain/capacity.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { PROVIDERS, WORKLOAD_CLASSES } from "#server/domain/vocabulary.ts";
import { defined } from "#server/kernel/assert.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { aReplayOffer, aReplayPool } from "../../replay/testing/small.ts";
import type { HistoryJob, RecordedHistory } from "../history.ts";
import { aGrid, aHistory, aHistoryJob, aSpec, FROM_MS } from "./small.ts";

/** Cells of the Markdown table rows that start with a cell in backticks. */
export function rowsOf(text: string): string[][] {
	const lines = text.split("\n").filter((line) => line.startsWith("| `"));
	return lines.map((line) =>
		line
			.slice(1, -1)
			.split("|")
			.map((cell) => cell.trim()),
	);
}

/** `cloud | region | instance type | capacity type | $ an hour | g/kWh` */
export function offersOf(text: string): Offer[] {
	return rowsOf(text).map(([cloud = "", region = "", instanceType = "", type = "", usd = "", grid = ""]) => {
		const name = cloud.replaceAll("`", "");
		const provider = defined(
			PROVIDERS.find((p) => p === name),
			`the cloud ${cloud}`,
		);
		const capacityType = type === "spot" ? "spot" : "on_demand";
		return {
			...aReplayOffer(`${name}-${region}-${capacityType}`, { usd: usd.replace("$", ""), gpus: 1, type: capacityType, region }),
			...{ siteId: name, provider, instanceType, gridGramsPerKwh: Number.parseInt(grid, 10), pue: 1.25 },
		};
	});
}

/** A day with one owned GPU, built from a recipe's table and the sentences before it. Launches take 6 minutes. */
export function historyOf(section: string, offers: Offer[]): RecordedHistory {
	const spent = /\$([\d,]+) of it were spent before/.exec(section)?.[1];
	const grid = /(\d+) g\/kWh until (\d\d):00 and (\d+) from then on/.exec(section);
	return aHistory({
		offers,
		toMs: FROM_MS + DAY_MS,
		jobs: rowsOf(section).map(jobOf),
		pools: [aReplayPool({ nodes: 1, gpusPerNode: 1, wattsPerGpu: 400, gridGramsPerKwh: 400, pue: 1.25 })],
		boardWatts: { "A100-80GB": 400 },
		spentBefore: spent === undefined ? [] : [{ spec: aSpec(), month: 2026 * 12, microUsd: usdToMicro(spent.replaceAll(",", "")) }],
		timing: {
			bootMs: 6 * MINUTE_MS,
			refusalMs: null,
			cloudStartMs: { p50Ms: 6 * MINUTE_MS, p90Ms: 6 * MINUTE_MS },
			cooldownMs: 10 * MINUTE_MS,
		},
		...(grid ? { grid: aGrid(hoursOf(Number(grid[1]), Number(grid[2]), Number(grid[3]))) } : {}),
	});
}

function hoursOf(before: number, hour: number, after: number): number[] {
	return Array.from({ length: 24 }, (_, h) => (h < hour ? before : after));
}

/** `name | team, class | submitted | run time | other attributes | … ` */
function jobOf([name = "", who = "", at = "", runs = "", besides = ""]: string[]): HistoryJob {
	const id = name.replaceAll("`", "");
	const [team = "", given = ""] = who.split(", ");
	const jobClass = defined(
		WORKLOAD_CLASSES.find((c) => c === given),
		`the class of ${id}`,
	);
	const ms = lengthOf(runs);
	const said = besides === "" ? [] : besides.split("; ").map((words) => saying(words));
	const spec = aSpec({ name: id, team, class: jobClass, duration: { estimateMs: ms, maxMs: null } });
	const whole: JobSpec = Object.assign(spec, ...said.map(({ spec: more }) => more));
	const approved = said.find(({ approvedMicroUsd }) => approvedMicroUsd !== undefined)?.approvedMicroUsd ?? null;
	return aHistoryJob(id, { afterMs: clockOf(at), ms, spec: whole, approvedMicroUsd: approved });
}

interface Saying {
	spec?: Partial<JobSpec>;
	approvedMicroUsd?: bigint;
}

/** @throws Error on unknown words, so that every part of a row takes effect in the replay. */
function saying(words: string): Saying {
	const [, first = "", rest = ""] = /^(\S+) ?(.*)$/.exec(words) ?? [];
	const data = { uri: "s3://data", mount: "/data", residency: [] };
	switch (first) {
		case "critical":
			return { spec: { critical: true } };
		case "due":
			return { spec: { deadlineMs: FROM_MS + clockOf(rest) } };
		case "reads":
			return { spec: { data: [{ ...data, sizeGiB: Number.parseInt(rest, 10) }] } };
		case "bound":
			return { spec: { data: [{ ...data, sizeGiB: 0, residency: [rest.replace("to ", "")] }] } };
		case "saves":
			return { spec: { checkpoint: { path: "/checkpoints", intervalMs: lengthOf(rest.replace("every ", "")) } } };
		case "pipeline:":
			return { spec: { labels: { pipeline: rest } } };
		case "approved":
			return { approvedMicroUsd: usdToMicro(rest.replace("up to $", "")) };
		default:
			throw new Error(`The cookbook's table says "${words}", which nothing here can replay.`);
	}
}

/** `01:30` → ms after midnight. */
function clockOf(text: string): number {
	const [, hours, minutes] = /^(\d\d):(\d\d)$/.exec(text) ?? [];
	return Number(defined(hours, `the hours of ${text}`)) * HOUR_MS + Number(minutes) * MINUTE_MS;
}

/** `90 min`, `12 h` → ms. */
function lengthOf(text: string): number {
	const [, number, unit] = /^(\d+) (min|h)$/.exec(text) ?? [];
	return Number(defined(number, `the length ${text}`)) * (unit === "h" ? HOUR_MS : MINUTE_MS);
}
