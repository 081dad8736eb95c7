/** 1 to 63 letters, digits, ".", "_" and "-", starting and ending with a letter or digit; `job` when nothing is left. */
export function plainName(text: string): string {
	const plain = text
		.normalize("NFKD")
		.replace(/[^A-Za-z0-9._-]+/g, "-")
		.replace(/^[^A-Za-z0-9]+/, "")
		.slice(0, 63)
		.replace(/[^A-Za-z0-9]+$/, "");
	return plain === "" ? "job" : plain;
}
