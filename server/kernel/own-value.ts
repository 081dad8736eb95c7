/** The value of a key chosen by a person. A plain lookup would also find `constructor` and other inherited names. */
export function ownValue<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
	return Object.hasOwn(record, key) ? record[key] : undefined;
}
