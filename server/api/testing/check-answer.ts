import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { type ListedOperation, OPERATIONS } from "#server/contract/operations.ts";

const PATTERNS = OPERATIONS.map((operation) => ({
	operation,
	pattern: new RegExp(`^/api/v1${operation.path.replace(/\{\w+\}/g, "[^/]+")}$`),
}));

/**
 * Compares a REST response with the contract: its status is declared, and its JSON has every field of the operation's output,
 * of the right type, and no other.
 * @throws Error naming the operation and the first difference
 */
export function checkAnswer(method: string, url: string, { status, json }: { status: number; json: unknown }): void {
	const [path = ""] = url.split("?", 1);
	const operation = operationAt(method, path);
	if (operation === undefined || status >= 400 || status === 304) return;
	const declared = [operation.status ?? 200].flat();
	if (status !== 206 && !declared.includes(status)) throw new Error(`${operation.id} answered ${status}, not ${declared.join(" or ")}`);
	if (operation.output === undefined || json === undefined) return;
	const schema = operation.output instanceof z.ZodArray ? z.object({ items: operation.output, nextCursor: z.null() }) : operation.output;
	const parsed = schema.safeParse(json);
	if (!parsed.success) throw new Error(`${operation.id} does not fit its output: ${z.prettifyError(parsed.error)}`);
	// Objects of the contract drop undeclared fields.
	const undeclared = firstUndeclared(json, parsed.data, "");
	if (undeclared !== null) throw new Error(`${operation.id} answers a field that its output does not declare: ${undeclared}`);
}

/** A path without parameters wins. */
function operationAt(method: string, path: string): ListedOperation | undefined {
	return PATTERNS.filter(({ operation, pattern }) => operation.method === method && pattern.test(path))
		.map(({ operation }) => operation)
		.sort((a, b) => a.parameters.length - b.parameters.length)[0];
}

function firstUndeclared(given: unknown, kept: unknown, at: string): string | null {
	if (isDeepStrictEqual(given, kept)) return null;
	if (given === null || kept === null || typeof given !== "object" || typeof kept !== "object") return at;
	for (const [key, value] of Object.entries(given)) {
		const below = `${at}${at === "" ? "" : "."}${key}`;
		if (!Object.hasOwn(kept, key)) return below;
		const found = firstUndeclared(value, (kept as Record<string, unknown>)[key], below);
		if (found !== null) return found;
	}
	return null;
}
