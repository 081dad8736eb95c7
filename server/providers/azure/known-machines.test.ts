import { expect, it } from "vitest";
import { HOUR_MS } from "#server/kernel/units.ts";
import type { InstanceObservation } from "../driver.ts";
import { KnownMachines } from "./known-machines.ts";

const ID = "spillway/ins-1";
const seen: InstanceObservation = {
	providerInstanceId: ID,
	instanceId: "ins_1",
	region: "eastus",
	zone: null,
	instanceType: "Standard_NC4as_T4_v3",
	capacityType: "on_demand",
	state: "running",
	launchedAtMs: 0,
	billing: { phase: "now", fromMs: null },
	stateReasonCode: null,
	privateAddress: null,
};

it("counts a machine as ended only if it was being deleted and is missing", () => {
	const known = new KnownMachines();
	known.see(seen);
	expect(known.missing(ID, 10)).toBe(false);
	expect(known.gone(ID, 10)).toBeNull();
	known.deleting(ID, { askedMs: 4, answeredMs: 6 });
	expect(known.deletingIn("eastus")).toEqual([ID]);
	known.see({ ...seen, state: "stopping" });
	expect(known.gone(ID, 10)).toBeNull();
	expect(known.missing(ID, 20)).toBe(true);
	expect(known.gone(ID, 20)).toMatchObject({ state: "terminated", stateReasonCode: "Deleted" });
	expect(known.deletingIn("eastus")).toEqual([]);
	expect(known.goneIn("eastus", 20)).toHaveLength(1);
	expect(known.goneIn("westus", 20)).toEqual([]);
});

it("reports which of our calls ended it: billed before the call, and not after", () => {
	const known = new KnownMachines();
	const over = { ...seen, state: "stopping", billing: { phase: "over", fromMs: null, untilMs: null } } as const;
	known.see(seen);
	known.deleting(ID, { askedMs: 4, answeredMs: 6 });
	known.see(seen);
	expect(known.withEnd(over)).toEqual(over);
	known.deleting(ID, { askedMs: 14, answeredMs: 16 });
	known.see(over);
	known.deleting(ID, { askedMs: 24, answeredMs: 26 });
	const endedBetween = { askedMs: 14, answeredMs: 16 };
	expect(known.withEnd(over).billing).toEqual({ ...over.billing, endedBetween });
	known.missing(ID, 30);
	expect(known.gone(ID, 30)?.billing).toEqual({ ...over.billing, endedBetween });
});

it("does not count a second call as the end when the first one's response was lost", () => {
	const known = new KnownMachines();
	const over = { ...seen, state: "stopping", billing: { phase: "over", fromMs: null, untilMs: null } } as const;
	known.see(seen);
	known.see(over);
	known.deleting(ID, { askedMs: 24, answeredMs: 26 });
	expect(known.withEnd(over)).toEqual(over);
	expect(known.missing(ID, 30)).toBe(true);
	expect(known.gone(ID, 30)?.billing).toEqual(over.billing);
});

it("forgets it after an hour, and accepts it when Azure shows one again", () => {
	const known = new KnownMachines();
	known.see(seen);
	known.deleting(ID, { askedMs: 4, answeredMs: 6 });
	known.missing(ID, 0);
	expect(known.gone(ID, HOUR_MS)).not.toBeNull();
	expect(known.gone(ID, HOUR_MS + 1)).toBeNull();
	known.see(seen);
	expect(known.gone(ID, 0)).toBeNull();
	expect(known.last(ID)).toEqual(seen);
	expect(known.last("spillway/other")).toBeNull();
});
