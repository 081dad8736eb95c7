/** Throws when a programmer's assumption does not hold. Stays on in production and fails the request or cycle. */
export function assert(condition: unknown, message: string): asserts condition {
	if (!condition) throw new AssertionError(message);
}

/** Ends a `switch` over a closed union: a new member becomes a type error here. */
export function assertNever(value: never, what: string): never {
	throw new AssertionError(`unexpected ${what}: ${JSON.stringify(value)}`);
}

/** The value, when the caller knows by construction that it is there. */
export function defined<T>(value: T | null | undefined, what: string): T {
	if (value === null || value === undefined) throw new AssertionError(`missing ${what}`);
	return value;
}

export class AssertionError extends Error {
	override name = "AssertionError";
}
