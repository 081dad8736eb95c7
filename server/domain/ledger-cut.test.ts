import { expect, it } from "vitest";
import { cutOfVersion, parseLedgerCut } from "./ledger-cut.ts";

it.each([
	{ month: "2026-11", team: "", version: 1 },
	{ month: "2026-12", team: "a/b ~", version: 12 },
])("round-trips a version: %o", (version) => expect(parseLedgerCut(cutOfVersion(version) ?? "")).toEqual(version));

it("rejects a preview as a version", () => expect(cutOfVersion({ month: "2026-11", team: "", version: 0 })).toBeNull());

it("reads an instant with its zone, and a day as starting in UTC", () => {
	expect(parseLedgerCut("2026-12-03T07:00:00+01:00")).toEqual({ atMs: Date.UTC(2026, 11, 3, 6) });
	expect(parseLedgerCut("2026-12-03")).toEqual({ atMs: Date.UTC(2026, 11, 3) });
});

it.each(["", "2026-11", "2026-13/1", "2026-11/0", "2026-11/1/", "2026-12-03T07:00", "2026-12-99", "0000-01-01", "1969-12-31", "yesterday"])(
	"%s is none",
	(text) => expect(parseLedgerCut(text)).toBeNull(),
);
