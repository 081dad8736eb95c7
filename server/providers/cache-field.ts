import type { SiteField } from "./site-kind.ts";

/** The form field of a site's cache for fetched data. */
export function cacheField(): SiteField {
	return {
		...{ name: "cache", label: "Data cache", input: "json", required: false },
		placeholder: JSON.stringify({ path: "/scratch/spillway", gib: 500 }),
		hint: "As JSON: folder of the scheduler's host that keeps fetched data for later jobs, and its size.",
	};
}
