import type { Place } from "./types.ts";

/**
 * Whether `text` fits `pattern`, in which `*` stands for any characters, none included. Letter case is ignored: a
 * denial must not miss `Standard_ND96asr_v4` for a lower-case `s`. Linear in practice; no regular expression is built.
 */
export function matchesGlob(pattern: string, text: string): boolean {
	const p = pattern.toLowerCase();
	const t = text.toLowerCase();
	let pi = 0;
	let ti = 0;
	let star = -1;
	let resume = 0;
	while (ti < t.length) {
		if (p[pi] === "*") {
			star = pi++;
			resume = ti;
		} else if (p[pi] === t[ti]) {
			pi++;
			ti++;
		} else if (star >= 0) {
			pi = star + 1;
			ti = ++resume;
		} else return false;
	}
	while (p[pi] === "*") pi++;
	return pi === p.length;
}

/** Region patterns are held against `provider:region`, e.g. `aws:eu-*`. */
export function matchesRegion(pattern: string, place: Pick<Place, "provider" | "region">): boolean {
	return place.region !== null && matchesGlob(pattern, `${place.provider}:${place.region}`);
}

/** Families are held against the instance type; on AWS also against its part before the dot, so that `p4d` is `p4d.24xlarge`. */
export function matchesFamily(pattern: string, place: Pick<Place, "provider" | "instanceType">): boolean {
	if (place.instanceType === null) return false;
	if (matchesGlob(pattern, place.instanceType)) return true;
	return place.provider === "aws" && matchesGlob(pattern, familyOf(place.instanceType));
}

export function familyOf(instanceType: string): string {
	const dot = instanceType.indexOf(".");
	return dot < 0 ? instanceType : instanceType.slice(0, dot);
}

/** Whether some text fits both patterns: the check behind "these two lists have nothing in common". */
export function globsOverlap(a: string, b: string): boolean {
	const x = a.toLowerCase();
	const y = b.toLowerCase();
	// reachable[j]: some text fits the first i characters of x and the first j of y
	let reachable = Array.from({ length: y.length + 1 }, (_, j) => [...y.slice(0, j)].every((c) => c === "*"));
	for (let i = 1; i <= x.length; i++) {
		const row: boolean[] = [];
		for (let j = 0; j <= y.length; j++) {
			const skipStar = (x[i - 1] === "*" && reachable[j]) || (j > 0 && y[j - 1] === "*" && row[j - 1]);
			const absorb = j > 0 && ((x[i - 1] === "*" && row[j - 1]) || (y[j - 1] === "*" && reachable[j]));
			const same = j > 0 && x[i - 1] === y[j - 1] && reachable[j - 1];
			row.push(Boolean(skipStar || absorb || same));
		}
		reachable = row;
	}
	return reachable[y.length] ?? false;
}
