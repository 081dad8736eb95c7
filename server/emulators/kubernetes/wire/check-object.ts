import * as sdk from "@kubernetes/client-node";
import { ApiError } from "../api-error.ts";

interface Attribute {
	name: string;
	baseName: string;
	type: string;
}
interface Model {
	getAttributeTypeMap(): Attribute[];
}

const MODELS = sdk as unknown as Record<string, Model | undefined>;
const ROOTS: Record<string, string> = {
	Job: "V1Job",
	Pod: "V1Pod",
	Secret: "V1Secret",
	Service: "V1Service",
	Node: "V1Node",
	Namespace: "V1Namespace",
	Event: "CoreV1Event",
	Lease: "V1Lease",
	DeleteOptions: "V1DeleteOptions",
};

/**
 * Validates a body against the models of Kubernetes' own client. An unknown field or a wrong type is rejected as on a server with
 * `fieldValidation=Strict`.
 * @throws ApiError BadRequest naming the field
 */
export function checkObject(kind: string, body: unknown): void {
	const root = ROOTS[kind];
	if (root === undefined) throw new ApiError(400, "BadRequest", `no kind ${JSON.stringify(kind)} is registered`);
	checkValue(root, body, "");
}

function checkValue(type: string, value: unknown, path: string): void {
	if (value === null || value === undefined) return;
	const refuse = (why: string): never => {
		throw new ApiError(400, "BadRequest", `strict decoding error: ${why} "${path.slice(1)}"`);
	};
	const list = /^(?:Array|Set)<(.*)>$/.exec(type);
	const map = /^\{ \[key: string\]: (.*); \}$/.exec(type);
	if (list) {
		if (!Array.isArray(value)) refuse("no list in");
		for (const [i, item] of (value as unknown[]).entries()) checkValue(list[1] ?? "", item, `${path}[${i}]`);
		return;
	}
	if (map) {
		if (typeof value !== "object") refuse("no map in");
		for (const [key, item] of Object.entries(value)) checkValue(map[1] ?? "", item, `${path}[${key}]`);
		return;
	}
	const model = MODELS[type];
	if (typeof model?.getAttributeTypeMap === "function") {
		if (typeof value !== "object") refuse("no object in");
		const attributes = new Map(model.getAttributeTypeMap().map((a) => [a.baseName, a.type]));
		for (const [key, item] of Object.entries(value)) {
			const known = attributes.get(key);
			if (known === undefined) throw new ApiError(400, "BadRequest", `strict decoding error: unknown field "${`${path}.${key}`.slice(1)}"`);
			checkValue(known, item, `${path}.${key}`);
		}
		return;
	}
	if (type === "string" || type === "Date" || type === "V1MicroTime") {
		if (typeof value !== "string") refuse("no text in");
	} else if (type === "number" && typeof value !== "number") refuse("no number in");
	else if (type === "boolean" && typeof value !== "boolean") refuse("no boolean in");
}

/** A 1.20 server silently drops unknown fields. */
const LATER_THAN_1_20: Record<string, string[]> = {
	Job: [
		"suspend",
		"completionMode",
		"podFailurePolicy",
		"podReplacementPolicy",
		"backoffLimitPerIndex",
		"maxFailedIndexes",
		"successPolicy",
		"managedBy",
	],
	Pod: ["schedulingGates", "os", "resourceClaims", "hostUsers", "resources"],
};

export function dropLater<T>(kind: string, body: T): T {
	const { spec } = body as { spec?: Record<string, unknown> };
	if (!spec) return body;
	const kept = Object.entries(spec).filter(([key]) => !LATER_THAN_1_20[kind]?.includes(key));
	return { ...body, spec: Object.fromEntries(kept) };
}
