/** The lines of a CSV by the names in its head; for tests. Throws when a line has not as many fields as the head. */
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

/** Commas that part fields: those outside quotes. */
function commas(line: string): number {
	return line.replace(/"(?:[^"]|"")*"/g, "").split(",").length - 1;
}

function bare(field: string): string {
	return field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field;
}
