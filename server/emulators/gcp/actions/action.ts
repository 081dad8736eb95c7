import type { CallFacts } from "../../shared/faults.ts";
import { GceError, notEmulated } from "../gce-error.ts";
import { checkMessage } from "../wire/check-message.ts";
import { type Method, messageOf, methodOf } from "../wire/schema.ts";
import type { World } from "../world.ts";

/** A call that was read: what is in its address, behind it and in its body. */
export interface Call {
	world: World;
	/** The e-mail of the account that calls. */
	account: string;
	/** By their names in Google's address, e.g. `zone`, `instance`. */
	params: Readonly<Record<string, string>>;
	query: URLSearchParams;
	body: Record<string, unknown>;
	/** What the fault script adds to this call. */
	delays: { terminationMs: number };
}

export interface GceAction {
	/** Whether it is about resources that projects show to each other. */
	anyProject: boolean;
	/** As Google's definitions name it, e.g. `Instances.Insert`. */
	name: string;
	/** The parameters of the address, when the call is this action's; else null. */
	match(httpMethod: string, path: string): Record<string, string> | null;
	/** The body of the request, held against Google's definition. @throws GceError */
	read(query: URLSearchParams, body: unknown): Record<string, unknown>;
	facts(call: Call): CallFacts;
	/** Does it, in one synchronous step, and gives the answer. @throws GceError */
	run(call: Call): Record<string, unknown>;
}

export interface ActionSpec {
	service: string;
	method: string;
	anyProject?: boolean;
	/** The parameters behind the address that are honoured; others of Google's are refused. */
	query?: readonly string[];
	facts?: (call: Call) => Partial<CallFacts>;
	run: (call: Call) => Record<string, unknown>;
}

const HTTP = "(google.api.http)";
const HTTP_METHODS = ["get", "post", "delete"] as const;

export function defineAction(spec: ActionSpec): GceAction {
	const name = `${spec.service}.${spec.method}`;
	// Google's definitions are 12 MB: they are read when the first call comes.
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
