"use client";
import { useState } from "react";
import { notify } from "#components/ui/toast.tsx";

type Edits = typeof import("./edit-yaml.ts") & typeof import("./apply-suggestion.ts");

/** Uses the YAML library, which read-only pages do not load. */
async function loadEdits(): Promise<Edits> {
	const [edit, apply] = await Promise.all([import("./edit-yaml.ts"), import("./apply-suggestion.ts")]);
	return { ...edit, ...apply };
}

/** The edit functions; null until the form is focused. `withEdits` waits for them. */
export function useEdits(): { edits: Edits | null; withEdits: (use: (edits: Edits) => void) => void } {
	const [edits, setEdits] = useState<Edits | null>(null);
	const withEdits = (use: (edits: Edits) => void) => {
		if (edits) {
			use(edits);
			return;
		}
		loadEdits().then(
			(loaded) => {
				setEdits(loaded);
				use(loaded);
			},
			() => notify({ tone: "failed", title: "Could not load the form", detail: "The server did not respond. Edit the field again." }),
		);
	};
	return { edits, withEdits };
}
