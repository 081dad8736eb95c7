import { expect, it } from "vitest";
import { type AuditFact, findLostRegions, toAnnotations } from "./annotation.ts";

const line = (action: string, some: Partial<AuditFact> = {}): AuditFact => ({
	...{ id: 1, atMs: 10, action, subject: "default", before: null, after: null },
	...some,
});

it.each([
	[line("policy.publish", { after: { version: 4 } }), "policy", "Policy default v4 published"],
	[line("policy.rollback", { after: { version: 3 } }), "policy", "Policy default rolled back to v3"],
	[
		line("budget.change_cap", { subject: "cloud-month", before: { capMicroUsd: "500000000" }, after: { capMicroUsd: "1250500000" } }),
		...["budget", "Budget cloud-month: cap $500 to $1,250.5"],
	],
	[line("pool.price", { subject: "home/a100", after: { microUsdPerGpuHour: "1200000" } }), "price", "Pool home/a100: $1.2 per GPU-hour"],
	[line("pool.price", { subject: "home/a100" }), "price", "Pool home/a100: price changed"],
	[line("rate_card.set", { subject: "home/a100" }), "price", "Pool home/a100: rate card changed"],
	[line("discounts.set"), "price", "Cloud discounts changed"],
	[line("commitments.set"), "price", "Commitments changed"],
] as const)("%o", (fact, kind, text) => expect(toAnnotations([fact as AuditFact], [])).toEqual([{ id: "audit-1", atMs: 10, kind, text }]));

it("orders entries by time across sites and omits other actions", () => {
	const sites = [
		{ id: 6, atMs: 1, name: "New site", healthy: true },
		{ id: 7, atMs: 5, name: "Hall B", healthy: false },
		{ id: 8, atMs: 15, name: "Hall B", healthy: true },
	];
	const found = toAnnotations([line("policy.publish"), line("job.cancel", { id: 2 })], sites);
	expect(found.map(({ text }) => text)).toEqual(["Hall B is unhealthy", "Policy default published", "Hall B is healthy again"]);
});

it("marks a region that loses three attempts at about the same time, and no single losses", () => {
	const lost = (attemptId: string, minute: number, region: string) => ({ attemptId, atMs: minute * 60_000, site: "AWS", region });
	const found = findLostRegions([
		...[lost("c", 12, "us-east-1"), lost("a", 0, "us-east-1"), lost("b", 10, "us-east-1")],
		...[lost("d", 90, "us-east-1"), lost("e", 0, "eu-west-1"), lost("f", 5, "eu-west-1")],
	]);
	expect(found).toEqual([{ id: "lost-a", atMs: 0, kind: "region", text: "AWS us-east-1 lost 3 running attempts" }]);
});
