import type { SiteSettings } from "./form-values.ts";

/** Where a site's credentials are, in words. */
export function describeSource(source: SiteSettings["credentials"]["source"] | undefined): string {
	switch (source?.kind) {
		case "stored":
			return "stored, encrypted";
		case "file":
			return `in ${source.path}`;
		case "environment":
			return `in ${source.name}`;
		default:
			return "found where Spillway runs";
	}
}
