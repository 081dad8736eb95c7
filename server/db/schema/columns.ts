import { bigint, customType, timestamp } from "drizzle-orm/pg-core";

export const bytes = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => "bytea" });

/** UTC, to the millisecond, as JavaScript keeps it. */
export const instant = () => timestamp({ withTimezone: true, precision: 3, mode: "date" });

/** Money, always bigint micro-dollars. */
export const microUsd = () => bigint({ mode: "bigint" });

/** A duration in milliseconds. */
export const durationMs = () => bigint({ mode: "number" });

export const bigInt = () => bigint({ mode: "bigint" });

/** JSON.stringify's escape of a lone surrogate, which jsonb rejects. */
const HALF_PAIR = /\\ud[89a-f]/;

function storableJson(value: unknown): string {
	const text = JSON.stringify(value);
	if (!HALF_PAIR.test(text)) return text;
	return JSON.stringify(value, (_, part) => (typeof part === "string" ? part.toWellFormed() : part));
}

/** A JSON value that is stored as written and read as T; writers guarantee that it is T (it was parsed before). */
export const json = <T>() =>
	customType<{ data: T; driverData: unknown }>({
		dataType: () => "jsonb",
		toDriver: (value) => storableJson(value),
		fromDriver: (value) => value as T,
	})();
