import { isMap, isPair, isScalar, isSeq, type Node } from "yaml";
import { readYaml } from "../../read-yaml.ts";
import type { Finding, FindingKind } from "../types.ts";

/**
 * One document of a manifest, read by path. It records which paths were read and reports the rest at the end, so that
 * no field is silently dropped.
 */
export class Manifest {
	readonly #root: Node | null;
	readonly #lineOf: (offset: number) => number;
	readonly #seen = new Set<Node>();
	readonly #findings: Finding[];

	constructor(root: Node | null, lineOf: (offset: number) => number, findings: Finding[]) {
		this.#root = root;
		this.#lineOf = lineOf;
		this.#findings = findings;
	}

	/** The node at a path, marked as read; null if there is none. */
	#take(path: readonly (string | number)[]): Node | null {
		let node: unknown = this.#root;
		for (const key of path) {
			if (isMap(node)) {
				const pair = node.items.find((item) => isScalar(item.key) && item.key.value === key);
				node = pair?.value ?? null;
			} else if (isSeq(node) && typeof key === "number") node = node.items[key] ?? null;
			else return null;
		}
		return (node as Node | null) ?? null;
	}

	/** A scalar as text; null when absent or not a scalar. */
	text(path: readonly (string | number)[]): string | null {
		const node = this.#take(path);
		if (!isScalar(node) || node.value === null) return null;
		this.#seen.add(node);
		return typeof node.value === "string" ? node.value : (node.source ?? String(node.value));
	}

	number(path: readonly (string | number)[]): number | null {
		const text = this.text(path);
		return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
	}

	/** Texts of a list, or of a single scalar. */
	texts(path: readonly (string | number)[]): string[] {
		return Array.from({ length: this.length(path) }, (_, i) => this.text([...path, i]) ?? "");
	}

	has(path: readonly (string | number)[]): boolean {
		return this.#take(path) !== null;
	}

	keys(path: readonly (string | number)[]): string[] {
		const node = this.#take(path);
		return isMap(node) ? node.items.flatMap((item) => (isScalar(item.key) ? [String(item.key.value)] : [])) : [];
	}

	length(path: readonly (string | number)[]): number {
		const node = this.#take(path);
		return isSeq(node) ? node.items.length : 0;
	}

	/** 1-based, in the whole text; 1 for missing nodes. */
	line(path: readonly (string | number)[]): number {
		const offset = this.#take(path)?.range?.[0];
		return offset === undefined ? 1 : this.#lineOf(offset);
	}

	/** Reports everything at and below a path; nothing when the path is empty. */
	say(path: readonly (string | number)[], kind: FindingKind, subject: string, text = ""): void {
		const node = this.#take(path);
		if (!node) return;
		this.#see(node);
		this.#findings.push({ line: this.line(path), kind, subject: subject.slice(0, 120), text });
	}

	/** Reads without recording a finding. */
	ignore(path: readonly (string | number)[]): void {
		const node = this.#take(path);
		if (node) this.#see(node);
	}

	#see(node: Node): void {
		this.#seen.add(node);
		if (isMap(node)) for (const item of node.items) if (isPair(item) && item.value) this.#see(item.value as Node);
		if (isSeq(node)) for (const item of node.items) this.#see(item as Node);
	}

	/** A question for everything unread, at the highest unread level. */
	sayRest(): void {
		if (this.#root) this.#rest(this.#root, []);
	}

	#rest(node: Node, path: readonly (string | number)[]): void {
		if (!this.#anySeen(node) && path.length > 0) {
			if (isScalar(node) && node.value === null) return;
			this.say(path, "question", path.join("."), "Unknown field. Remove it if the job can run without it.");
			return;
		}
		if (isMap(node))
			for (const item of node.items)
				if (item.value && isScalar(item.key)) this.#rest(item.value as Node, [...path, String(item.key.value)]);
		if (isSeq(node)) for (const [i, item] of node.items.entries()) this.#rest(item as Node, [...path, i]);
	}

	#anySeen(node: Node): boolean {
		if (this.#seen.has(node)) return true;
		if (isMap(node)) return node.items.some((item) => item.value && this.#anySeen(item.value as Node));
		return isSeq(node) && node.items.some((item) => this.#anySeen(item as Node));
	}
}

/** Each document costs about 0.5 ms however short it is: 9,000 in 126 kB took 4 s. */
const MOST_DOCUMENTS = 500;

/** The documents of a text, each with its first line; a YAML problem instead of a document that cannot be read. */
export function readManifests(text: string, findings: Finding[]): (Manifest | { line: number; message: string })[] {
	const parts: { line: number; text: string }[] = [];
	let at = 1;
	let lines: string[] = [];
	for (const [i, line] of text
		.replace(/^\uFEFF/, "")
		.split(/\r\n|\n|\r/)
		.entries()) {
		if (/^---(\s|$)/.test(line)) {
			parts.push({ line: at, text: lines.join("\n") });
			lines = [line.slice(3)];
			at = i + 1;
		} else lines.push(line);
	}
	parts.push({ line: at, text: lines.join("\n") });
	if (parts.length > MOST_DOCUMENTS)
		return [{ line: parts[MOST_DOCUMENTS]?.line ?? 1, message: `more than ${MOST_DOCUMENTS} documents; import the file in parts` }];
	return parts
		.filter((part) => part.text.split("\n").some((line) => line.trim() !== "" && !line.trimStart().startsWith("#")))
		.map((part) => {
			const { doc, lines: counter, problems } = readYaml(part.text);
			const lineOf = (offset: number): number => part.line + Math.max(1, counter.linePos(offset).line) - 1;
			if (!doc) return { line: lineOf(problems[0]?.offset ?? 0), message: problems[0]?.message ?? "it cannot be read" };
			return new Manifest((doc.contents as Node | null) ?? null, lineOf, findings);
		});
}
