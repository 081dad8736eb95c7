/** A draft in browser storage. */
export interface KeptDraft {
	source: string;
	/** Its base version. */
	baseVersion: number;
	atMs: number;
}

export const draftKey = (name: string, accountId: string): string => `spillway:policy-draft:${name}:${accountId}`;

/** Null if storage is full, disabled or holds an incompatible draft. */
export function readKept(key: string): KeptDraft | null {
	try {
		return asKept(JSON.parse(localStorage.getItem(key) ?? "null"));
	} catch {
		return null;
	}
}

export function asKept(value: unknown): KeptDraft | null {
	if (typeof value !== "object" || value === null) return null;
	const { source, baseVersion, atMs } = value as Record<string, unknown>;
	return typeof source === "string" && typeof baseVersion === "number" && typeof atMs === "number" ? { source, baseVersion, atMs } : null;
}

/** False if the browser cannot store it. */
export function keep(key: string, draft: KeptDraft | null): boolean {
	try {
		if (draft) localStorage.setItem(key, JSON.stringify(draft));
		else localStorage.removeItem(key);
		return true;
	} catch {
		return false;
	}
}

type Saved = { source: string; baseVersion: number; updatedAt: string };

/** The newer of the browser's and the server's draft, otherwise the active version. */
export function draftToOpen(
	kept: KeptDraft | null,
	saved: Saved | null,
	active: { version: number; source: string },
): { source: string; baseVersion: number; from: "browser" | "server" | "published" } {
	const savedAtMs = saved ? Date.parse(saved.updatedAt) : Number.NEGATIVE_INFINITY;
	if (kept && kept.atMs > savedAtMs && kept.source !== saved?.source && kept.source !== active.source)
		return { source: kept.source, baseVersion: kept.baseVersion, from: "browser" };
	if (saved && saved.source !== active.source) return { source: saved.source, baseVersion: saved.baseVersion, from: "server" };
	return { source: active.source, baseVersion: active.version, from: "published" };
}
