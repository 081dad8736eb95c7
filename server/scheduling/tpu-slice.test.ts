import { describe, expect, it } from "vitest";
import { removalSentenceOf } from "#server/domain/removal-sentences.ts";
import { TPU_SLICES } from "#server/domain/tpu-slice.ts";
import { defined } from "#server/kernel/assert.ts";
import { decide } from "./decide.ts";
import { aJob, anOffer, aSnapshot } from "./testing/builders.ts";

const slice = anOffer({
	...{ id: "gcp:us-east5:us-east5-b:v6e-16:on_demand", provider: "gcp", region: "us-east5", zone: "us-east5-b", instanceType: "v6e-16" },
	...{ accelerator: "TPU-v6e", gpus: 4, usd: "10.8", gangs: true },
});

function decided(nodes: number, gpus = 4) {
	const job = aJob("j").nodes(nodes).gpus(gpus).accelerators("TPU-v6e").build();
	const plan = decide(aSnapshot({ offers: [slice], pools: [], pending: [job] }), { explain: new Set([job.jobId]) });
	return { action: plan.actions[0], removed: defined(plan.explanations[0], "explanation").removed.map((r) => r.cheapest.removedBy) };
}

describe("TPU slices", () => {
	it.each(TPU_SLICES.map((known) => [known.acceleratorType, known] as const))(
		"of %s: the topology has the chips of all hosts",
		(_, known) => {
			const chips = known.topology.split("x").reduce((product, side) => product * Number(side), 1);
			expect(chips).toBe(known.hosts * known.chipsPerHost);
		},
	);

	it("run a job with as many nodes as the slice has hosts", () => {
		expect(decided(4).action).toMatchObject({ kind: "launch", offer: { id: slice.id }, instances: 4 });
	});

	it.each([1, 2, 8])("are excluded for %i nodes, with the number of hosts", (nodes) => {
		const [removal] = decided(nodes).removed;
		expect(removal?.why).toBe("hardware_slice");
		expect(removalSentenceOf(defined(removal, "removal"))).toBe(
			`Its TPU slice v6e-16 has 4 hosts, which start together; the job has nodes: ${nodes}.`,
		);
	});

	it("are excluded for more chips than a host has", () => {
		expect(decided(4, 8).removed[0]?.why).toBe("hardware_gpus");
	});
});
