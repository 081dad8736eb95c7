import { POLICY_LIMITS } from "./limits.ts";
import type { Place } from "./types.ts";

/**
 * Whether `text` fits `pattern`, in which `*` matches any number of characters, including none. Ignores letter case: a denial
 * must not miss `Standard_ND96asr_v4` because of a lower-case `s`. Linear in practice; builds no regular expression.
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

type Match = (pattern: string, text: string) => boolean;

/**
 * The same match, cached. A cycle tests thousands of offers against the same few patterns, while regions and instance
 * types are few: a lookup takes a tenth of the time of a match. Depends only on its two texts.
 */
function remembered(match: Match): Match {
	const byPattern = new Map<string, Map<string, boolean>>();
	let count = 0;
	return (pattern, text) => {
		const known = byPattern.get(pattern)?.get(text);
		if (known !== undefined) return known;
		if (count >= POLICY_LIMITS.rememberedMatches) {
			byPattern.clear();
			count = 0;
		}
		const answer = match(pattern, text);
		const answers = byPattern.get(pattern);
		if (answers) answers.set(text, answer);
		else byPattern.set(pattern, new Map([[text, answer]]));
		count++;
		return answer;
	};
}

const globMatch = remembered(matchesGlob);
const awsFamilyMatch = remembered((pattern, type) => matchesGlob(pattern, type) || matchesGlob(pattern, familyOf(type)));

/** Region patterns match `provider:region`, e.g. `aws:eu-*`. */
export function matchesRegion(pattern: string, place: Pick<Place, "provider" | "region">): boolean {
	return place.region !== null && globMatch(pattern, `${place.provider}:${place.region}`);
}

/** Families match the instance type; on AWS also its part before the dot, so that `p4d` matches `p4d.24xlarge`. */
export function matchesFamily(pattern: string, place: Pick<Place, "provider" | "instanceType">): boolean {
	if (place.instanceType === null) return false;
	return place.provider === "aws" ? awsFamilyMatch(pattern, place.instanceType) : globMatch(pattern, place.instanceType);
}

function familyOf(instanceType: string): string {
	const dot = instanceType.indexOf(".");
	return dot < 0 ? instanceType : instanceType.slice(0, dot);
}

/** Whether some text fits both patterns: used to check that two lists have nothing in common. */
export function globsOverlap(a: string, b: string): boolean {
	if (!a.includes("*")) return matchesGlob(b, a);
	if (!b.includes("*")) return matchesGlob(a, b);
	const x = a.toLowerCase();
	const y = b.toLowerCase();
	const head = Math.min(x.indexOf("*"), y.indexOf("*"));
	if (x.slice(0, head) !== y.slice(0, head)) return false;
	const tail = Math.min(x.length - 1 - x.lastIndexOf("*"), y.length - 1 - y.lastIndexOf("*"));
	// both have a star between compatible prefixes and suffixes: the rest of each can fill the other's star
	return x.slice(x.length - tail) === y.slice(y.length - tail);
}
