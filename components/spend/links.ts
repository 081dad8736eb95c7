/** Ways into the screen from elsewhere, as texts: the screen's own code is not needed there. A test holds them to it. */
export const CLOUD_SPEND = "/spend?capacity=reserved,on_demand,spot";

/** The charges of a job in these days, both included; as `2026-11-30`. */
export const jobChargesHref = (jobId: string, from: string, to: string): string =>
	`/spend/charges?from=${from}&to=${to}&job=${encodeURIComponent(jobId)}`;
