/** A version of a closed statement; team "" is the company. */
export interface ClosedVersion {
	month: string;
	team: string;
	version: number;
}

/** How far to read the ledger: as of a closed version, or as of an instant. */
export type LedgerCut = { atMs: number } | ClosedVersion;

const VERSION = /^(20\d\d-(?:0[1-9]|1[0-2]))\/([1-9]\d{0,5})(?:\/(.{1,128}))?$/;
const INSTANT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

/** Reads `2026-11/2`, `2026-11/2/risk` or `2026-12-03T06:00:00Z`; null for anything else and for times before 1970. */
export function parseLedgerCut(text: string): LedgerCut | null {
	const [, month, version, team = ""] = VERSION.exec(text) ?? [];
	if (month !== undefined) return { month, team, version: Number(version) };
	const atMs = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
	return atMs >= 0 ? { atMs } : null;
}

/** In the form that parseLedgerCut() reads; null for a preview, which is version 0. */
export function cutOfVersion({ month, team, version }: ClosedVersion): string | null {
	return version === 0 ? null : `${month}/${version}${team === "" ? "" : `/${team}`}`;
}
