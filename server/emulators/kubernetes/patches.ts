import { ApiError } from "./api-error.ts";

/** JSON merge patch (RFC 7386). */
export function mergePatch(target: unknown, patch: unknown): unknown {
	if (!isObject(patch)) return patch;
	const out: Record<string, unknown> = isObject(target) ? { ...target } : {};
	for (const [key, value] of Object.entries(patch)) {
		if (value === null) delete out[key];
		else out[key] = mergePatch(out[key], value);
	}
	return out;
}

/** Lists of objects that are merged by one of their keys. Source: the `patchMergeKey` tags of Kubernetes' types. */
const MERGE_KEYS: Record<string, string> = { conditions: "type", containers: "name", env: "name", ownerReferences: "uid" };
const DELETE_FROM = "$deleteFromPrimitiveList/";

/**
 * The part of Kubernetes' strategic merge patch that its own clients use most.
 * @throws ApiError for the rest
 */
export function strategicMerge(target: unknown, patch: unknown): unknown {
	if (!isObject(patch)) return patch;
	const out: Record<string, unknown> = isObject(target) ? { ...target } : {};
	for (const [key, value] of Object.entries(patch)) {
		if (key.startsWith(DELETE_FROM)) {
			const list = key.slice(DELETE_FROM.length);
			if (Array.isArray(out[list])) out[list] = out[list].filter((item) => !(value as unknown[]).includes(item));
		} else if (key.startsWith("$")) throw new ApiError(400, "BadRequest", `the directive ${key} is not emulated`);
		else if (value === null) delete out[key];
		else if (Array.isArray(value)) out[key] = mergeList(out[key], value, key);
		else out[key] = strategicMerge(out[key], value);
	}
	return out;
}

function mergeList(target: unknown, patch: unknown[], field: string): unknown[] {
	const key = MERGE_KEYS[field];
	if (key === undefined || !Array.isArray(target)) {
		if (field === "finalizers" && Array.isArray(target)) return [...new Set([...target, ...patch])];
		return patch.map((item) => withoutNulls(item));
	}
	const out = [...target] as Record<string, unknown>[];
	for (const item of patch as Record<string, unknown>[]) {
		const at = out.findIndex((known) => known[key] === item[key]);
		if (at === -1) out.push(item);
		else out[at] = strategicMerge(out[at], item) as Record<string, unknown>;
	}
	return out;
}

function withoutNulls(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withoutNulls);
	if (!isObject(value)) return value;
	return Object.fromEntries(Object.entries(value).flatMap(([k, v]) => (v === null ? [] : [[k, withoutNulls(v)]])));
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
