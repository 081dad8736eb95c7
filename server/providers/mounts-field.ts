import type { SiteField } from "./site-kind.ts";

/** The form field of a site's mounts. `source`: an example of what the site can provide. */
export function mountsField(source: { type: string; source: string }, hint: string): SiteField {
	return {
		...{ name: "mounts", label: "Mounts", input: "json", required: false },
		placeholder: JSON.stringify([{ name: "imagenet", ...source, readOnly: true }]),
		hint: `As JSON: file systems that jobs request by name. ${hint}`,
	};
}
