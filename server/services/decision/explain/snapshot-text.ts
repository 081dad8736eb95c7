/**
 * Plain data of a snapshot as JSON text and back. Values that JSON lacks (bigints, maps, non-finite numbers) become an object
 * with the single key "$". Undefined fields are omitted, as in JSON.
 */
export function textOf(value: unknown): string {
	return JSON.stringify(value, (_, item) => tagged(item));
}

export function dataOf(text: string): unknown {
	return JSON.parse(text, (_, item) => untagged(item));
}

function tagged(item: unknown): unknown {
	if (typeof item === "bigint") return { $: ["bigint", item.toString()] };
	if (typeof item === "number" && !Number.isFinite(item)) return { $: ["number", String(item)] };
	if (item instanceof Map) return { $: ["map", [...item]] };
	return item;
}

function untagged(item: unknown): unknown {
	if (typeof item !== "object" || item === null || !("$" in item) || !Array.isArray(item.$)) return item;
	const [kind, value] = item.$ as [string, unknown];
	if (kind === "bigint") return BigInt(String(value));
	if (kind === "number") return Number(value);
	return new Map(value as [unknown, unknown][]);
}
