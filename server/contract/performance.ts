import { gpuUseInput, performanceInput } from "./inputs/performance.ts";
import { TIME_RANGE } from "./inputs/spend.ts";
import { operation } from "./operation.ts";
import { gpuUseSchema, performanceSchema } from "./outputs/performance.ts";

export const performance = {
	by: operation({
		method: "GET",
		path: "/performance",
		summary: "Get waits, time to model, throughput, GPU utilization and lost GPU-hours by dimension or by time",
		description:
			"Jobs count where they ended in the range, by their last placement; attempts by their own ([performance](performance.md)). The last 30 days by team by default.",
		permission: "job:read",
		example: { groupBy: "site" },
		output: performanceSchema,
		wire: TIME_RANGE,
		input: performanceInput,
	}),
	report: operation({
		method: "POST",
		path: "/sites/{id}/gpu-use",
		summary: "Report GPU utilization of a node at home",
		description: "`text` is the metrics page of the DCGM exporter, or `nvidia-smi --query-gpu=index,utilization.gpu --format=csv`.",
		permission: "site:manage",
		example: { node: "gpu-01", text: "0, 87 %\n1, 92 %\n" },
		output: gpuUseSchema,
		input: gpuUseInput,
		write: true,
	}),
};
