import type { SiteSettings } from "./form-values.ts";

/** Describes where a site's credentials are stored. */
export function describeSource(source: SiteSettings["credentials"]["source"] | undefined): string {
	switch (source?.kind) {
		case "stored":
			return "stored, encrypted";
		case "file":
			return `in ${source.path}`;
		case "environment":
			return `in ${source.name}`;
		default:
			return "detected from environment";
	}
}
