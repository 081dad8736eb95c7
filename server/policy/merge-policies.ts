import { linesOf } from "./diff-lines.ts";
import { mergeLines, pick, sameLines } from "./merge-lines.ts";
import { partsOf, type TextPart } from "./policy-parts.ts";

export type MergeSide = "mine" | "theirs";

/** Both sides changed the same part since the base, in different ways. */
export interface MergeConflict {
	/** Identifies the conflict for a choice, e.g. `rule:burst-on-wait`. */
	key: string;
	kind: "rule" | "budget" | "order" | "text";
	/** The rule's or budget's id; null for other parts. */
	id: string | null;
	/** The part in each text; null if it is absent there. */
	base: string | null;
	mine: string | null;
	theirs: string | null;
	/** The change of each side, as a sentence. */
	message: string;
}

export interface MergedPolicy {
	/** A conflict without a choice keeps their side: the published text. */
	text: string;
	/** Conflicts without a choice. Empty: merged. */
	conflicts: MergeConflict[];
}

export interface MergeTexts {
	/** The common base. */
	base: string;
	mine: string;
	/** The published text. */
	theirs: string;
}

/**
 * Three-way merge of policy texts, by the id of rules and budgets. Comments, order and spacing stay as the author of
 * each changed part left them. A rule changed on both sides is a conflict, even on different lines: neither author has
 * seen the combined effect. Pure, never throws.
 */
export function mergePolicies(texts: MergeTexts, choices: Readonly<Record<string, MergeSide>> = {}): MergedPolicy {
	const { base, mine, theirs } = texts;
	if (mine === base || mine === theirs) return { text: theirs, conflicts: [] };
	if (theirs === base) return { text: mine, conflicts: [] };
	const [b, m, t] = [linesIn(base), linesIn(mine), linesIn(theirs)];
	const parts = [partsOf(b), partsOf(m), partsOf(t)] as const;
	const byParts = parts[0] && parts[1] && parts[2] ? new Merge(parts[0], parts[1], parts[2], choices).run() : null;
	if (byParts) return { text: endedAs(theirs, byParts.lines), conflicts: byParts.conflicts };
	const byLines = mergeLines(b, m, t);
	// Lines that merge cleanly may still not be valid YAML together.
	if (byLines && (partsOf(byLines) || !parts[2])) return { text: endedAs(theirs, byLines), conflicts: [] };
	return wholeText(texts, choices.text);
}

function wholeText({ base, mine, theirs }: MergeTexts, choice: MergeSide | undefined): MergedPolicy {
	if (choice) return { text: choice === "mine" ? mine : theirs, conflicts: [] };
	const message = "Both sides changed the text in ways that cannot be merged rule by rule.";
	return { text: theirs, conflicts: [{ key: "text", kind: "text", id: null, base, mine, theirs, message }] };
}

const linesIn = (text: string): string[] => linesOf(text.replaceAll("\r\n", "\n"));

function endedAs(model: string, lines: readonly string[]): string {
	const end = model.includes("\r\n") ? "\r\n" : "\n";
	return lines.join(end) + (lines.length > 0 ? end : "");
}

const keysOf = (parts: readonly TextPart[]): string[] => parts.map((p) => p.key);

class Merge {
	readonly #base: Map<string, string[]>;
	readonly #mine: Map<string, string[]>;
	readonly #theirs: Map<string, string[]>;
	readonly #choices: Readonly<Record<string, MergeSide>>;
	readonly #conflicts: MergeConflict[] = [];
	constructor(base: TextPart[], mine: TextPart[], theirs: TextPart[], choices: Readonly<Record<string, MergeSide>>) {
		const mapOf = (parts: TextPart[]) => new Map(parts.map(({ key, lines }) => [key, lines]));
		[this.#base, this.#mine, this.#theirs, this.#choices] = [mapOf(base), mapOf(mine), mapOf(theirs), choices];
	}

	/** null when the result does not split into the same parts again, for example with entries indented differently. */
	run(): { lines: string[]; conflicts: MergeConflict[] } | null {
		const kept = new Map<string, string[]>();
		for (const key of new Set([...this.#base.keys(), ...this.#theirs.keys(), ...this.#mine.keys()])) {
			const lines = this.#part(key);
			if (lines) kept.set(key, lines);
		}
		const order = this.#order().filter((key) => kept.has(key));
		const lines = order.flatMap((key) => kept.get(key) ?? []);
		const again = partsOf(lines);
		if (!again || keysOf(again).join("\n") !== order.join("\n")) return null;
		return { lines, conflicts: this.#conflicts };
	}

	#part(key: string): string[] | null {
		const [base, mine, theirs] = [this.#base.get(key) ?? null, this.#mine.get(key) ?? null, this.#theirs.get(key) ?? null];
		const { value, clean } = pick(base, mine, theirs, sameParts);
		if (clean) return value;
		const [kind = "", ...rest] = key.split(":");
		const entry = kind === "rule" || kind === "budget";
		const together = entry ? null : mergeLines(base ?? [], mine ?? [], theirs ?? []);
		if (together) return together;
		const choice = this.#choices[key];
		if (choice) return choice === "mine" ? mine : theirs;
		const id = entry ? rest.join(":") : null;
		const text = (lines: string[] | null) => lines?.join("\n") ?? null;
		const what = entry ? `${kind === "rule" ? "Rule" : "Budget"} ${id}` : "The text outside the rules and budgets";
		const message = `${what} was ${did(base, mine)} here and ${did(base, theirs)} in the published policy.`;
		const conflictKind = entry ? kind : "text";
		this.#conflicts.push({ key, kind: conflictKind, id, base: text(base), mine: text(mine), theirs: text(theirs), message });
		return theirs;
	}

	/**
	 * A single order of all keys: that of the side that moved something, with the other side's additions after their
	 * predecessors.
	 */
	#order(): string[] {
		const [b, m, t] = [[...this.#base.keys()], [...this.#mine.keys()], [...this.#theirs.keys()]];
		const common = (keys: string[]) => keys.filter((k) => this.#base.has(k) && this.#mine.has(k) && this.#theirs.has(k));
		const { value, clean } = pick(common(b), common(m), common(t), sameLines);
		let side: MergeSide = sameLines(value, common(t)) ? "theirs" : "mine";
		if (!clean) {
			const choice = this.#choices.order;
			if (choice) side = choice;
			else {
				const text = (keys: string[]) => common(keys).join("\n");
				const message = "Both sides reordered rules or budgets.";
				this.#conflicts.push({ key: "order", kind: "order", id: null, base: text(b), mine: text(m), theirs: text(t), message });
			}
		}
		const [first, second] = side === "mine" ? [m, t] : [t, m];
		const order = [...first];
		for (const [i, key] of second.entries()) {
			if (order.includes(key)) continue;
			const after = second.slice(0, i).findLast((k) => order.includes(k));
			let at = after === undefined ? 0 : order.indexOf(after) + 1;
			// Additions of both sides at one position: theirs first, because it is already published.
			while (side === "theirs" && at < order.length && !second.includes(order[at] ?? "")) at++;
			order.splice(at, 0, key);
		}
		return order;
	}
}

/** Trailing blank lines do not count. */
function sameParts(a: string[] | null, b: string[] | null): boolean {
	if (a === null || b === null) return a === b;
	const cut = (lines: string[]) => lines.slice(0, lines.findLastIndex((line) => line.trim() !== "") + 1);
	return sameLines(cut(a), cut(b));
}

function did(base: string[] | null, side: string[] | null): string {
	if (side === null) return "removed";
	return base === null ? "added" : "changed";
}
