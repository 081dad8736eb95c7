import { z } from "zod";

/** Where an owned site keeps the data that its jobs fetched, for later jobs. */
export interface SiteCache {
	/** A folder of the scheduler's host, absolute. */
	path: string;
	/** GiB to keep; the data used longest ago is deleted first. */
	gib: number;
}

/** The site setting `cache`. */
export const siteCacheSchema = z.strictObject({
	path: z
		.string()
		.max(1_024)
		.regex(/^\/(?!$)/, "must be the absolute path of a folder, for example /scratch/spillway"),
	gib: z.number().int("must be a whole number of GiB").min(1).max(1_000_000),
});

/** The cache in a site's settings. If it is invalid, which only a direct database write can cause, there is none. */
export function cacheOf(settings: Record<string, unknown>): SiteCache | undefined {
	return siteCacheSchema.safeParse(settings["cache"]).data;
}
