import { performance } from "#server/contract/performance.ts";
import { performanceBy } from "#server/services/reporting/performance/performance-by.ts";
import { reportGpuUse } from "#server/services/reporting/performance/report-gpu-use.ts";
import { bind } from "./bind.ts";
import { rangeOf } from "./spend.ts";

export const performanceOperations = {
	by: bind(performance.by, (ctx, input) => {
		const { fromMs, toMs, groupBy } = performance.by.input.parse(input);
		return performanceBy(ctx, { ...rangeOf(ctx, { fromMs, toMs }), groupBy });
	}),
	report: bind(performance.report, reportGpuUse),
};
