import { parseAsInteger, parseAsString } from "nuqs/server";

/** Which attempt's log and which decision are shown; the newest of each when left out. */
export const jobPageParams = { attempt: parseAsInteger, decision: parseAsString };
