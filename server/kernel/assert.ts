/** Throws when a programming assumption does not hold. Enabled in production; fails the request or cycle. */
export function assert(condition: unknown, message: string): asserts condition {
	if (!condition) throw new AssertionError(message);
}

/** Ends a `switch` over a closed union: a new member causes a type error here. */
export function assertNever(value: never, what: string): never {
	throw new AssertionError(`unexpected ${what}: ${JSON.stringify(value)}`);
}

/** The value, when the caller guarantees that it is present. */
export function defined<T>(value: T | null | undefined, what: string): T {
	if (value === null || value === undefined) throw new AssertionError(`missing ${what}`);
	return value;
}

export class AssertionError extends Error {
	override name = "AssertionError";
}
