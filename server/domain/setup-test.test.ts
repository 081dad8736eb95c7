import { describe, expect, it } from "vitest";
import { jobDocumentSchema } from "./job-schema.ts";
import { setupTestJob, setupTestProblem } from "./setup-test.ts";

const slurm = { provider: "slurm", enabled: true, pools: [{ accelerator: "A100-80GB" }] } as const;
const OFFERED = ["A100-80GB", "H100-80GB", "L4-24GB"];
const requested = (...args: Parameters<typeof setupTestJob>) => setupTestJob(...args)?.spec.resources?.accelerators;

describe("the set-up's test jobs", () => {
	it("request an accelerator of the cluster at home, and any other one in the cloud", () => {
		const given = { team: "research", sites: [slurm], offered: OFFERED };
		expect([requested("home", given), requested("cloud", given)]).toEqual([["A100-80GB"], ["H100-80GB", "L4-24GB"]]);
	});

	it("are valid job files, with an image only where the cluster requires one", () => {
		const kubernetes = { ...slurm, provider: "kubernetes" as const };
		for (const site of [slurm, kubernetes]) {
			const job = jobDocumentSchema.parse(setupTestJob("home", { team: "research", sites: [site], offered: [] }));
			expect(job.spec.image !== undefined).toBe(site === kubernetes);
		}
	});

	it("do not exist without a cluster, or when clouds offer only what a cluster has", () => {
		const disabled = { ...slurm, enabled: false };
		expect(setupTestJob("home", { team: "research", sites: [disabled], offered: OFFERED })).toBeNull();
		expect(setupTestJob("cloud", { team: "research", sites: [slurm], offered: ["A100-80GB"] })).toBeNull();
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
