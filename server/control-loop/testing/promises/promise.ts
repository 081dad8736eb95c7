import type { Observed } from "./observed.ts";

/**
 * One promise, checked against the rows and the truth by separate code: it shares no logic with what it checks.
 * Both return what is broken, with the relevant ids, or null.
 */
export interface Promised {
	name: string;
	/** After each step of the loop. */
	after(seen: Observed): string | null;
	/** After everything has settled and all time is charged. */
	atEnd(seen: Observed): string | null;
}
