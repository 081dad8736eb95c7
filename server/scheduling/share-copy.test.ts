import { describe, expect, it } from "vitest";
import { DAY_MS } from "#server/kernel/units.ts";
import { judgeSharing, type SharingFacts } from "./share-copy.ts";

/** 100 GiB: $9 to copy once, $2.30 a month to keep, read by 4 jobs for $9 each in 30 days. */
const facts = (part: Partial<SharingFacts> = {}): SharingFacts => ({
	...{ jobs: 4, egressMicroUsd: 36_000_000, freshMs: 30 * DAY_MS, copyMicroUsd: 9_000_000, storageMicroUsdPerMonth: 2_300_000 },
	...part,
});

describe("a copy for later jobs", () => {
	it("is worth its cost when it saves more egress than its own egress and storage", () => {
		expect(judgeSharing(facts())).toEqual({ savedMicroUsd: 36_000_000, costMicroUsd: 11_300_000, isWorth: true });
		expect(judgeSharing(facts({ jobs: 2, egressMicroUsd: 11_300_000 })).isWorth).toBe(false);
		expect(judgeSharing(facts({ jobs: 2, egressMicroUsd: 11_300_001 })).isWorth).toBe(true);
	});

	it("counts only the time for which it is fresh, at most 30 days", () => {
		expect(judgeSharing(facts({ freshMs: 10 * DAY_MS }))).toEqual({ savedMicroUsd: 12_000_000, costMicroUsd: 9_766_667, isWorth: true });
		expect(judgeSharing(facts({ freshMs: 5 * DAY_MS })).isWorth).toBe(false);
		expect(judgeSharing(facts({ freshMs: 300 * DAY_MS }))).toEqual(judgeSharing(facts()));
	});

	it.each([
		["a single job read the data", { jobs: 1 }],
		["the storage price is unknown", { storageMicroUsdPerMonth: null }],
	])("is not worth it when %s", (_, part) => {
		expect(judgeSharing(facts(part)).isWorth).toBe(false);
	});
});
