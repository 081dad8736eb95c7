/** The value of a key that a person chose. Without this, `constructor` and other names of every object would be found too. */
export function ownValue<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
	return Object.hasOwn(record, key) ? record[key] : undefined;
}
