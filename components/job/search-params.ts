import { parseAsInteger, parseAsString } from "nuqs/server";

/** The selected attempt's log and decision; the newest if absent. */
export const jobPageParams = { attempt: parseAsInteger, decision: parseAsString };
