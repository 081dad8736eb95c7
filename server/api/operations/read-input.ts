import { fieldsOf, hasBody, pathFields, type QueryParameter, queryParameters } from "#server/contract/fields.ts";
import type { InputOf, Operation } from "#server/contract/operation.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { flagParam, listParam, numberParam, rejectUnknown, textParam, timeParam } from "../http/query.ts";
import type { RestRequest } from "../http/route.ts";

/**
 * Path, query and body of a request as one input, by the operation's fields. Query texts are converted to numbers,
 * lists and times; nothing else is validated, because services authorize before they parse.
 * @throws SpillwayError `invalid_input` for an unknown query parameter, or a body that is not an object; `not_found`
 * for an invalid number in the path
 */
export function readInput<O extends Operation>(operation: O, request: Pick<RestRequest, "params" | "query" | "body">): InputOf<O> {
	const parameters = queryParameters(operation);
	rejectUnknown(
		request.query,
		parameters.map(({ name }) => name),
	);
	const fromQuery = parameters.map((parameter) => [parameter.field, readParameter(request.query, parameter)] as const);
	return {
		...Object.fromEntries(fromQuery.filter(([, value]) => value !== undefined)),
		...(hasBody(operation) && operation.body === undefined && !operation.upload ? bodyFields(operation, request.body) : {}),
		...pathValues(operation, request.params),
	} as InputOf<O>;
}

function readParameter(query: URLSearchParams, { name, kind }: QueryParameter): unknown {
	switch (kind) {
		case "list": {
			const values = listParam(query, name);
			return values.length === 0 ? undefined : values;
		}
		case "number":
			return numberParam(query, name);
		case "time":
			return timeParam(query, name);
		case "flag":
			return query.has(name) ? flagParam(query, name) : undefined;
		default:
			return textParam(query, name);
	}
}

function bodyFields({ text }: Operation, body: unknown): object {
	if (body === undefined) return {};
	if (typeof body === "string" && text !== undefined) return { [text]: body };
	if (body !== null && typeof body === "object" && !Array.isArray(body)) return body;
	throw new SpillwayError("invalid_input", "The body must be a JSON object.", {
		...(text === undefined ? {} : { fix: `Send {"${text}": …} as JSON, or the text itself as text/plain or application/yaml.` }),
	});
}

function pathValues(operation: Operation, params: Record<string, string>): Record<string, unknown> {
	const fields = fieldsOf(operation.input);
	return Object.fromEntries(
		pathFields(operation).map(({ name, field }) => {
			const text = params[name] ?? "";
			const isNumber = fields[field]?._zod.def.type === "number";
			if (isNumber && !/^[1-9]\d{0,8}$/.test(text))
				throw new SpillwayError("not_found", `"${text}" is no ${name}: it must be a whole number from 1.`);
			return [field, isNumber ? Number(text) : text];
		}),
	);
}
