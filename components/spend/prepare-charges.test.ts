import { describe, expect, it } from "vitest";
import { chargesCsv } from "./export-csv.ts";
import { type ChargeLine, causeOf, chargeName } from "./prepare-charges.ts";

const charge = (more: Partial<ChargeLine> = {}): ChargeLine => ({
	...{ id: "chg_1", periodStartMs: Date.UTC(2026, 10, 3, 14), periodEndMs: Date.UTC(2026, 10, 3, 14, 30) },
	dimensions: {
		...{ team: "risk", project: "fraud", class: "burst", siteId: "aws", provider: "aws", region: "us-east-1" },
		...{ capacityType: "spot", accelerator: "L4-24GB", kind: "compute" },
	},
	...{ jobId: "job_1", attemptId: "att_1", instanceId: "ins_1", allocationId: null, poolId: null, billLineId: null },
	...{ artifactId: null, correction: null },
	...{ gpuMs: 1_800_000n, listMicroUsd: 400_000n, contractedMicroUsd: 400_000n, effectiveMicroUsd: 150_001n, billedMicroUsd: 0n },
	...{ energyMilliWh: 0n, measuredEnergyMilliWh: 0n, hourlyGridMilliWh: 0n },
	...{ emissionsMilligrams: null, marketEmissionsMilligrams: null, embodiedMilligrams: null },
	...{ cause: { kind: "instance", id: "ins_1" }, jobName: "=train" },
	...more,
});

describe("a charge", () => {
	it("names its kind and correction reason", () => {
		expect(chargeName(charge())).toBe("Compute");
		expect(chargeName(charge({ correction: "end_learnt_late" }))).toBe("Compute, corrected: late end time");
		const adjusted = { ...charge().dimensions, kind: "adjustment" as const };
		expect(chargeName(charge({ dimensions: adjusted, correction: "bill_price" }))).toBe("Corrected: billed price");
	});

	it.each([
		["a machine", charge(), "/sites#machines"],
		["slots at home", charge({ cause: { kind: "allocation", id: "alc_1" } }), "/jobs/job_1"],
		["a result", charge({ cause: { kind: "artifact", id: "art_1" } }), "/jobs/job_1/files"],
		["a pool", charge({ jobId: null, cause: { kind: "pool", id: "gpu" } }), "/sites"],
		["a line of a bill", charge({ jobId: null, cause: { kind: "bill_line", id: "bln_1" } }), "/statements/2026-11/bills"],
	])("links to its cause: %s", (_, one, href) => expect(causeOf(one)).toMatchObject({ id: one.cause.id, href }));

	it("exports all fields with exact amounts", () => {
		const [head = "", line = ""] = chargesCsv([charge()]).split("\r\n");
		const fields = Object.fromEntries(head.split(",").map((name, i) => [name, line.split(",")[i]]));
		expect(fields).toMatchObject({
			...{ Charge: "chg_1", "From (UTC)": "2026-11-03T14:00:00.000Z", Kind: "compute", Team: "risk", Site: "aws", Capacity: "spot" },
			...{ "GPU-hours": "0.5000", "List USD": "0.400000", "Effective USD": "0.150001", "Billed USD": "0.000000", Cause: "instance" },
		});
	});
});
