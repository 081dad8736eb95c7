import { describe, expect, it } from "vitest";
import type { AzureSku } from "./client.ts";
import { gangZone } from "./gang-zone.ts";

const sku = (zones: string[], closed: string[] = []): AzureSku => ({
	...{ resourceType: "virtualMachines", name: "Standard_ND96isr_H100_v5", locationInfo: [{ location: "eastus", zones }], capabilities: [] },
	restrictions:
		closed.length === 0
			? []
			: [{ type: "Zone", reasonCode: "NotAvailableForSubscription", restrictionInfo: { locations: ["eastus"], zones: closed } }],
});
const of = (attemptId: string) => ({ region: "eastus", instanceType: "standard_nd96isr_h100_v5", attemptId });

describe("gangZone", () => {
	it("is the same for all machines of an attempt, but not for all attempts", () => {
		const sizes = [sku(["3", "1", "2"])];
		const zones = Array.from({ length: 50 }, (_, i) => gangZone(sizes, of(`att_${i}`)));
		expect(gangZone(sizes, of("att_7"))).toBe(zones[7]);
		expect([...new Set(zones)].sort()).toEqual(["eastus-1", "eastus-2", "eastus-3"]);
	});

	it("is a zone that sells the size, and null in a region without zones", () => {
		for (let i = 0; i < 20; i++) expect(gangZone([sku(["1", "2", "3"], ["1", "3"])], of(`att_${i}`))).toBe("eastus-2");
		expect(gangZone([sku([])], of("att_1"))).toBeNull();
		expect(gangZone([], of("att_1"))).toBeNull();
	});
});
