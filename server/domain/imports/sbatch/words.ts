/**
 * Splits a directive as sbatch does: on blanks, with shell quotes and backslashes, up to an unquoted `#` that begins a
 * word (the rest is a comment). `unclosed`: a quote is not closed.
 */
export function directiveWords(text: string): { words: string[]; unclosed: boolean } {
	const words: string[] = [];
	let word: string | null = null;
	let quote: string | null = null;
	for (let i = 0; i < text.length; i++) {
		const c = text[i] ?? "";
		if (quote !== null) {
			if (c === quote) quote = null;
			else if (c === "\\" && quote === '"' && /["\\]/.test(text[i + 1] ?? "")) word += text[++i] ?? "";
			else word += c;
		} else if (c === "'" || c === '"') {
			quote = c;
			word ??= "";
		} else if (/\s/.test(c)) {
			if (word !== null) words.push(word);
			word = null;
		} else if (c === "#" && word === null) {
			break;
		} else if (c === "\\" && i + 1 < text.length) {
			word = (word ?? "") + (text[++i] ?? "");
		} else {
			word = (word ?? "") + c;
		}
	}
	if (word !== null) words.push(word);
	return { words, unclosed: quote !== null };
}
