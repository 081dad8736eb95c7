import { microToUsdText } from "#server/kernel/money.ts";
import { grouping, type Segment, words } from "./describe-condition.ts";

/** `a`, `a, or b`, `a, or b, or c`. */
export function alternatives(clauses: readonly Segment[][]): Segment[] {
	return clauses.flatMap((c, index) => (index === 0 ? c : [words(", or "), ...c]));
}

/** $500, $0.50, $1,234.567: cents are written in full or not at all. */
export function usd(micro: bigint): string {
	const text = microToUsdText(micro);
	return `$${grouping(/\.\d$/.test(text) ? `${text}0` : text)}`;
}

/** Capital at the start, period at the end, adjacent words joined. */
export function sentenceOf(parts: readonly Segment[]): Segment[] {
	const joined: Segment[] = [];
	for (const part of [...parts, words(".")]) {
		const last = joined.at(-1);
		if (last && !last.value && !part.value) joined[joined.length - 1] = words(last.text + part.text);
		else joined.push(part);
	}
	const [first, ...rest] = joined;
	if (!first || first.value) return joined;
	return [words(first.text.charAt(0).toUpperCase() + first.text.slice(1)), ...rest];
}
