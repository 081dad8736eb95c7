import { describe, expect, it } from "vitest";
import type { Offer } from "#server/domain/capacity.ts";
import { efaInterfacesOf, hasInterconnect } from "#server/domain/interconnect.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { removalSentenceOf } from "#server/domain/removal-sentences.ts";
import { sentenceOf } from "#server/domain/sentences.ts";
import { defined } from "#server/kernel/assert.ts";
import { decide } from "./decide.ts";
import { aJob, anOffer, aPool, aSnapshot } from "./testing/builders.ts";
import type { PendingJob, PoolView } from "./types.ts";

const offer = (instanceType: string, usd: string, part: Partial<Offer> = {}): Offer =>
	anOffer({ id: `aws:us-east-1:*:${instanceType}:on_demand`, instanceType, usd, gangs: true, ...part });
const plain = offer("p3.16xlarge", "1.00");
const efa = offer("p4d.24xlarge", "2.00");

function aGang(part: Partial<JobSpec>, nodes = 2): PendingJob {
	const job = aJob().nodes(nodes).build();
	return { ...job, spec: { ...job.spec, ...part } };
}

function decided(job: PendingJob, offers: readonly Offer[], pools: readonly PoolView[] = []) {
	const plan = decide(aSnapshot({ offers: [...offers], pending: [job], pools: [...pools] }), { explain: new Set([job.jobId]) });
	const explanation = defined(plan.explanations[0], "explanation");
	const chosen = explanation.candidates.find((c) => c.outcome === "chosen")?.placement.instanceType ?? null;
	return { explanation, chosen, removed: explanation.removed.map(removalSentence) };
}

const removalSentence = ({ cheapest: { removedBy } }: { cheapest: { removedBy: Parameters<typeof removalSentenceOf>[0] | null } }) =>
	removedBy && removalSentenceOf(removedBy);

describe("instance types with a high-bandwidth interconnect", () => {
	it.each([
		["aws", "p5.48xlarge", true],
		["aws", "g5.8xlarge", true],
		["aws", "g5.4xlarge", false],
		["aws", "p3.16xlarge", false],
		["azure", "Standard_ND96isr_H100_v5", true],
		["azure", "Standard_ND96asr_v4", true],
		["azure", "Standard_NC24rs_v3", true],
		["azure", "Standard_ND96is_H100_v5", false],
		["azure", "Standard_NC96ads_A100_v4", false],
		["gcp", "a3-megagpu-8g", false],
		["gcp", "a3-ultragpu-8g", false],
		["gcp", "a2-megagpu-16g", true],
		["gcp", "a3-highgpu-1g", false],
		["gcp", "g2-standard-96", false],
		["gcp", "v6e-16", true],
		["slurm", "p5.48xlarge", false],
	] as const)("%s %s: %s", (provider, instanceType, expected) =>
		expect(hasInterconnect({ provider, instanceType, capacityType: "on_demand" })).toBe(expected),
	);

	it("are not used as spot on Azure, since availability sets take no spot machines", () => {
		const spot = { instanceType: "Standard_ND96asr_v4", capacityType: "spot" } as const;
		expect(hasInterconnect({ provider: "azure", ...spot })).toBe(false);
		expect(hasInterconnect({ provider: "aws", ...spot, instanceType: "p4d.24xlarge" })).toBe(true);
		const facts = { has: spot.instanceType, spot: true };
		const sentence = removalSentenceOf({ ruleId: null, why: "hardware_interconnect", facts });
		expect(sentence).toBe("Its instance type Standard_ND96asr_v4 has no high-bandwidth interconnect as spot.");
	});

	it("need the site's subnetworks for their GPU interfaces on Google Cloud", () => {
		const has = (instanceType: string, gpuSubnetworks: number) =>
			hasInterconnect({ provider: "gcp", instanceType, capacityType: "on_demand", gpuSubnetworks });
		expect([has("a3-highgpu-8g", 3), has("a3-highgpu-8g", 4), has("a3-megagpu-8g", 7), has("a3-megagpu-8g", 8)]).toEqual([
			...[false, true, false, true],
		]);
		expect(has("a2-highgpu-8g", 0)).toBe(true);
		const facts = { has: "a3-highgpu-8g", spot: false, needsSubnetworks: 4, region: "us-central1" };
		expect(removalSentenceOf({ ruleId: null, why: "hardware_interconnect", facts })).toBe(
			"Site setting gpuSubnetworks has fewer than the 4 subnetworks that a3-highgpu-8g needs in us-central1.",
		);
	});

	it("have the number of EFA interfaces that EC2 reports", () => {
		const types = ["p4d.24xlarge", "p5.48xlarge", "p5en.48xlarge", "g6e.48xlarge", "p3.2xlarge", "p6-b300.48xlarge"];
		expect(types.map(efaInterfacesOf)).toEqual([4, 32, 16, 4, 0, 16]);
	});
});

describe("a gang that requests interconnect: high", () => {
	it("takes the cheapest offer that has one, and names why others are excluded", () => {
		const { chosen, removed } = decided(aGang({ interconnect: "high" }), [plain, efa]);
		expect(chosen).toBe("p4d.24xlarge");
		expect(removed).toContain("Its instance type p3.16xlarge has no high-bandwidth interconnect.");
	});

	it("takes the cheapest offer without that request", () => {
		expect(decided(aGang({}), [plain, efa]).chosen).toBe("p3.16xlarge");
	});

	it("is satisfied by any machine when it has one node", () => {
		expect(decided(aGang({ interconnect: "high" }, 1), [plain, efa]).chosen).toBe("p3.16xlarge");
	});

	it("fails with that reason when no place has one", () => {
		const { explanation } = decided(aGang({ interconnect: "high" }), [plain], [aPool()]);
		expect(explanation.outcome).toBe("fail");
		expect(sentenceOf(explanation.reason)).toMatch(/no machines that could run it have a high-bandwidth interconnect/);
	});

	it("is decided separately from an equal gang that accepts any network", () => {
		const [first, second] = [aGang({ interconnect: "high" }), aGang({})];
		const other = { ...second, jobId: "job_other", spec: { ...second.spec, name: "other" } };
		const plan = decide(aSnapshot({ offers: [plain, efa], pending: [first, other], pools: [] }));
		const launches = plan.actions.flatMap((a) => (a.kind === "launch" ? [[a.jobId, a.offer.instanceType]] : []));
		expect(Object.fromEntries(launches)).toEqual({ [first.jobId]: "p4d.24xlarge", job_other: "p3.16xlarge" });
	});
});

describe("an owned pool", () => {
	const pool = (interconnect?: PoolView["interconnect"]) => aPool({ nodes: 2, gpusPerNode: 1, ...(interconnect && { interconnect }) });
	const high = aGang({ interconnect: "high" });

	it("is excluded when its site declares no such network", () => {
		const { explanation, chosen } = decided(high, [efa], [pool("none")]);
		expect(chosen).toBe("p4d.24xlarge");
		const home = explanation.candidates.find(({ placement }) => placement.capacityType === "owned");
		expect(home?.removedBy && removalSentenceOf(home.removedBy)).toBe("Its nodes have no high-bandwidth interconnect.");
	});

	it.each([
		["high", undefined],
		[undefined, true],
	] as const)("is used when its network is declared %s, and is marked as unknown: %s", (declared, unknown) => {
		const { explanation } = decided(high, [efa], [pool(declared)]);
		const home = explanation.candidates.find(({ placement }) => placement.capacityType === "owned");
		expect([explanation.outcome, home?.outcome, home?.interconnectUnknown]).toEqual(["place_home", "chosen", unknown]);
	});

	it("is not affected by jobs that accept any network", () => {
		const { explanation } = decided(aGang({}), [efa], [pool("none")]);
		expect(explanation.outcome).toBe("place_home");
		expect(explanation.candidates[0]?.interconnectUnknown).toBeUndefined();
	});
});
