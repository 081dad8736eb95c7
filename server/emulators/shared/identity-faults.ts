/** Base64, and nothing that a provider signed. */
export const MALFORMED = Buffer.from("not a document.").toString("base64");

/** The id of a machine that is not there, in the form of this one: its digits are others. */
export function otherThan(instanceId: string): string {
	return instanceId.replace(/\d/g, (digit) => String((Number(digit) + 1) % 10));
}
