import { describe, expect, it } from "vitest";
import { jobDocumentSchema } from "./job-schema.ts";
import { setupTestJob, setupTestProblem } from "./setup-test.ts";

const slurm = { provider: "slurm", enabled: true, pools: [{ accelerator: "A100-80GB" }] } as const;
const offer = (accelerator: string, microUsdPerHour: string | null, more = {}) => ({
	...{ accelerator, microUsdPerHour, capacityType: "spot", priceStale: false, quarantine: null },
	...more,
});
const OFFERS = [
	offer("A100-80GB", "100"),
	offer("T4", "300", { priceStale: true }),
	offer("L4", "500000"),
	offer("V100", "250", { quarantine: "too cheap" }),
	offer("H100-80GB", "2000000"),
];
const requested = (...args: Parameters<typeof setupTestJob>) => setupTestJob(...args)?.spec.resources?.accelerators;

describe("the set-up's test jobs", () => {
	it("request an accelerator of the cluster at home, and the cheapest other one in the cloud", () => {
		const given = { team: "research", sites: [slurm], offers: OFFERS };
		expect([requested("home", given), requested("cloud", given)]).toEqual([["A100-80GB"], ["L4"]]);
	});

	it("are valid job files, with an image only where the cluster requires one", () => {
		const kubernetes = { ...slurm, provider: "kubernetes" as const };
		for (const site of [slurm, kubernetes]) {
			const job = jobDocumentSchema.parse(setupTestJob("home", { team: "research", sites: [site], offers: [] }));
			expect(job.spec.image !== undefined).toBe(site === kubernetes);
		}
	});

	it("do not exist without a cluster, or without an offer that no cluster has", () => {
		const disabled = { ...slurm, enabled: false };
		expect(setupTestJob("home", { team: "research", sites: [disabled], offers: OFFERS })).toBeNull();
		expect(setupTestJob("cloud", { team: "research", sites: [slurm], offers: OFFERS.slice(0, 2) })).toBeNull();
	});

	it("are not submitted when the cloud test would stay at home or could cost more than $1", () => {
		const quoted = (outcome: string, worstCaseMicroUsd: string) => ({
			outcome,
			reason: { message: "The policy allows no cloud." },
			candidates: [{ outcome: "chosen", placement: { capacityType: "spot" }, worstCaseMicroUsd }],
		});
		expect(setupTestProblem("cloud", quoted("launch", "1000000"))).toBeNull();
		expect(setupTestProblem("cloud", quoted("launch", "1000001"))).toMatch(/more than \$1/);
		expect(setupTestProblem("cloud", quoted("hold", "1"))).toBe("The policy allows no cloud.");
		expect([setupTestProblem("home", quoted("wait", "0")), setupTestProblem("home", quoted("launch", "0"))]).toEqual([
			null,
			"The policy allows no cloud.",
		]);
	});
});
