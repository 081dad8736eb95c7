/** Parses CSV lines by header name; for tests. Throws if a line has a different number of fields. */
export function readCsv(text: string): Record<string, string>[] {
	const [head = [], ...lines] = text
		.trimEnd()
		.split("\r\n")
		.map((line) => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].slice(0, commas(line) + 1).map((match) => bare(match[1] ?? "")));
	return lines.map((line) => {
		if (line.length !== head.length) throw new Error(`${line.length} fields under ${head.length} names: ${line.join(" | ")}`);
		return Object.fromEntries(head.map((name, i) => [name, line[i] ?? ""]));
	});
}

/** Commas outside quotes. */
function commas(line: string): number {
	return line.replace(/"(?:[^"]|"")*"/g, "").split(",").length - 1;
}

function bare(field: string): string {
	return field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field;
}
