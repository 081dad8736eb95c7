/** Links to this screen from others, as strings to avoid importing its code. A test keeps them valid. */
export const CLOUD_SPEND = "/spend?capacity=reserved,on_demand,spot";

/** Charges of a job in these days, inclusive, such as `2026-11-30`. */
export const jobChargesHref = (jobId: string, from: string, to: string): string =>
	`/spend/charges?from=${from}&to=${to}&job=${encodeURIComponent(jobId)}`;
