/** Where the cursor is in a policy, as far as an unfinished text shows. */
export type CursorPlace =
	/** No completions: in a comment, or too deep. */
	| { kind: "comment" }
	/** A key is being written, in the map at `path`, which already has `siblings`. */
	| { kind: "key"; path: string[]; from: number; siblings: string[] }
	/** A value: `path` ends with its key. `value` is the text before the cursor, without YAML's own quote. */
	| { kind: "value"; path: string[]; from: number; value: string; quote: '"' | "'" | null; siblings: string[]; entry: string };

interface Frame {
	indent: number;
	key: string | null;
	keys: string[];
}

const LINES_MAX = 5_000;
/** Maximum number of brackets open on one line; no real policy has this many, and each stores its path. */
const OPEN_MAX = 32;

/**
 * Reads lines by their indentation and the cursor's own line by its brackets; does not parse, so that any text gives a
 * result.
 */
export function placeAt(text: string, offset: number): CursorPlace {
	const start = text.lastIndexOf("\n", offset - 1) + 1;
	const head = text.slice(start, offset);
	const dash = /^(\s*)(- +)?/.exec(head);
	const indent = dash?.[0].length ?? 0;
	const body = head.slice(indent);
	const frames = framesAbove(text.slice(0, start), body === "" && !dash?.[2] ? head.length : indent, Boolean(dash?.[2]));
	const path = frames.flatMap((f) => (f.key === null ? [] : [f.key]));
	const last = frames.at(-1);
	const outer = { path, siblings: [...(last?.keys ?? []), ...keysBelow(text, offset, indent)], entry: entryText(text, start) };
	const inside = readLine(body, start + indent, outer);
	return inside;
}

/** The maps open above a line, innermost last, each with its keys so far. */
function framesAbove(above: string, indent: number, isDash: boolean): Frame[] {
	const frames: Frame[] = [{ indent: -1, key: null, keys: [] }];
	const root = frames[0];
	for (const line of above.split("\n").slice(-LINES_MAX)) {
		const match = /^(\s*(?:- +)?)(?:(["']?)([\w-]+)\2\s*:(?=\s|$)(.*))?/.exec(line.replace(/(?<=\s)#.*$/, ""));
		const lead = match?.[1] ?? "";
		if (line.trim() === "" || line.trimStart().startsWith("#")) continue;
		const column = lead.length;
		const dashed = lead.includes("-");
		// A dash ends the previous entry: its fields have the same indentation as this one's.
		while (frames.length > 1 && (frames.at(-1)?.indent ?? 0) >= (dashed ? lead.indexOf("-") + 1 : column)) frames.pop();
		const key = match?.[3];
		if (key === undefined) continue;
		if (dashed || frames.at(-1) === root) frames.at(-1)?.keys.splice(0, dashed ? Number.POSITIVE_INFINITY : 0);
		frames.at(-1)?.keys.push(key);
		frames.push({ indent: column, key, keys: [] });
	}
	const depth = isDash ? indent - 1 : indent;
	while (frames.length > 1 && (frames.at(-1)?.indent ?? 0) >= depth) frames.pop();
	if (isDash) frames.at(-1)?.keys.splice(0);
	return frames;
}

/** Keys of the same map below the cursor. */
function keysBelow(text: string, offset: number, indent: number): string[] {
	const keys: string[] = [];
	for (const line of text.slice(offset).split("\n").slice(1, 60)) {
		if (line.trim() === "" || line.trimStart().startsWith("#")) continue;
		const own = line.length - line.trimStart().length;
		if (own < indent || /^\s*- /.test(line)) break;
		const key = own === indent ? /^\s*([\w-]+)\s*:/.exec(line)?.[1] : undefined;
		if (key) keys.push(key);
	}
	return keys;
}

/** The lines of the list entry that contains a line, to read its other fields. */
function entryText(text: string, start: number): string {
	const before = text.slice(0, start).split("\n");
	let from = before.length - 1;
	const own = text.slice(start).split("\n", 1)[0] ?? "";
	if (/^\s*- /.test(own)) from = before.length - 1;
	else while (from > 0 && !/^\s*- /.test(before[from] ?? "")) from--;
	const all = text.split("\n");
	let to = before.length - 1;
	while (to + 1 < all.length && !/^\s*- /.test(all[to + 1] ?? "") && /^\s+\S/.test(all[to + 1] ?? "")) to++;
	return all.slice(from, to + 1).join("\n");
}

type Outer = { path: string[]; siblings: string[]; entry: string };

/** Scans the text before the cursor on its line: keys, brackets, quotes, a comment. */
function readLine(body: string, base: number, outer: Outer): CursorPlace {
	const open: { path: string[]; keys: string[]; list: boolean }[] = [{ path: outer.path, keys: outer.siblings, list: false }];
	let key: string | null = null;
	let from = 0;
	/** Position of the first non-space character of the current token, if that is at or after `from`. */
	let word = -1;
	let quote: '"' | "'" | null = null;
	for (let i = 0; i < body.length; i++) {
		const each = body[i] ?? "";
		const top = open.at(-1);
		if (!top) break;
		if (open.length > OPEN_MAX) return { kind: "comment" };
		const started = word >= from;
		if (!started && !/\s/.test(each)) word = i;
		if (quote !== null) {
			if (each === "\\" && quote === '"') i++;
			else if (each === quote) quote = null;
			continue;
		}
		const flow = open.length > 1;
		if (each === "#" && (i === 0 || /\s/.test(body[i - 1] ?? ""))) return { kind: "comment" };
		if ((each === '"' || each === "'") && !started) {
			quote = each;
			from = i + 1;
		} else if (each === ":" && key === null && !top.list && /^(\s|$)/.test(body.slice(i + 1))) {
			key = body
				.slice(from, i)
				.trim()
				.replaceAll(/^["']|["']$/g, "");
			top.keys.push(key);
			from = i + 1;
		} else if ((each === "{" || each === "[") && !started && (flow || key !== null || each === "{")) {
			open.push({ path: key === null ? top.path : [...top.path, key], keys: [], list: each === "[" });
			key = null;
			from = i + 1;
		} else if (flow && (each === "}" || each === "]")) {
			open.pop();
			key = null;
			from = i + 1;
		} else if (flow && each === ",") {
			key = null;
			from = i + 1;
		}
	}
	const top = open.at(-1) ?? { path: outer.path, keys: [], list: false };
	while (quote === null && /\s/.test(body[from] ?? "")) from++;
	const typed = body.slice(from);
	const value = {
		from: base + from,
		value: typed,
		quote,
		siblings: [...top.keys, ...(open.length > 1 ? [] : outer.siblings)],
		entry: outer.entry,
	};
	if (key !== null) return { kind: "value", path: [...top.path, key], ...value };
	if (top.list) return { kind: "value", path: top.path, ...value };
	// Under `sites:` a dash starts a value, under `rules:` a map.
	const isListOfWords = open.length === 1 && LISTS.has(top.path.at(-1) ?? "");
	if (isListOfWords) return { kind: "value", path: top.path, ...value };
	return { kind: "key", path: top.path, from: base + from, siblings: top.keys };
}

const LISTS = new Set(["sites", "regions", "instanceFamilies", "capacityTypes", "classes", "to"]);
