import { expect, it } from "vitest";
import { readCsv } from "#components/csv/read-csv.testing.ts";
import { barsCsv } from "./bars-csv.ts";
import type { BarsInput } from "./stacked-bars.ts";

const bar = (id: string) => ({ id, label: id, posted: [{ seriesId: "used", value: 1, text: "$1.00" }], forecast: [], done: 1 });
const input: BarsInput = {
	axis: "usd",
	series: [{ id: "used", label: "Owned", fill: "owned" }],
	bars: [bar("1 Nov"), bar("2 Nov")],
};

it("exports the events of each bar, and no column without events", () => {
	const mark = { id: "a", kind: "site", atMs: 0, share: 0.75, when: "2 Nov, 12:00 UTC", text: "AWS is unhealthy" } as const;
	expect(readCsv(barsCsv(input, "Day", [mark])).map(({ Events }) => Events)).toEqual(["", "AWS is unhealthy (2 Nov, 12:00 UTC)"]);
	expect(Object.keys(readCsv(barsCsv(input, "Day"))[0] ?? {})).not.toContain("Events");
});
