/** Valid base64, but not signed by a provider. */
export const MALFORMED = Buffer.from("not a document.").toString("base64");

/** The id of a nonexistent machine in the same format as this one, with other digits. */
export function otherThan(instanceId: string): string {
	return instanceId.replace(/\d/g, (digit) => String((Number(digit) + 1) % 10));
}
