"use client";
import { useState } from "react";
import { notify } from "#components/ui/toast.tsx";

type Edits = typeof import("./edit-yaml.ts") & typeof import("./apply-suggestion.ts");

/** They bring the YAML library, which a page that is only looked at need not load. */
async function loadEdits(): Promise<Edits> {
	const [edit, apply] = await Promise.all([import("./edit-yaml.ts"), import("./apply-suggestion.ts")]);
	return { ...edit, ...apply };
}

/** What changes the text of a job file, null until somebody turns to the form; `withEdits` waits for it. */
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
			() =>
				notify({ tone: "failed", title: "The form could not be loaded", detail: "The server did not answer. Change the field once more." }),
		);
	};
	return { edits, withEdits };
}
