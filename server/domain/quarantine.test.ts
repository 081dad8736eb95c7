import { expect, it } from "vitest";
import { quarantineOf } from "./quarantine.ts";

// Quoted from the drivers: server/providers/{aws,azure}/…, server/providers/gcp/prices/compose.ts.
it.each([
	['EC2 spot price history: the price "14" was refused: it is more than 10 times above the snapshot\'s ($0.4)', /more than 10 times above/],
	[
		"Karpenter; the price of Azure Retail Prices was refused: $0.3 is more than 10 times below its neighbors' ($3.7)",
		/10 times below its neighbors/,
	],
	["Cloud Billing Catalog: refused, since $56.148 is more than 10 times above the snapshot's ($0.7)", /10 times above the snapshot/],
])("finds why a price was rejected in %s", (source, why) => {
	expect(quarantineOf(source)).toMatch(why);
});

it("returns null for a plausible price", () => {
	expect(quarantineOf("list price of 2026-07-20: AWS price list")).toBeNull();
});
