/** `labels` names the labels of a metric that may have no sample. */
export type Gauge = (
	name: string,
	help: string,
	samples: { labels?: Record<string, string>; value: number }[],
	options?: { type?: "gauge" | "counter"; labels?: string[] },
) => void;
