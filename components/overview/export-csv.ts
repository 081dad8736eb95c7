import { type ChartMark, marksByRow } from "#components/charts/marks.ts";
import { exactDollars } from "#components/csv/csv.ts";
import { CAPACITY_WORD } from "#components/place/place.tsx";
import { csvText } from "#server/kernel/csv.ts";
import type { FeedLine } from "./feed.ts";
import type { Demand } from "./prepare-demand.ts";

/** GPU demand as CSV: a line per interval with use per location, queued GPUs and the events, if any. */
export function demandCsv(demand: Demand, marks: readonly ChartMark[] = []): string {
	const stepMs = (demand.toMs - demand.fromMs) / Math.max(1, demand.points.length);
	const instant = (ms: number) => new Date(ms).toISOString();
	const places = demand.places.map(({ siteId, capacityType }) => `${siteId} ${CAPACITY_WORD[capacityType]}`);
	const last = demand.points.length - 1;
	const events = marksByRow(marks, ({ share }) => Math.min(last, Math.floor(share * demand.points.length)));
	const hasEvents = events.size > 0;
	const lines = demand.points.map((p, i) => [
		...[instant(p.atMs - stepMs), instant(p.atMs), p.wanted, demand.ownedGpus, ...p.placed, p.waiting].map(String),
		...(hasEvents ? [events.get(i) ?? ""] : []),
	]);
	const head = ["From (UTC)", "To (UTC)", "GPUs requested", "Owned GPUs", ...places, "Queued", ...(hasEvents ? ["Events"] : [])];
	return csvText([head, ...lines]);
}

/** Activity as CSV. `origin` makes links absolute. */
export function feedCsv(lines: readonly FeedLine[], origin: string): string {
	const rows = lines.map((line) => [
		new Date(line.atMs).toISOString(),
		[line.before, line.name, line.text].filter((part) => part !== "").join(" "),
		line.costMicroUsd === null ? "" : exactDollars(BigInt(line.costMicroUsd)),
		`${origin}${line.href}`,
	]);
	return csvText([["Time (UTC)", "Event", "Cost so far USD", "Link"], ...rows]);
}
