"use client";
import { useEffect, useMemo, useState } from "react";
import type { Check, checkDraft } from "./check-draft.ts";

/** What the text says. The server has checked the first one; the schema comes with the first change, and till then nobody knows. */
export function useCheck(text: string, first: { text: string; check: Check }): Check {
	const [check, setCheck] = useState<typeof checkDraft | null>(null);
	const wanted = check === null && text !== first.text ? text : null;
	// The external system is the network; a load that fails is tried again at the next change.
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
