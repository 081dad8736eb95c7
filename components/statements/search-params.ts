import { createLoader, createSerializer, parseAsInteger, parseAsString } from "nuqs/server";
import { underBase } from "#components/ui/under-base.ts";

const params = {
	/** "" is the company; absent is the user's default. */
	team: parseAsString,
	version: parseAsInteger,
};
export const loadStatementParams = createLoader(params);
const serialize = createSerializer(params);

export const statementsHref = (team: string | null): string => serialize("/statements", { team, version: null });
export const statementHref = (month: string, team: string, version: number | null = null): string =>
	serialize(`/statements/${month}`, { team: team === "" ? null : team, version });

/** The page's own download, authenticated by the session cookie. */
export function statementFileHref(month: string, team: string, version: number, format: "pdf" | "csv"): string {
	const query = new URLSearchParams({ format, version: String(version), ...(team === "" ? {} : { team }) });
	return underBase(`/api/statements/${month}?${query.toString()}`);
}
