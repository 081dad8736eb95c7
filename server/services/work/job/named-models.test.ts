import { expect, it } from "vitest";
import { aSpec } from "../agent/testing/seed.ts";
import { withNamedModels } from "./named-models.ts";

const asking = (...accelerators: string[]) => aSpec({ resources: { gpus: 1, accelerators, cpus: null, memoryGiB: null } });

it.each([
	[["H100"], ["H100", "H100-80GB"]],
	[["a100"], ["a100", "A100-80GB", "A100-40GB"]],
	[
		["nvidia-l4", "L4-24GB"],
		["nvidia-l4", "L4-24GB"],
	],
	[["TPU-v5e"], ["TPU-v5e"]],
	[["tpu v5e"], ["tpu v5e", "TPU-v5e"]],
	[["tpu-v6e-slice"], ["tpu-v6e-slice", "TPU-v6e"]],
	[["MyChip"], ["MyChip"]],
	[["A100-80GB"], ["A100-80GB"]],
	[[], []],
])("%j accepts %j", (written, models) => {
	expect(withNamedModels(asking(...written)).resources.accelerators).toEqual(models);
});

it("returns the same object for a job with canonical model names", () => {
	const spec = asking("H100-80GB");
	expect(withNamedModels(spec)).toBe(spec);
});

it("adds the models to declared speeds, and prefers an entry with a canonical model", () => {
	const spec = { ...asking(), throughput: { A100: 2, "A100-40GB": 1.5, H100: 4 } };
	expect(withNamedModels(spec).throughput).toEqual({ A100: 2, "A100-80GB": 2, "A100-40GB": 1.5, H100: 4, "H100-80GB": 4 });
});
