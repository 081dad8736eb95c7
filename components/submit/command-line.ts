/** Formats a command as one line with POSIX shell quoting. No shell runs it. */
export function joinCommand(parts: readonly string[]): string {
	return parts.map(quoted).join(" ");
}

function quoted(part: string): string {
	if (part !== "" && /^[\w@%+=:,./-]+$/.test(part)) return part;
	return `'${part.replaceAll("'", `'\\''`)}'`;
}

/** Splits a line into words; null if a quote is open. POSIX quotes and backslashes, without expansion. */
export function splitCommand(line: string): string[] | null {
	const parts: string[] = [];
	let word: string | null = null;
	let quote: "'" | '"' | null = null;
	for (let i = 0; i < line.length; i++) {
		const c = line[i] ?? "";
		if (quote === null && /\s/.test(c)) {
			if (word !== null) parts.push(word);
			word = null;
			continue;
		}
		word ??= "";
		if (c === quote) quote = null;
		else if (quote === null && (c === "'" || c === '"')) quote = c;
		else if (c === "\\" && quote !== "'") {
			const next = line[++i];
			if (next === undefined) return null;
			// Inside double quotes, a backslash only escapes these.
			word += quote === '"' && !/["\\$`]/.test(next) ? `\\${next}` : next;
		} else word += c;
	}
	if (quote !== null) return null;
	return word === null ? parts : [...parts, word];
}
