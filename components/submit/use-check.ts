"use client";
import { useEffect, useMemo, useState } from "react";
import type { Check, checkDraft } from "./check-draft.ts";

/**
 * Validation of the draft. The server validated the first text; the schema loads on the first edit, until then the
 * result is unknown.
 */
export function useCheck(text: string, first: { text: string; check: Check }): Check {
	const [check, setCheck] = useState<typeof checkDraft | null>(null);
	const wanted = check === null && text !== first.text ? text : null;
	// Synchronizes with the network; a failed load is retried on the next change.
	useEffect(() => {
		if (wanted === null) return;
		import("./check-draft.ts").then(
			(loaded) => setCheck(() => loaded.checkDraft),
			() => undefined,
		);
	}, [wanted]);
	return useMemo(
		() => (text === first.text ? first.check : check ? check(text) : { ...first.check, spec: null, problems: [] }),
		[text, first, check],
	);
}
