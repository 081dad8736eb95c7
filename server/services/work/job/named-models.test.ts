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
])("%j will do as %j", (written, models) => {
	expect(withNamedModels(asking(...written)).resources.accelerators).toEqual(models);
});

it("leaves a job that names models as they are called the same object", () => {
	const spec = asking("H100-80GB");
	expect(withNamedModels(spec)).toBe(spec);
});

it("names the models of declared speeds, and prefers an entry that names a model", () => {
	const spec = { ...asking(), throughput: { A100: 2, "A100-40GB": 1.5, H100: 4 } };
	expect(withNamedModels(spec).throughput).toEqual({ A100: 2, "A100-80GB": 2, "A100-40GB": 1.5, H100: 4, "H100-80GB": 4 });
});
