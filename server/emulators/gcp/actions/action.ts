import type { CallFacts } from "../../shared/faults.ts";
import { GceError, notEmulated } from "../gce-error.ts";
import { checkMessage } from "../wire/check-message.ts";
import { type Method, messageOf, methodOf } from "../wire/schema.ts";
import type { World } from "../world.ts";

/** A parsed call: its path and query parameters and its body. */
export interface Call {
	world: World;
	/** The e-mail address of the calling account. */
	account: string;
	/** By their names in Google's path, e.g. `zone`, `instance`. */
	params: Readonly<Record<string, string>>;
	query: URLSearchParams;
	body: Record<string, unknown>;
	/** Delays that the fault script adds to this call. */
	delays: { terminationMs: number };
}

export interface GceAction {
	/** Whether the action reads resources that projects share, so that any project is accepted. */
	anyProject: boolean;
	/** As Google's definitions name it, e.g. `Instances.Insert`. */
	name: string;
	/** Returns the path parameters if the call matches this action, else null. */
	match(httpMethod: string, path: string): Record<string, string> | null;
	/**
	 * Validates the body of the request against Google's definition.
	 * @throws GceError
	 */
	read(query: URLSearchParams, body: unknown): Record<string, unknown>;
	facts(call: Call): CallFacts;
	/**
	 * Executes the call in one synchronous step and returns the response.
	 * @throws GceError
	 */
	run(call: Call): Record<string, unknown>;
}

export interface ActionSpec {
	service: string;
	method: string;
	anyProject?: boolean;
	/** The supported query parameters; others of Google's are rejected. */
	query?: readonly string[];
	facts?: (call: Call) => Partial<CallFacts>;
	run: (call: Call) => Record<string, unknown>;
}

const HTTP = "(google.api.http)";
const HTTP_METHODS = ["get", "post", "delete"] as const;

export function defineAction(spec: ActionSpec): GceAction {
	const name = `${spec.service}.${spec.method}`;
	// Google's definitions are 12 MB, so they are read when the first call arrives.
	let address: { httpMethod: string; pattern: RegExp; method: Method } | null = null;
	const addressNow = () => (address ??= readAddress(methodOf(spec.service, spec.method), name));
	return {
		name,
		anyProject: spec.anyProject ?? false,
		match(httpMethod, path) {
			const known = addressNow();
			const found = known.httpMethod === httpMethod ? known.pattern.exec(path) : null;
			return found ? { ...found.groups } : null;
		},
		read(query, body) {
			const { method } = addressNow();
			const { fields } = messageOf(method.requestType);
			for (const key of query.keys()) {
				if (!fields[key])
					throw new GceError("invalid", `Invalid JSON payload received. Unknown name "${key}": Cannot bind query parameter.`);
				if (!spec.query?.includes(key)) throw notEmulated(`the parameter ${key} of ${name}`);
			}
			const bodyField = method.options[`${HTTP}.body`];
			if (typeof bodyField !== "string") return {};
			const type = fields[camelCase(bodyField)]?.type ?? "";
			return checkMessage(type, body, "resource");
		},
		facts(call) {
			const zone = call.params["zone"];
			const region = zone === undefined ? "" : (call.world.catalog.regionOf(zone) ?? "");
			return { action: name, region, zone, ...spec.facts?.(call) };
		},
		run: (call) => checkMessage(addressNow().method.responseType, spec.run(call), "answer"),
	};
}

function readAddress(method: Method, name: string): { httpMethod: string; pattern: RegExp; method: Method } {
	for (const httpMethod of HTTP_METHODS) {
		const template = method.options[`${HTTP}.${httpMethod}`];
		if (typeof template !== "string") continue;
		const pattern = template.replaceAll(/\{(\w+)\}/g, (_, key: string) => `(?<${camelCase(key)}>[^/]+)`);
		return { httpMethod: httpMethod.toUpperCase(), pattern: new RegExp(`^${pattern}$`), method };
	}
	throw new Error(`${name} has no address in Google's definitions`);
}

function camelCase(word: string): string {
	return word.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
