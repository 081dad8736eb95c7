/** Replacement for a secret in a log. */
const MASK = "***";
/** Shorter parts of a multi-line secret, such as a lone bracket, are ordinary text. */
const PART_CHARACTERS_MIN = 8;

/**
 * Replaces every secret in a line: verbatim, in its JSON, URL and base64 forms, and each line of multi-line secrets.
 * Longer forms are replaced first, since one secret may contain another.
 */
export function maskerOf(secrets: Iterable<string>): (line: string) => string {
	const forms = [...new Set([...secrets].flatMap(formsOf))].sort((a, b) => b.length - a.length);
	if (forms.length === 0) return (line) => line;
	return (line) => forms.reduce((masked, form) => masked.replaceAll(form, MASK), line);
}

function formsOf(secret: string): string[] {
	const base64 = Buffer.from(secret).toString("base64");
	const forms = [secret.trim(), JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), base64.replace(/=+$/, "")];
	return [...forms, ...secret.split(/\r?\n/).map((part) => part.trim())].filter((form) => form.length >= PART_CHARACTERS_MIN);
}
