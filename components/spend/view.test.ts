import { describe, expect, it } from "vitest";
import { clipped, drillHref, narrowed } from "./drill.ts";
import { monthsOf } from "./focus-href.ts";
import { CLOUD_SPEND, jobChargesHref } from "./links.ts";
import {
	type ChargesPart,
	chargesHref,
	chargesQuery,
	chargesViewOf,
	datesOfBar,
	loadChargesParams,
	loadSpendParams,
	type SpendView,
	setFilter,
	spendHref,
	spendQuery,
	tableView,
	viewOf,
} from "./view.ts";

const NOW = Date.UTC(2026, 10, 19, 14, 32);
const view = (more: Partial<SpendView> = {}): SpendView => ({
	...{ range: "month", dates: null, by: "team", bucket: null, filters: {}, zone: "UTC" },
	...more,
});
const read = (href: string) => chargesViewOf(loadChargesParams(new URL(href, "http://x").searchParams), "UTC");

describe("spend view in the URL", () => {
	it("omits defaults", () => {
		expect(spendHref(view())).toBe("/spend");
		expect(spendHref(view({ range: "7d", by: "region" }))).toBe("/spend?range=7d&by=region");
		expect(spendHref(view({ filters: { capacityType: ["reserved", "on_demand", "spot"] } }))).toBe(CLOUD_SPEND);
		const dates = { from: "2026-11-01", to: "2026-11-02" };
		expect(chargesHref({ ...view({ dates }), job: "job_1" })).toBe(jobChargesHref("job_1", dates.from, dates.to));
	});

	it.each([
		["any dates", view({ dates: { from: "2026-02-03", to: "2026-03-04" }, bucket: "week", by: "time" })],
		["values with commas and what has none", view({ filters: { team: ["a,b", ""], class: ["", "burst"], capacityType: ["spot"] } })],
		[
			"every dimension",
			view({ filters: { project: ["p"], provider: ["aws"], region: [""], accelerator: ["H100"], site: ["s"], kind: ["tax"] } }),
		],
	])("round-trips: %s", (_, written) => {
		const part: ChargesPart = {
			...{ job: "job_1", cause: "ins_1", correction: ["bill_price", "refund"], lost: "any", withoutIdle: true },
			...{ asOf: "2026-11/2/risk", since: "2026-11-03", budget: "risk", bills: "2026-11", of: "carbon" },
		};
		expect(read(chargesHref({ ...written, ...part }))).toEqual({ ...written, ...part });
		expect(read(chargesHref(written))).toEqual({
			...written,
			job: null,
			cause: null,
			correction: null,
			lost: null,
			withoutIdle: false,
			asOf: null,
			since: null,
			budget: null,
			bills: null,
			of: "cost",
		});
		expect(chargesQuery({ ...written, ...part }, NOW)).toMatchObject({
			jobId: "job_1",
			lost: "any",
			withoutIdle: true,
			asOf: "2026-11/2/risk",
			since: "2026-11-03",
		});
		expect(viewOf(loadChargesParams(new URL(spendHref(written), "http://x").searchParams), "UTC")).toEqual(written);
	});

	it("ignores unknown ranges, reversed dates and unknown classes", () => {
		expect(read("/spend?range=60d&from=2026-03-02&to=2026-03-01&class=nonsense&by=mood")).toMatchObject({
			range: "month",
			dates: null,
			by: "team",
			filters: {},
		});
	});

	it("uses the same query key all day on server and browser", () =>
		expect(spendQuery(view(), NOW)).toEqual(spendQuery(view(), NOW + 9 * 3_600_000)));

	it("sets and clears a filter", () => {
		const set = setFilter(view({ filters: { team: ["a"] } }), "region", ["eu"]);
		expect(set.filters).toEqual({ team: ["a"], region: ["eu"] });
		expect(setFilter(set, "region", []).filters).toEqual({ team: ["a"] });
	});
});

describe("drillHref", () => {
	it("narrows existing filters and detects an empty intersection", () => {
		expect(narrowed({ capacityType: ["spot", "owned"] }, { capacityType: ["owned"], class: [""] })).toEqual({
			capacityType: ["owned"],
			class: [""],
		});
		expect(narrowed({ capacityType: ["spot"] }, { capacityType: ["owned"] })).toBeNull();
		expect(drillHref(view({ filters: { capacityType: ["spot"] } }), { part: "home" })).toBeNull();
	});

	it("links to a day, a group, a job and lost work", () => {
		const span = { fromMs: Date.UTC(2026, 10, 3), toMs: Date.UTC(2026, 10, 4) };
		expect(drillHref(view(), { span })).toBe("/spend/charges?from=2026-11-03&to=2026-11-03");
		expect(drillHref(view(), { group: { dimension: "team", key: "" }, part: "idle" })).toBe("/spend/charges?team=~&class=~&capacity=owned");
		expect(drillHref(view({ range: "7d" }), { lost: "interrupted", part: "cloud" })).toBe(
			"/spend/charges?range=7d&capacity=reserved,on_demand,spot&lost=interrupted",
		);
		expect(clipped({ fromMs: 0, toMs: 10 }, { fromMs: 3, toMs: 20 })).toEqual({ fromMs: 3, toMs: 10 });
	});
});

it("FOCUS exports cover the months of the days, newest first", () =>
	expect(monthsOf({ from: "2025-12-30", to: "2026-02-01" })).toEqual(["2026-02-01", "2026-01-01", "2025-12-01"]));

describe("chart selection", () => {
	it("is kept in the URL, and not carried to the charges", () => {
		const chosen = view({ bar: "2026-11-03", hide: ["spot"], previous: true });
		expect(spendHref(chosen)).toBe("/spend?bar=2026-11-03&hide=spot&previous=true");
		expect(viewOf(loadSpendParams(new URL(spendHref(chosen), "http://x").searchParams), "UTC")).toEqual(chosen);
		expect(chargesHref(chosen)).toBe("/spend/charges");
	});

	it("filters the breakdown by the days of the bar, within the range", () => {
		const dates = { from: "2026-10-01", to: "2026-10-10" };
		const bar = (day: string, bucket: "day" | "week" | "month") => datesOfBar(view({ bar: day, bucket, dates }), NOW);
		expect(bar("2026-10-03", "day")).toEqual({ from: "2026-10-03", to: "2026-10-03" });
		expect(bar("2026-10-05", "week")).toEqual({ from: "2026-10-05", to: "2026-10-10" });
		expect(bar("2026-09-28", "week")).toEqual({ from: "2026-10-01", to: "2026-10-04" });
		expect(bar("2026-10-11", "day")).toBeNull();
		expect(tableView(view({ bar: "2026-11-03" }), NOW)).toMatchObject({ dates: { from: "2026-11-03", to: "2026-11-03" }, bar: null });
		expect(tableView(view({ bar: "2026-09-03" }), NOW).dates).toBeNull();
	});
});
